/** What is told of a new state: to people who hear the page, and in the line of the state. */

import { sentence } from '../words.js';

/** Say in one line what goes on. */
export function status(state, connected, waiting) {
  if (state.over) return state.over.text;
  if (!connected) return 'Reconnecting…';
  if (waiting) return 'One moment…';
  if (state.score?.settle) return 'Is this the score?';
  if (state.yours) return 'Your move';
  if (state.wait) return `Thinking… The server is busy: about ${Math.ceil(state.wait)} s.`;
  return state.thinking ? 'Thinking…' : 'Your opponent’s move';
}

/**
 * Say what changed since the state before.
 * @param {Object|null} before null when the page was just opened
 * @param {Object} state
 */
export function news(before, state) {
  const words = before ? moved(before, state) : [opening(state)];
  if (state.over) {
    if (!before?.over) words.push(state.over.text);
  } else {
    if (state.alarm && (state.alarm !== before?.alarm || words.length)) words.push(sentence(state.alarm));
    if (state.yours && (!before?.yours || words.length)) words.push('Your move.');
  }
  if (state.note && state.note !== before?.note) words.push(sentence(state.note));
  if (state.hint && !before?.hint) words.push(`Hint: ${state.hint.move}.`);
  if (state.score?.settle && !before?.score?.settle) words.push(`The score is ${state.score.text}. Agree, or play on.`);
  if (state.level && !before?.level) words.push(`Your level is ${state.level.text}.`);
  return words.join(' ');
}

function opening(state) {
  const last = state.moves.at(-1);
  return last ? `${who(last, state)} ${last.text}.` : 'A new game.';
}

function moved(before, state) {
  if (state.moves.length < before.moves.length) return ['Moves were taken back.'];
  return state.moves.slice(before.moves.length).map((move) => `${who(move, state)} ${move.text}.`);
}

function who(move, state) {
  return move.side === state.side ? 'You play' : 'Opponent plays';
}

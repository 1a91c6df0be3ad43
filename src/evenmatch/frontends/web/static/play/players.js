/** The two lines around the board: who plays, what they took or have, and their clock. */

import { el, say } from '../dom.js';
import { player } from '../words.js';

/**
 * Make the lines of you and your opponent.
 * @param {Object} game from the start data
 * @param {number} side yours
 * @param {string} you your name
 * @param {Map<number, HTMLElement>} clocks by side
 */
export function playerLines(game, side, you, clocks) {
  const mine = line(game, side, clocks.get(side));
  const theirs = line(game, -side, clocks.get(-side));
  return {
    mine: mine.node,
    theirs: theirs.node,
    show(state) {
      mine.show(state, you);
      theirs.show(state, state.opponent.title, state.opponent.method);
    },
  };
}

function line(game, side, clock) {
  const name = el('span', { class: 'player-name' });
  const tally = el('span', { class: 'tally' });
  const disc = el('span', { class: 'disc', 'aria-hidden': true });
  disc.style.background = game.look.discs[side === 1 ? 0 : 1];
  const node = el('div', { class: 'player-line' }, disc,
    el('span', { class: 'player' }, name, el('span', { class: 'player-side' }, player(game, side))), tally, clock);
  return {
    node,
    show(state, title, how = '') {
      say(name, title);
      name.title = how;
      say(tally, tallied(game, state, side));
      node.classList.toggle('to-move', !state.over && state.turn === side);
    },
  };
}

/** Say what counts for a side besides the board. */
function tallied(game, state, side) {
  if (state.captured) return `${state.captured[side === 1 ? 0 : 1]} captured`;
  if (game.look.counts) return String(state.cells.filter((piece) => piece * side > 0).length);
  return '';
}

/** Two games replayed in step: a board each, and below them buttons and a slider. */

import { boardFor } from '../board/board.js';
import { button, el, enable, enabled } from '../dom.js';
import { Seen } from '../play/seen.js';

const KEYS = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };

/**
 * Make the replay of two games.
 * @param {Object} game from the start data
 * @param {Object[]} games with moves and boards, as the server sends them
 * @param {string[]} names what each is called
 * @param {function(string): void} tell what says a text to people who hear the page
 */
export async function replay(game, games, names, tell) {
  const shown = await Promise.all(games.map((one, k) => replayed(game, one, names[k])));
  const last = Math.max(...games.map((one) => one.moves.length));
  let ply = 0;
  const slider = el('input', { type: 'range', min: 0, max: last, value: 0, 'aria-label': 'Position', on: { input: () => look(Number(slider.value)) } });
  const steps = [['First position', '«', -Infinity], ['One move back', '‹', -1], ['One move on', '›', 1], ['Last position', '»', Infinity]]
    .map(([name, sign, by]) => {
      const node = button(sign, () => enabled(node) && look(ply + by), { class: 'icon-button step', 'aria-label': name });
      return [node, by];
    });
  const [first, back, on, end] = steps.map(([node]) => node);
  const node = el('section', { class: 'replay', 'aria-label': 'The two games', on: { keydown } },
    el('div', { class: 'pair' }, shown.map((one) => one.node)),
    el('div', { class: 'replay-bar' }, first, back, slider, on, end));

  function clamped(to) {
    return Math.min(Math.max(to, 0), last);
  }

  function look(to) {
    ply = clamped(to);
    draw();
    tell(shown.map((one) => `${one.name}: ${one.text(ply)}.`).join(' '));
  }

  function draw() {
    for (const one of shown) one.show(ply);
    slider.value = ply;
    slider.setAttribute('aria-valuetext', ply ? `after ${ply} of ${last} plies` : 'at the start');
    for (const [step, by] of steps) enable(step, clamped(ply + by) !== ply);
  }

  /** Arrow keys move on and back, but on a board, where they move the cursor. */
  function keydown(event) {
    if (event.defaultPrevented || event.target === slider || !(event.key in KEYS)) return;
    event.preventDefault();
    look(ply + KEYS[event.key]);
  }

  draw();
  return { node, remove: () => shown.forEach((one) => one.remove()) };
}

/** One of the games: its board, and the move that led to the position. */
async function replayed(game, state, name) {
  const board = await boardFor(game, 1, { play: () => {} });
  const seen = new Seen(game);
  seen.add({ ...state, side: 1 });
  const move = el('p', { class: 'pair-move' });
  const title = el('h2', {}, name);
  const moves = el('details', {}, el('summary', {}, `Moves of ${name}`), el('p', { class: 'help' }, notation(state.moves)));

  function text(ply) {
    const number = Math.ceil(ply / 2);
    return ply ? `${number}${ply % 2 ? '.' : '…'} ${state.moves[ply - 1].text}` : 'the start';
  }

  return {
    name, text,
    node: el('section', { class: 'pair-game', 'aria-label': name },
      el('div', { class: 'row spread' }, title, move), board.node, moves),
    show(ply) {
      board.show(seen.position(ply, { ...state, side: 1 }));
      move.textContent = text(ply);
    },
    remove: () => board.remove(),
  };
}

function notation(moves) {
  return moves.map((move, k) => (k % 2 ? move.text : `${k / 2 + 1}. ${move.text}`)).join(' ');
}

/** The moves of a game as a list, with ways to look at earlier positions. */

import { button, el, enable, enabled } from '../dom.js';

const MARKS = { hint: 'after a hint', retry: 'in place of one taken back', given: 'given' };
const ARROWS = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };

/**
 * Make the list.
 * @param {Object} game from the start data
 * @param {{seen: import('./seen.js').Seen, look: function(number): void}} hooks
 */
export function moveList(game, { seen, look }) {
  const list = el('ol', { class: game.look.paired ? 'moves paired' : 'moves' });
  const scroll = el('div', { class: 'moves-scroll', tabindex: 0, role: 'group', 'aria-label': 'Moves', on: { keydown } }, list);
  const steps = [['First position', '«', -Infinity], ['One move back', '‹', -1], ['One move on', '›', 1], ['Latest position', '»', Infinity]]
    .map(([name, sign, step]) => {
      const node = button(sign, () => enabled(node) && look(target(step)), { class: 'quiet icon-button step', 'aria-label': name });
      return [node, step];
    });
  const node = el('section', { class: 'moves-part', 'aria-labelledby': 'moves-title' },
    el('div', { class: 'row spread' }, el('h2', { class: 'minor', id: 'moves-title' }, 'Moves'),
      el('div', { class: 'row tight' }, steps.map(([step]) => step))), scroll);
  let plies = 0;
  let at = 0;

  /** Return the ply to go to: the nearest one seen in the direction of a step. */
  function target(step) {
    const known = Array.from({ length: plies + 1 }, (_, ply) => ply).filter((ply) => seen.has(ply));
    if (step === -Infinity) return known[0];
    if (step === Infinity) return plies;
    return (step < 0 ? known.filter((ply) => ply < at).at(-1) : known.find((ply) => ply > at)) ?? at;
  }

  function keydown(event) {
    if (!(event.key in ARROWS)) return;
    event.preventDefault();
    look(target(ARROWS[event.key]));
  }

  return {
    node,
    show(state, shown) {
      plies = state.moves.length;
      at = shown;
      list.replaceChildren(...rows(game, state.moves).map((row) => item(row, { at, seen, look })));
      for (const [step, by] of steps) enable(step, target(by) !== at);
      const current = list.querySelector('[aria-current]');
      if (current) scroll.scrollTop = current.offsetTop - scroll.clientHeight / 2;
      else if (at === plies) scroll.scrollTop = scroll.scrollHeight;
    },
  };
}

/** Group the moves as the game counts them: {number, plies: [[ply, move]], gap}. */
function rows(game, moves) {
  const grouped = [];
  moves.forEach((move, k) => {
    const begins = !game.look.paired || move.side === 1 || !grouped.length;
    if (begins) grouped.push({ number: grouped.length + 1, gap: game.look.paired && move.side === -1, plies: [] });
    grouped.at(-1).plies.push([k + 1, move]);
  });
  return grouped;
}

function item({ number, gap, plies }, view) {
  return el('li', {}, el('span', { class: 'number', 'aria-hidden': true }, `${number}.`),
    gap && el('span', { class: 'ply' }, '…'), plies.map((each) => ply(each, view)));
}

function ply([at, move], view) {
  const mark = MARKS[move.mark];
  const words = mark ? [move.text, el('sup', { title: mark, 'aria-hidden': true }, '*'), el('span', { class: 'unseen' }, ` (${mark})`)] : [move.text];
  const current = at === view.at && 'true';
  if (!view.seen.has(at)) return el('span', { class: 'ply', 'aria-current': current }, words);
  return el('button', { type: 'button', class: 'ply', tabindex: -1, 'aria-current': current, on: { click: () => view.look(at) } }, words);
}

/** After the end of a game: your level, and a look back at the moves. */

import { get } from '../api.js';
import { button, el, say } from '../dom.js';
import { levelFigure, lineGraph, rangeOf } from '../graph.js';
import { NO_SCALE, count, levelText, percent } from '../words.js';

/**
 * Make the part for the time after the end.
 * @param {Object} game from the start data
 * @param {number} id the table's
 * @param {{lookUp: function(number): void}} hooks
 */
export function endingPart(game, id, { lookUp }) {
  const counting = el('p', { class: 'help' }, 
    'The result of this game does not count for your level. A result counts if the game began as usual, the moves were your own, and it was played to the end, or given up when it was lost.');
  const story = el('p', { hidden: true });
  const level = el('div', { class: 'review' });
  const review = el('div', { class: 'review' });
  const unkept = el('p', {}, 'Not kept: you made no move.');
  const node = el('section', { class: 'ending card', 'aria-label': 'After the game' }, unkept, counting, story, level, review);
  let reviewed = false;

  async function lookBack(state) {
    reviewed = true;
    review.replaceChildren(el('p', { class: 'help' }, 'Looking back at the game…'));
    try {
      const found = await get(`/api/tables/${id}/review`);
      const parts = found.chances.length ? [...chances(found.chances), ...losses(game, state, found.losses, lookUp)] : [];
      review.replaceChildren(...(parts.length ? parts : [el('p', { class: 'help' }, 'There is nothing to say about its moves.')]));
    } catch (error) {
      review.replaceChildren(el('p', { class: 'problem' }, error.message), button('Try again', () => lookBack(state)));
    }
  }

  return {
    node,
    show(state) {
      node.hidden = state.over === null;
      if (!state.over) {
        reviewed = false; // it may end another way
        return;
      }
      const { kept, counts } = state.over;
      say(story, state.over.story);
      unkept.hidden = kept;
      for (const part of [level, review]) part.hidden = !kept;
      counting.hidden = !kept || counts || !game.scale;
      level.replaceChildren(...levels(game, state));
      if (kept && !reviewed) lookBack(state);
    },
  };
}

/** Draw the level after the game, and tell the one before it. */
function levels(game, { level, no_level_yet: noLevelYet, judging }) {
  if (!game.scale) return [el('p', { class: 'help' }, NO_SCALE)];
  if (judging) return [el('p', { class: 'help' }, 'Judging your moves… Your level follows.')];
  if (!level) return noLevelYet ? [el('p', { class: 'help' }, noLevelYet)] : [];
  const before = game.level && game.level.games < level.games ? game.level : null;
  return [
    el('h2', { class: 'minor' }, 'Your level'),
    levelFigure(level, rangeOf(before ? [before, level] : [level])),
    ...(before ? [el('p', { class: 'help' }, `Before this game: ${levelText(before)}.`)] : []),
  ];
}

function chances(values) {
  if (values.length < 2) return [];
  return [
    el('h2', { class: 'minor' }, 'Your chance to win'),
    lineGraph({
      values, range: [0, 1], ticks: [[0, '0%'], [0.5, '50%'], [1, '100%']], ends: ['start', 'end'],
      told: `Your chance to win over the game: ${percent(values[0])} at first, ${percent(values.at(-1))} at the end.`,
    }),
  ];
}

function losses(game, state, found, lookUp) {
  const title = el('h2', { class: 'minor' }, 'The moves that lost most');
  if (!found.length) return [title, el('p', {}, 'No move of yours lost much.')];
  const item = (loss) => {
    const what = `${moveNumber(game, state, loss.ply)} ${loss.move} lost ${count(Math.round(100 * loss.lost), 'point')} of the chance to win`;
    return el('li', {}, button(what, () => lookUp(loss.ply), { class: 'link', title: 'Look at it on the board' }), el('p', {}, people(loss)));
  };
  return [title, el('ol', { class: 'losses' }, found.map(item)),
    el('p', { class: 'help' },
      'A search found these losses; the graph is the network\'s first look at each position, so the two may differ. Moves with a hint, and those after one that was taken back, are not among them.')];
}

/** Say what people of the level play. */
function people({ played, likely }) {
  const instead = likely.map(({ move, share }) => `${move} (${percent(share)})`).join(', ');
  const often = played === null ? '' : `People of your level play it ${percent(played)} of the time. `;
  return instead ? `${often}Others play ${instead}.` : often;
}

/** Write the number of a move as the game counts them: "Move 7:", or "4..." for the second of a pair. */
function moveNumber(game, state, ply) {
  if (!game.look.paired) return `Move ${ply}:`;
  const place = ply + (state.moves[0]?.side === -1 ? 1 : 0);
  return `${Math.ceil(place / 2)}.${place % 2 ? '' : '..'}`;
}

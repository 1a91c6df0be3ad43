/** The score of Go, and whether both agree on it. */

import { button, el, enable, enabled, say } from '../dom.js';
import { player } from '../words.js';

/**
 * Make the part that shows the score.
 * @param {Object} game from the start data
 * @param {{ask: function(string): void}} hooks
 */
export function scorePart(game, { ask }) {
  const text = el('p', { class: 'score-text' });
  const parts = el('p', { class: 'score-parts' });
  const agree = button('Agree', () => enabled(agree) && ask('agree'), { class: 'primary' });
  const on = button('Play on', () => enabled(on) && ask('play_on'));
  const settle = el('div', {}, el('p', {}, 'Faded stones count as dead. Is this the score?'),
    el('div', { class: 'row' }, agree, on));
  const node = el('section', { class: 'score card', 'aria-labelledby': 'score-title' },
    el('h2', { class: 'minor', id: 'score-title' }, 'Score'), text, parts, settle);
  let may = false;
  return {
    node,
    show({ score, can, over }) {
      may = can.agree;
      node.hidden = score === null;
      if (!score) return;
      say(text, score.text);
      say(parts, `${player(game, 1)} ${score.areas[0]}, ${player(game, -1)} ${score.areas[1]} and komi ${score.komi}.`);
      settle.hidden = !score.settle || over !== null;
    },
    /** Let somebody agree or play on, or neither while an answer is awaited. */
    free(yes) {
      for (const each of [agree, on]) enable(each, yes && may);
    },
  };
}

/** The level that the opponent plays at: hidden until somebody opens it. */

import { el } from '../dom.js';

export function levelPart() {
  const words = el('p', { class: 'help' });
  const node = el('details', {}, el('summary', {}, 'The level it plays at'), words);
  return {
    node,
    show(state) {
      node.hidden = !state.opponent.now;
      words.textContent = state.opponent.now;
    },
  };
}

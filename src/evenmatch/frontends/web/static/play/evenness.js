/** The bar that shows how even the game stands. People can hide it. */

import { button, el } from '../dom.js';
import { recall, remember } from '../memory.js';
import { evenness } from '../words.js';

const KEY = 'even-hidden';

export function evennessBar() {
  const words = el('span', { class: 'even-words' });
  const fill = el('span', { class: 'even-fill' });
  const bar = el('div', { class: 'even-bar', 'aria-hidden': true }, fill, el('span', { class: 'even-middle' }));
  const toggle = button('', flip, { class: 'quiet small' });
  const node = el('div', { class: 'even' },
    el('div', { class: 'row spread' }, el('h2', { class: 'minor' }, 'How even it stands'), toggle), bar, words);
  let value = null;

  function flip() {
    remember(KEY, !recall(KEY, false));
    draw();
  }

  function draw() {
    const hidden = recall(KEY, false);
    node.hidden = value === null;
    toggle.textContent = hidden ? 'Show' : 'Hide';
    toggle.setAttribute('aria-label', hidden ? 'Show how even it stands' : 'Hide how even it stands');
    bar.hidden = words.hidden = hidden;
    if (value === null) return;
    words.textContent = evenness(value);
    const half = 50 * Math.min(1, Math.abs(value));
    fill.style.left = `${value < 0 ? 50 - half : 50}%`;
    fill.style.width = `${half}%`;
    fill.classList.toggle('behind', value < 0);
  }

  return {
    node,
    show(state) {
      value = state.over ? null : state.even; // afterwards the graph of all moves tells more
      draw();
    },
  };
}

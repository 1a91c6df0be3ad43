/** Small dialogs. The browser keeps the focus within them and gives it back. */

import { button, el } from './dom.js';

/**
 * Show a dialog until it is closed.
 * @param {string} title
 * @param {function(function(*): void): Node[]} content makes what is in it, given how to close it
 *   with an answer
 * @returns {Promise<*>} the answer; undefined if it was left without one
 */
export function open(title, content) {
  return new Promise((resolve) => {
    let answer;
    const node = el('dialog', { 'aria-labelledby': 'dialog-title' });
    const close = (value) => {
      answer = value;
      node.close();
    };
    node.append(el('h2', { id: 'dialog-title' }, title), ...content(close));
    node.addEventListener('click', (event) => event.target === node && node.close());
    node.addEventListener('close', () => {
      node.remove();
      resolve(answer);
    });
    document.body.append(node);
    node.showModal();
  });
}

/**
 * Ask once more before something that cannot be taken back.
 * @returns {Promise<boolean>}
 */
export async function sure(question, yes, no = 'Cancel') {
  const answer = await open(question, (close) => [
    el('div', { class: 'row end' },
      button(no, () => close(false)),
      button(yes, () => close(true), { class: 'danger' })),
  ]);
  return answer === true;
}

/** What can be asked of a game besides a move. */

import { sure } from '../dialogs.js';
import { button, el, enable, enabled } from '../dom.js';

/**
 * Make the buttons.
 * @param {Object} game from the start data
 * @param {number} id the table's
 * @param {{ask: function(string): void, rematch: function(): Promise<void>}} hooks
 */
export function actions(game, id, { ask, rematch }) {
  const offered = [
    ['pass', 'Pass', game.passes],
    ['undo', 'Undo', true],
    ['hint', 'Hint', true],
    ['draw', 'Draw', game.draws_agreed],
    ['resign', 'Resign', true],
  ].filter(([, , offer]) => offer);
  const buttons = offered.map(([what, text]) => {
    const node = button(text, () => enabled(node) && press(what));
    return [what, node];
  });
  const again = button('Rematch', () => enabled(again) && begin(), { class: 'primary' });
  const download = el('a', { class: 'button', href: `/api/tables/${id}/record`, download: '' }, 'Download this game');
  const playing = el('div', { class: 'actions' }, buttons.map(([, node]) => node));
  const after = el('div', { class: 'actions' }, again, el('a', { class: 'button', href: '/' }, 'New game'));

  async function press(what) {
    if (what === 'resign' && !(await sure('Resign this game?', 'Resign'))) return;
    ask(what);
  }

  /** Ask for a rematch, once at a time. */
  async function begin() {
    enable(again, false);
    await rematch();
    enable(again, true);
  }

  const file = el('div', { class: 'actions' }, download);
  let can = {};

  return {
    playing,
    after,
    download: file,
    show(state) {
      can = state.can;
      playing.hidden = state.over !== null;
      after.hidden = state.over === null;
      file.hidden = state.over !== null && !state.over.kept;
      again.hidden = !state.can.rematch;
    },
    /** Let something be asked, or nothing while an answer is awaited. */
    free(yes) {
      for (const [what, node] of buttons) enable(node, yes && can[what]);
    },
  };
}

/** Under what conditions to play a new game: side, clock, handicap and komi, position. */

import { el, field, select } from '../dom.js';
import { recall, remember } from '../memory.js';

const CLOCKS = [['', 'No clock'], ['3+2', '3 minutes + 2 seconds a move'], ['5+3', '5 minutes + 3 seconds a move'],
  ['10+5', '10 minutes + 5 seconds a move'], ['15+10', '15 minutes + 10 seconds a move'], ['other', 'Another clock']];
const KEY = 'clock';

/** Choose a side. */
export function sidePart(game) {
  const sides = [['random', 'Random'], ['first', `${game.players[0]} (moves first)`], ['second', game.players[1]]];
  const inputs = sides.map(([value]) => el('input', { type: 'radio', name: 'side', value, checked: value === 'random' }));
  const node = el('fieldset', {}, el('legend', {}, 'You play'),
    el('div', { class: 'choices' }, sides.map(([, text], k) => el('label', { class: 'choice' }, inputs[k], el('span', {}, text)))));
  return { node, read: () => ({ side: inputs.find((input) => input.checked).value }) };
}

/** Choose a clock. */
export function clockPart() {
  const choice = select(CLOCKS, { on: { change: show } });
  choice.value = CLOCKS.some(([value]) => value === recall(KEY, '')) ? recall(KEY, '') : '';
  const minutes = el('input', { type: 'number', min: 0.5, max: 600, step: 'any', value: 5 });
  const increment = el('input', { type: 'number', min: 0, max: 600, step: 'any', value: 3 });
  const own = el('div', { class: 'row fields' }, field('Minutes', minutes), field('Seconds a move', increment));

  function show() {
    own.hidden = choice.value !== 'other';
    minutes.disabled = increment.disabled = own.hidden;
  }

  function read() {
    remember(KEY, choice.value);
    if (!choice.value) return { clock: null };
    const [m, s] = choice.value === 'other' ? [minutes.value, increment.value] : choice.value.split('+');
    return { clock: { minutes: Number(m), increment: Number(s) } };
  }

  show();
  return { node: el('div', { class: 'part' }, field('Clock', choice), own), read };
}

/** Choose handicap and komi; null for games without. */
export function conditionsPart(game) {
  const stones = Array.from({ length: Math.max(0, game.most_handicap - 1) }, (_, k) => [String(k + 2), `${k + 2} stones`]);
  const handicap = stones.length ? select([['', 'None'], ...stones]) : null;
  const komi = game.komi === null ? null : el('input', { type: 'number', step: 0.5, placeholder: String(game.komi) });
  if (!handicap && !komi) return null;
  const node = el('div', { class: 'row fields part' }, handicap && field('Handicap', handicap), komi && field('Komi', komi));
  const read = () => ({
    ...(handicap?.value ? { handicap: Number(handicap.value) } : {}),
    ...(komi?.value ? { komi: Number(komi.value) } : {}),
  });
  return { node, read };
}

/** Paste a position to start from; null for games that read none. */
export function positionPart(game) {
  if (!game.positions) return null;
  const text = el('textarea', { rows: 3, spellcheck: 'false', autocomplete: 'off' });
  const node = el('details', {}, el('summary', {}, 'Start from a position'),
    field(`Position (${game.positions})`, text, 'Paste a position, or a whole game: you continue where it ends. The result does not count for your level.'));
  return { node, read: () => (text.value.trim() ? { start: text.value.trim() } : {}) };
}

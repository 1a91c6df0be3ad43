/** A small drawing of a game, for choosing it. */

import { svg } from '../dom.js';

/**
 * Draw the middle of a game's board with a few pieces; of large boards more of it.
 * @param {Object} game from the start data
 */
export function miniature({ look, rows }) {
  const size = 2 * Math.round(rows / 4); // even, so that four pieces are in the middle
  const drawing = svg('svg', { class: 'miniature', viewBox: `0 0 ${size} ${size}`, 'aria-hidden': true });
  for (let y = 0; y < size; y += 1) {
    for (let x = 0; x < size; x += 1) drawing.append(...ground(look, x, y));
  }
  if (look.lines) drawing.append(lines(look, size));
  const low = size / 2 - 1;
  for (const [x, y, side] of [[0, 0, 1], [1, 0, -1], [0, 1, -1], [1, 1, 1]]) drawing.append(piece(look, low + x, low + y, side));
  return drawing;
}

function ground(look, x, y) {
  const field = svg('rect', { x, y, width: 1.02, height: 1.02, fill: look.fields[(x + y) % 2] });
  return look.hole ? [field, svg('circle', { cx: x + 0.5, cy: y + 0.5, r: 0.38, fill: look.hole })] : [field];
}

function lines(look, size) {
  const d = Array.from({ length: size }, (_, k) => `M0 ${k + 0.5}H${size}M${k + 0.5} 0V${size}`).join('');
  return svg('path', { d, stroke: look.lines, 'stroke-width': 0.05, fill: 'none' });
}

function piece(look, x, y, side) {
  const fill = look.discs[side === 1 ? 0 : 1];
  if (!look.figures) return svg('circle', { cx: x + 0.5, cy: y + 0.5, r: look.lines ? 0.46 : 0.38, fill });
  const figure = [...look.figures].at(x % 2 ? -1 : -2);
  return svg('text', { x: x + 0.5, y: y + 0.84, 'text-anchor': 'middle', 'font-size': 1, fill }, `${figure}\uFE0E`); // as text, not an emoji
}

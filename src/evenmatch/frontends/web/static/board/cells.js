/** The cells of a board as a grid for keyboard, pointer and screen reader; seen only by its focus. */

import { svg } from '../dom.js';

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/**
 * Make the grid. One cell is one unit wide; cell (0, 0) is at the origin.
 * @param {Object} what
 * @param {number} what.rows
 * @param {number} what.columns
 * @param {boolean} what.turned the last row is on top, the last column on the left
 * @param {string} what.title what the grid is called
 * @param {function(number): void} what.press a cell was chosen by Enter or Space
 * @param {function(number|null): void} [what.enter] the keyboard came to a cell, or left the board
 */
export function cellGrid({ rows, columns, turned, title, press, enter = () => {} }) {
  const rects = new Map(); // by cell, in the order they are seen
  const node = svg('g', { class: 'cells', role: 'grid', 'aria-label': title });
  for (let y = 0; y < rows; y += 1) {
    const row = svg('g', { role: 'row' });
    for (let x = 0; x < columns; x += 1) {
      const cell = turned ? rows * columns - 1 - (y * columns + x) : y * columns + x;
      const rect = svg('rect', { x, y, width: 1, height: 1, role: 'gridcell', tabindex: -1, 'data-cell': cell });
      rects.set(cell, rect);
      row.append(rect);
    }
    node.append(row);
  }
  let current = Math.floor(rows / 2) * columns + Math.floor(columns / 2);
  rects.get(current).setAttribute('tabindex', 0);

  /** Make a cell the one that Tab comes to. */
  function rove(cell) {
    rects.get(current).setAttribute('tabindex', -1);
    current = cell;
    rects.get(current).setAttribute('tabindex', 0);
  }

  function moved(cell, [down, right]) {
    const sign = turned ? -1 : 1;
    const row = Math.floor(cell / columns) + sign * down;
    const column = (cell % columns) + sign * right;
    const inside = row >= 0 && row < rows && column >= 0 && column < columns;
    return inside ? row * columns + column : cell;
  }

  function keydown(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in STEPS) rects.get(moved(current, STEPS[event.key])).focus();
    else if (event.key === 'Enter' || event.key === ' ') press(current);
    else return;
    event.preventDefault();
  }

  node.addEventListener('keydown', keydown);
  node.addEventListener('focusin', (event) => {
    rove(Number(event.target.dataset.cell));
    enter(current);
  });
  node.addEventListener('focusout', () => enter(null));

  return {
    node,
    /** Name all cells for people who hear them. */
    name(text) {
      for (const [cell, rect] of rects) rect.setAttribute('aria-label', text(cell));
    },
    /** Return the cell below a pointer event, null beside the board. */
    at(event) {
      const cell = event.target.dataset?.cell;
      return cell === undefined ? null : Number(cell);
    },
  };
}

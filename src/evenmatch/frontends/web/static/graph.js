/** Drawings of numbers: a line with a band, and an interval. All are SVG and scale with the page. */

import { el, svg } from './dom.js';
import { sentence } from './words.js';

const EDGE = { left: 46, right: 14, top: 12, bottom: 26 };

/**
 * Draw values in order as a line.
 * @param {Object} what
 * @param {number[]} what.values
 * @param {[number, number][]} [what.bands] low and high around each value
 * @param {[number, number]} what.range of the vertical axis
 * @param {[number, string][]} what.ticks values of the vertical axis and their texts
 * @param {[string, string]} what.ends what stands below the first and the last value
 * @param {string} what.told the whole in words, for people who do not see it
 * @param {number} [what.width] of the drawing, about that of the place it stands in
 */
export function lineGraph({ values, bands = [], range, ticks, ends, told, width = 340 }) {
  const height = Math.min(220, 0.5 * width);
  const inner = width - EDGE.left - EDGE.right;
  const x = (k) => EDGE.left + (values.length > 1 ? (inner * k) / (values.length - 1) : inner / 2);
  const y = (value) => {
    const share = (value - range[0]) / (range[1] - range[0] || 1);
    return height - EDGE.bottom - share * (height - EDGE.top - EDGE.bottom);
  };
  const path = (points) => points.map((point) => point.map((c) => c.toFixed(1)).join(',')).join(' ');
  const outline = [...bands.map(([low], k) => [x(k), y(low)]), ...bands.map(([, high], k) => [x(k), y(high)]).reverse()];
  return svg('svg', { class: 'graph', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': told },
    ticks.map(([value, text]) => [
      svg('line', { class: 'rule', x1: EDGE.left, x2: width - EDGE.right, y1: y(value), y2: y(value) }),
      svg('text', { x: EDGE.left - 8, y: y(value) + 4, 'text-anchor': 'end' }, text),
    ]).flat(),
    bands.length > 1 && svg('polygon', { class: 'band', points: path(outline) }),
    svg('polyline', { class: 'line', points: path(values.map((value, k) => [x(k), y(value)])) }),
    values.length <= 40 && values.map((value, k) => svg('circle', { class: 'point', cx: x(k), cy: y(value), r: 3 })),
    svg('text', { x: EDGE.left, y: height - 6 }, ends[0]),
    svg('text', { x: width - EDGE.right, y: height - 6, 'text-anchor': 'end' }, ends[1]));
}

/**
 * Draw a level with its interval on an axis.
 * @param {{rating: number, low: number, high: number, shown: string, from: string, to: string}} level
 * @param {[number, number]} range of the axis
 */
export function intervalBar(level, range) {
  const place = (value) => {
    const share = (value - range[0]) / (range[1] - range[0] || 1);
    return 100 * Math.min(1, Math.max(0, share));
  };
  const bar = el('span', { class: 'interval', role: 'img', 'aria-label': `${level.shown}, between ${level.from} and ${level.to}` },
    el('span', { class: 'interval-reach' }), el('span', { class: 'interval-point' }));
  bar.children[0].style.left = `${place(level.low)}%`;
  bar.children[0].style.right = `${100 - place(level.high)}%`;
  bar.children[1].style.left = `${place(level.rating)}%`;
  return bar;
}

/** Return a range that holds all levels with some air on either side. */
export function rangeOf(levels) {
  const low = Math.min(...levels.map((level) => level.low));
  const high = Math.max(...levels.map((level) => level.high));
  const air = 0.15 * (high - low || 1);
  return [low - air, high + air];
}

/**
 * Draw a level large: its text, the interval, what its ends are, and of which scale it is.
 * @param {Object} level
 * @param {[number, number]} [range]
 */
export function levelFigure(level, range = rangeOf([level])) {
  return el('div', { class: 'level' },
    el('p', { class: 'level-shown' }, level.shown, level.provisional && el('span', { class: 'help' }, ' provisional')),
    el('div', { class: 'level-drawn' }, intervalBar(level, range),
      el('p', { class: 'level-ends' }, `Most likely between ${level.from} and ${level.to}.`, el('br'), sentence(level.on_scale))));
}

/** Draw how a level changed from game to game, with the band of its interval. */
export function historyGraph(history, title) {
  const range = rangeOf(history);
  const latest = history.at(-1);
  const lowest = history.reduce((a, b) => (b.low < a.low ? b : a));
  const highest = history.reduce((a, b) => (b.high > a.high ? b : a));
  return lineGraph({
    values: history.map((level) => level.rating),
    bands: history.map((level) => [level.low, level.high]),
    range,
    ticks: [[lowest.low, lowest.from], [latest.rating, latest.shown], [highest.high, highest.to]],
    ends: ['first game', 'latest'],
    width: Math.min(760, window.innerWidth - 80),
    told: `${title}: level from ${history[0].shown} to ${latest.shown} over ${history.length} games.`,
  });
}

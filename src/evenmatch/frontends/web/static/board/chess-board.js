/** The board of chess: chessground, with its moves from the server and a cursor for the keyboard. */

import { el, moving, svg } from '../dom.js';
import { open } from '../dialogs.js';
import { cellGrid } from './cells.js';
import { cellName, pieceName } from './names.js';

const VENDOR = '/static/vendor/chessground';
const LETTERS = ' pnbrqk';
/** What a pawn may become; the figures are marked as text, for some systems draw them as emoji. */
const PROMOTIONS = [['q', 'Queen', '♛\uFE0E'], ['r', 'Rook', '♜\uFE0E'], ['b', 'Bishop', '♝\uFE0E'], ['n', 'Knight', '♞\uFE0E']];

/** Make the board; see board.js. */
export async function chessBoard(game, side, { play }) {
  const [{ Chessground }] = await Promise.all([
    import(`${VENDOR}/chessground.min.js`),
    ...['base', 'brown', 'cburnett'].map((name) => style(`${VENDOR}/chessground.${name}.css`)),
  ]);
  const turned = side === -1;
  const key = (cell) => cellName(game, cell);
  const cell = (name) => (game.rows - Number(name[1])) * game.columns + game.look.columns.indexOf(name[0]);
  const colour = (who) => (who === 1 ? 'white' : 'black');
  let position = null;

  async function moved(from, to) {
    const moves = position.legal.filter((move) => move.cells[0] === cell(from) && move.cells[1] === cell(to));
    const chosen = moves.length > 1 ? await promotion(moves) : moves[0];
    if (chosen) play(chosen.move);
    else show(position);
  }

  const wrap = el('div', { class: 'chess-wrap' });
  wrap.style.setProperty('--field', game.look.fields[0]);
  const ground = Chessground(wrap, {
    orientation: turned ? 'black' : 'white',
    coordinates: true,
    highlight: { lastMove: true, check: true },
    animation: { enabled: moving(), duration: 180 },
    movable: { free: false, events: { after: moved } },
    premovable: { enabled: false },
    drawable: { enabled: false },
  });
  const grid = cellGrid({
    rows: game.rows, columns: game.columns, turned, title: 'Board, 8 rows and 8 columns',
    press: (at) => position.legal.length && ground.selectSquare(key(at)),
  });
  const cursor = svg('svg', { class: 'cursor-layer', viewBox: `0 0 ${game.columns} ${game.rows}` }, grid.node);

  function show(next) {
    position = next;
    ground.set({
      fen: placement(game, next.cells),
      turnColor: colour(next.turn),
      lastMove: next.last.map(key),
      check: next.check === null ? false : colour(next.cells[next.check] > 0 ? 1 : -1),
      movable: { color: next.legal.length ? colour(next.side) : undefined, dests: destinations(next.legal, key) },
    });
    grid.name((at) => described(game, next, at));
    requestAnimationFrame(pointOut); // chessground can draw an arrow only once it is on the page
  }

  function pointOut() {
    if (!wrap.isConnected) return;
    const [orig, dest] = (position.hint?.cells ?? []).map(key);
    ground.setAutoShapes(dest ? [{ orig, dest, brush: 'green' }] : []);
  }

  return {
    node: el('div', { class: 'board chess-board' }, wrap, cursor),
    ratio: game.columns / game.rows,
    show,
    remove: () => ground.destroy(),
  };
}

/** Load a style sheet once. */
function style(href) {
  if (document.querySelector(`link[href="${href}"]`)) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const failed = () => reject(new Error('The chess board could not be loaded. Reload the page.'));
    document.head.append(el('link', { rel: 'stylesheet', href, on: { load: resolve, error: failed } }));
  });
}

/** Write the pieces as the first field of a FEN. */
function placement({ rows, columns }, cells) {
  const letter = (piece) => (piece > 0 ? LETTERS[piece].toUpperCase() : LETTERS[-piece]);
  const row = (_, y) => cells.slice(y * columns, (y + 1) * columns).map((piece) => (piece ? letter(piece) : '1')).join('');
  return Array.from({ length: rows }, row).join('/');
}

function destinations(legal, key) {
  const found = new Map();
  for (const { cells: [from, to] } of legal) found.set(key(from), [...(found.get(key(from)) ?? []), key(to)]);
  return found;
}

function described(game, position, cell) {
  const words = [cellName(game, cell), pieceName(game, position.cells[cell])];
  if (position.last.includes(cell)) words.push('last move');
  if (position.check === cell) words.push('in check');
  return words.join(', ');
}

/** Ask what a pawn becomes: one of the moves, or none. */
function promotion(moves) {
  const choice = (close, [letter, name, figure]) => {
    const move = moves.find((each) => each.promotion === letter);
    return move && el('button', { type: 'button', on: { click: () => close(move) } },
      el('span', { class: 'figure', 'aria-hidden': true }, figure), el('span', {}, name));
  };
  return open('What does the pawn become?', (close) => [
    el('div', { class: 'promotion' }, PROMOTIONS.map((each) => choice(close, each) ?? null)),
  ]);
}

/** Boards of discs and stones, drawn as their game's look says. One cell is one unit. */

import { button, el, svg } from '../dom.js';
import { cellGrid } from './cells.js';
import { cellName, columnName, pieceName, rowName } from './names.js';

const SMALL = 28; // pixels: a finger is not sure of smaller cells, so its first tap only shows
const NAMED = 0.6; // width of an edge with coordinates, in cells
const BARE = 0.2;

/** Make the board; see board.js. */
export function svgBoard(game, side, { play }) {
  const drawing = new Drawing(game);
  let position = null;
  let tried = null; // the move that a finger's first tap showed
  let pointer = 'mouse';

  /** Return the legal move that a press on a cell means. Where pieces drop, any cell of a column. */
  function moveAt(cell) {
    const landing = (move) => move.cells.at(-1);
    const legal = position.legal.filter((move) => move.cells.length);
    return legal.find((move) => landing(move) === cell)
      ?? (game.drops ? legal.find((move) => landing(move) % game.columns === cell % game.columns) : undefined);
  }

  function point(cell) {
    const move = cell === null ? undefined : moveAt(cell);
    drawing.ghost(move ? move.cells.at(-1) : null, side);
    return move;
  }

  function press(cell) {
    const move = moveAt(cell);
    attempt(null);
    if (!move) return;
    point(cell);
    play(move.move);
  }

  function attempt(move) {
    tried = move;
    confirm.hidden = !move;
    if (move) confirm.firstChild.textContent = `Play ${move.move}`;
    drawing.ghost(move ? move.cells.at(-1) : null, side, true);
  }

  function tap(event) {
    const cell = grid.at(event);
    if (cell === null) return;
    const size = event.target.getBoundingClientRect().width;
    const move = moveAt(cell);
    if (pointer === 'mouse' || size >= SMALL || (tried && move === tried)) press(cell);
    else attempt(move ?? null);
  }

  const grid = cellGrid({
    rows: game.rows, columns: game.columns, turned: game.look.turned && side === -1,
    title: `Board, ${game.rows} rows and ${game.columns} columns`,
    press, enter: (cell) => tried || point(cell),
  });
  const confirm = el('div', { class: 'confirm', hidden: true },
    button('Play', () => tried && press(tried.cells.at(-1)), { class: 'primary' }),
    button('Cancel', () => attempt(null)));

  const root = drawing.root;
  root.append(grid.node);
  root.addEventListener('pointerdown', (event) => { pointer = event.pointerType; });
  root.addEventListener('pointermove', (event) => event.pointerType === 'mouse' && position && point(grid.at(event)));
  root.addEventListener('pointerleave', () => tried || drawing.ghost(null));
  root.addEventListener('click', tap);

  return {
    node: el('div', { class: 'board' }, root, confirm),
    ratio: drawing.ratio,
    show(next) {
      position = next;
      attempt(null);
      drawing.show(next);
      root.classList.toggle('playable', next.legal.length > 0);
      const legal = new Set(next.legal.map((move) => move.cells.at(-1)));
      grid.name((cell) => described(game, next, cell, game.look.dot && legal.has(cell)));
    },
    remove() {},
  };
}

function described(game, position, cell, legal) {
  const words = [cellName(game, cell), pieceName(game, position.cells[cell])];
  if (position.last.includes(cell)) words.push('last move');
  if (position.score?.dead.includes(cell)) words.push('dead');
  if (legal) words.push('can be played');
  return words.join(', ');
}

/** What is drawn, without what can be done. */
class Drawing {
  constructor(game) {
    this.game = game;
    this.look = game.look;
    this.pieces = new Map(); // the drawn piece of each cell
    this.layers = Object.fromEntries(
      ['below', 'pieces', 'face', 'marks', 'ghosts'].map((name) => [name, svg('g', { class: `layer-${name}` })]));
    const [left, top, bottom] = [!this.look.numbered, !this.look.upward, this.look.upward].map((named) => (named ? NAMED : BARE));
    const [width, height] = [left + game.columns + BARE, top + game.rows + bottom];
    this.ratio = width / height;
    this.root = svg('svg', { class: `svg-board ${this.look.lines || this.look.hole ? '' : 'framed'}`, viewBox: `${-left} ${-top} ${width} ${height}` },
      svg('rect', { class: 'frame', x: -left, y: -top, width, height }), Object.values(this.layers));
    this.root.style.setProperty('--field', this.look.fields[0]);
    this.ground();
    this.coordinates();
  }

  centre(cell) {
    return [(cell % this.game.columns) + 0.5, Math.floor(cell / this.game.columns) + 0.5];
  }

  disc(cell, radius, props) {
    const [cx, cy] = this.centre(cell);
    return svg('circle', { cx, cy, r: radius, ...props });
  }

  ground() {
    if (this.look.lines) this.lines();
    else if (this.look.hole) this.holes();
    else this.fields();
  }

  lines() {
    const { rows, columns } = this.game;
    const across = Array.from({ length: rows }, (_, y) => `M.5 ${y + 0.5}H${columns - 0.5}`);
    const down = Array.from({ length: columns }, (_, x) => `M${x + 0.5} .5V${rows - 0.5}`);
    this.layers.below.append(
      svg('path', { d: [...across, ...down].join(''), stroke: this.look.lines, 'stroke-width': 0.035, 'stroke-linecap': 'square', fill: 'none' }),
      ...this.look.stars.map((cell) => this.disc(cell, 0.1, { fill: this.look.lines })));
  }

  /** A face with holes: pieces are seen through it, and drop behind it. */
  holes() {
    const { rows, columns } = this.game;
    const hole = (_, cell) => {
      const [x, y] = this.centre(cell);
      return `M${x - 0.41} ${y}a.41 .41 0 1 0 .82 0a.41 .41 0 1 0 -.82 0z`;
    };
    const holes = Array.from({ length: rows * columns }, hole).join('');
    this.layers.below.append(svg('rect', { width: columns, height: rows, fill: this.look.hole }));
    this.layers.face.append(svg('path', { d: `M-.1 -.1H${columns + 0.1}V${rows + 0.1}H-.1z${holes}`, 'fill-rule': 'evenodd', fill: this.look.fields[0] }));
  }

  fields() {
    const { rows, columns } = this.game;
    for (let cell = 0; cell < rows * columns; cell += 1) {
      const [x, y] = this.centre(cell);
      const fill = this.look.fields[(Math.floor(cell / columns) + cell) % 2];
      this.layers.below.append(svg('rect', { class: 'square', x: x - 0.5, y: y - 0.5, width: 1, height: 1, fill }));
    }
  }

  coordinates() {
    const { rows, columns } = this.game;
    const ink = dark(this.look.fields[0]) ? '#fff' : '#000';
    const text = (x, y, name) => svg('text', { x, y, fill: ink }, name);
    const half = NAMED / 2;
    const labels = [];
    for (let x = 0; x < columns; x += 1) {
      labels.push(text(x + 0.5, this.look.upward ? rows + half : -half, columnName(this.game, x)));
    }
    for (let y = 0; y < rows && !this.look.numbered; y += 1) {
      labels.push(text(-half, y + 0.5, rowName(this.game, y)));
    }
    this.root.append(svg('g', { class: rows > 13 ? 'coordinates dense' : 'coordinates', 'aria-hidden': true }, labels));
  }

  /** Draw a position; a piece that stays is left alone, so that only what is new moves. */
  show(position) {
    position.cells.forEach((piece, cell) => this.put(cell, piece));
    const dead = new Set(position.score?.dead ?? []);
    for (const [cell, drawn] of this.pieces) drawn.classList.toggle('dead', dead.has(cell));
    this.layers.marks.replaceChildren(...this.marks(position));
    this.ghost(null);
  }

  put(cell, piece) {
    let drawn = this.pieces.get(cell);
    if (!piece) {
      drawn?.remove();
      this.pieces.delete(cell);
      return;
    }
    if (!drawn) {
      drawn = this.disc(cell, this.look.lines ? 0.48 : 0.42, { class: this.look.hole ? 'piece drops' : 'piece' });
      drawn.style.setProperty('--fall', `${-1 - Math.floor(cell / this.game.columns)}px`);
      this.pieces.set(cell, drawn);
      this.layers.pieces.append(drawn);
    }
    drawn.style.fill = this.colour(piece);
  }

  colour(piece) {
    return this.look.discs[piece > 0 ? 0 : 1];
  }

  marks({ cells, legal, last, line, score, hint }) {
    const marks = [];
    if (score) marks.push(...this.areas(score, cells));
    if (this.look.dot) {
      marks.push(...legal.filter((move) => move.cells.length)
        .map((move) => this.disc(move.cells.at(-1), this.look.hole ? 0.1 : 0.13, { fill: this.look.dot })));
    }
    for (const cell of line) marks.push(this.disc(cell, 0.32, { class: 'winning', stroke: this.look.mark }));
    if (!line.length && last.length) marks.push(this.disc(last.at(-1), 0.15, { class: 'last', fill: this.look.mark }));
    if (hint?.cells.length) marks.push(this.disc(hint.cells.at(-1), 0.4, { class: 'hint' }));
    return marks;
  }

  areas({ owners, dead }, cells) {
    const marks = [];
    const killed = new Set(dead);
    owners.forEach((owner, cell) => {
      if (!owner || (cells[cell] && !killed.has(cell))) return;
      const [x, y] = this.centre(cell);
      marks.push(svg('rect', { class: 'area', x: x - 0.17, y: y - 0.17, width: 0.34, height: 0.34, fill: this.colour(owner) }));
    });
    return marks;
  }

  /** Show where a piece of a side would land; with a cross through it where a finger hides it. */
  ghost(cell, side = 1, cross = false) {
    this.layers.ghosts.replaceChildren();
    if (cell === null || cell === undefined) return;
    const [x, y] = this.centre(cell);
    const { rows, columns } = this.game;
    if (cross) this.layers.ghosts.append(svg('path', { class: 'cross', d: `M0 ${y}H${columns}M${x} 0V${rows}` }));
    this.layers.ghosts.append(this.disc(cell, this.look.lines ? 0.48 : 0.42, { class: 'ghost', fill: this.colour(side) }));
  }
}

/** Tell whether white text reads better than black on a colour, #rrggbb. */
function dark(colour) {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  return 0.299 * red + 0.587 * green + 0.114 * blue < 128;
}

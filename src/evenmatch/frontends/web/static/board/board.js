/** The board that a game's look asks for. */

import { svgBoard } from './svg-board.js';

/**
 * A board on the page.
 * @typedef {Object} Board
 * @property {HTMLElement} node
 * @property {number} ratio width by height
 * @property {function(Position): void} show draw a position
 * @property {function(): void} remove let go of what it listens to
 *
 * What a board draws: fields of the server's state, those of an earlier position left empty.
 * @typedef {{cells: number[], legal: Object[], last: number[], line: number[], turn: number,
 *   side: number, check: number|null, score: Object|null, hint: Object|null}} Position
 */

/**
 * Make the board of a game; what only some games need is loaded only for them.
 * @param {Object} game from the start data
 * @param {number} side the person's, 1 or -1
 * @param {{play: function(string): void}} hooks
 * @returns {Promise<Board>}
 */
export async function boardFor(game, side, hooks) {
  if (!game.look.figures) return svgBoard(game, side, hooks);
  const { chessBoard } = await import('./chess-board.js');
  return chessBoard(game, side, hooks);
}

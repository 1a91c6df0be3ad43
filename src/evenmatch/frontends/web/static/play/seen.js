/** The positions of a game that this page has seen, by ply. */

export class Seen {
  /** @param {Object} game from the start data */
  constructor(game) {
    this.game = game;
    this.moves = [];
    this.cells = []; // by ply; holes where nothing was seen
  }

  /** Take in a state. Positions after a move that was taken back are forgotten. */
  add(state) {
    const texts = state.moves.map((move) => move.text);
    const differs = texts.findIndex((text, k) => text !== this.moves[k]);
    const kept = differs < 0 ? texts.length : differs;
    this.cells.length = Math.min(this.cells.length, kept + 1);
    this.moves = texts;
    state.boards?.forEach((cells, ply) => { this.cells[ply] = cells; });
    this.cells[texts.length] = state.cells;
  }

  /** Tell whether the position after that many plies was seen. */
  has(ply) {
    return this.cells[ply] !== undefined;
  }

  /**
   * Return a position as a board draws it.
   * @param {number} ply
   * @param {Object} state the latest
   * @returns {import('../board/board.js').Position}
   */
  position(ply, state) {
    return {
      cells: this.cells[ply], last: this.changed(ply), turn: state.moves[ply]?.side ?? state.turn, side: state.side,
      legal: [], line: [], check: null, score: null, hint: null,
    };
  }

  /** Return the cells by which a position differs from the one before: where the move was. */
  changed(ply) {
    const now = this.cells[ply];
    const before = this.cells[ply - 1];
    if (!before) return [];
    const differs = (cell) => (this.game.look.figures ? now[cell] !== before[cell] : now[cell] && !before[cell]);
    return [...now.keys()].filter(differs);
  }
}

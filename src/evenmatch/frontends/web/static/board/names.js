/** What the cells and pieces of a game are called. */

const KINDS = ['pawn', 'knight', 'bishop', 'rook', 'queen', 'king'];

/** Return the name of a column: a letter, or a number where the game counts them. */
export function columnName({ look }, column) {
  return look.numbered ? String(column + 1) : look.columns[column];
}

/** Return the name of a row: a number, counted from where the game counts. */
export function rowName({ look, rows }, row) {
  return String(look.upward ? rows - row : row + 1);
}

/** Return the name of a cell: "e4", or "column 3, row 6" where rows have no names. */
export function cellName(game, cell) {
  const column = columnName(game, cell % game.columns);
  const row = rowName(game, Math.floor(cell / game.columns));
  return game.look.numbered ? `column ${column}, row ${row}` : `${column}${row}`;
}

/** Return the name of what is on a cell: "white knight", "red", "empty". */
export function pieceName(game, piece) {
  if (!piece) return 'empty';
  const owner = game.players[piece > 0 ? 0 : 1].toLowerCase();
  return game.look.figures ? `${owner} ${KINDS[Math.abs(piece) - 1]}` : owner;
}

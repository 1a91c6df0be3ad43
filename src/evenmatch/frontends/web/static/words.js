/** Texts shown in more than one place. */

export const NO_SCALE = 'evenmatch cannot estimate a level at this game.';

/** Begin a text with a capital. */
export function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Make a sentence of a text; nothing stays nothing. */
export function sentence(text) {
  return !text || /[.!?…]$/.test(text) ? capital(text) : `${capital(text)}.`;
}

/** Say how a game stands, from -1 to 1 for you. */
export function evenness(value) {
  const size = Math.abs(value);
  if (size < 0.2) return 'Even';
  const who = value > 0 ? 'You are' : 'Your opponent is';
  return `${who} ${size <= 0.5 ? 'a little ahead' : size <= 0.85 ? 'ahead' : 'winning'}`;
}

/** Say how many of something there are. */
export function count(number, one, many = `${one}s`) {
  return `${number} ${number === 1 ? one : many}`;
}

/** Say a result for you: 1, 0 or -1. */
export function outcome(result) {
  return { '1': 'Won', '0': 'Drawn', '-1': 'Lost' }[result];
}

/** Say a share from 0 to 1 in whole percent; little is never said to be nothing. */
export function percent(share) {
  return share > 0 && share < 0.005 ? 'under 1%' : `${Math.round(100 * share)}%`;
}

/** Say a day, from seconds since 1970. */
export function day(seconds) {
  return new Date(1000 * seconds).toLocaleDateString(undefined, { year: 'numeric', month: 'short', day: 'numeric' });
}

/** Say what is known of a day: 2022-03-14, 2022-03, 2022, or nothing. */
export function date(known) {
  if (!known) return '';
  const parts = known.split('-').length;
  const wanted = { year: 'numeric', ...(parts > 1 && { month: 'short' }), ...(parts > 2 && { day: 'numeric' }), timeZone: 'UTC' };
  return new Date(known).toLocaleDateString(undefined, wanted);
}

/** Say how long ago something was, from seconds since 1970. */
export function ago(seconds) {
  const minutes = Math.round((Date.now() / 1000 - seconds) / 60);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${count(minutes, 'minute')} ago`;
  if (minutes < 60 * 24) return `${count(Math.round(minutes / 60), 'hour')} ago`;
  return day(seconds);
}

/** Say a side of a game: "White". */
export function player(game, side) {
  return game.players[side === 1 ? 0 : 1];
}

/** Say how far a game has come; the server counts moves as the game does. */
export function progress(moves) {
  return count(moves, 'move');
}

/** Say a level with its interval. */
export function levelText(level) {
  return level.text;
}

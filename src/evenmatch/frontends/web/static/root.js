/** The path below which a proxy shows the page; empty without one. */

export const ROOT = new URL('..', import.meta.url).pathname.replace(/\/$/, '');

/** Return the present address without that path. */
export function here() {
  return location.pathname.slice(ROOT.length) || '/';
}

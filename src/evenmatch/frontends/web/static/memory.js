/** What the browser remembers between visits; it may refuse to. */

/**
 * Return what was remembered under a key.
 * @param {string} key
 * @param {*} otherwise where nothing is
 */
export function recall(key, otherwise = null) {
  try {
    const text = localStorage.getItem(key);
    return text === null ? otherwise : JSON.parse(text);
  } catch {
    return otherwise;
  }
}

/**
 * Remember a value that JSON can hold.
 * @param {string} key
 * @param {*} value
 */
export function remember(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // A private window or a full store: it is forgotten with this page.
  }
}

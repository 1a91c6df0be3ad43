/** Requests to the server. Each resolves to the answer's JSON or throws an Error with a clear line. */

import { ROOT } from './root.js';
import { sentence } from './words.js';

/** The header by which the server knows that this page asked, not another site's. */
const OURS = { 'X-Evenmatch': '1' };
const UNKNOWN = 401; // the server does not know this browser, or no longer
let introduce = null; // makes it known

/** An answer that is no success: its line, and its status. */
export class Refused extends Error {
  constructor(line, status) {
    super(line);
    this.status = status;
  }
}

/**
 * Say what makes this browser known to a server that forgot it.
 * @param {function(): Promise<void>} how
 */
export function whenUnknown(how) {
  introduce = how;
}

/** What a view needs first; who asks for it is known from then on. */
export const START = '/api/start';

/** Get JSON. */
export function get(path) {
  return request(path, { headers: OURS });
}

/** Send JSON and get JSON. */
export function post(path, body = {}) {
  return request(path, { method: 'POST', headers: { ...OURS, 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
}

/** Delete something; some things want a body that confirms it. */
export function remove(path, body = {}) {
  return request(path, { method: 'DELETE', headers: { ...OURS, 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
}

/**
 * Send a file's bytes as they are.
 * @param {string} path
 * @param {File} file
 * @param {Object<string, string>} query what else the server is to know
 */
export function upload(path, file, query = {}) {
  const search = new URLSearchParams({ ...query, name: file.name });
  return request(`${path}?${search}`, { method: 'POST', headers: { ...OURS, 'Content-Type': 'application/octet-stream' }, body: file });
}

/** Ask for something, once more if the server got to know this browser only then. */
async function request(path, options) {
  try {
    return await requestOnce(path, options);
  } catch (error) {
    if (error.status !== UNKNOWN || path === START) throw error;
  }
  await introduce();
  return requestOnce(path, options);
}

async function requestOnce(path, options) {
  let response;
  try {
    response = await fetch(ROOT + path, { ...options, credentials: 'same-origin' });
  } catch {
    throw new Error('The server does not answer. Check your connection and try again.');
  }
  const answer = await response.json().catch(() => null);
  if (response.ok && answer) return answer;
  throw new Refused(answer?.error ? sentence(answer.error) : `The server answered ${response.status}. Try again in a minute.`, response.status);
}

/** The connection to a table: it comes back by itself, and notices when it is dead. */

import { ROOT } from './root.js';
import { sentence } from './words.js';

const FIRST_WAIT = 500; // ms before the first try to reconnect; doubles with each
const LONGEST_WAIT = 15_000;
const QUIET = 25_000; // ms without a word after which the connection is looked at
const PATIENCE = 6_000; // ms to wait for any word then
const TOO_LONG = 1009; // why the server closes it: a message was too long
/** A request with an old number does nothing; the server answers it with the state. */
const LOOK = { do: 'look', seq: -1 };

/** The WebSocket of one table. */
export class TableSocket {
  /**
   * @param {number} id the table's
   * @param {Object} hooks
   * @param {function(Object)} hooks.state a new state came
   * @param {function(string)} hooks.refused a request was refused, and why
   * @param {function(boolean)} hooks.connected the connection came or went
   */
  constructor(id, hooks) {
    this.url = `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}${ROOT}/api/tables/${id}/socket`;
    this.hooks = hooks;
    this.wait = FIRST_WAIT;
    this.looking = 0;
    this.listeners = new AbortController();
    const signal = { signal: this.listeners.signal };
    document.addEventListener('visibilitychange', () => document.hidden || this.check(), signal);
    window.addEventListener('online', () => this.check(), signal);
    window.addEventListener('pageshow', (event) => event.persisted && this.check(), signal);
    window.addEventListener('offline', () => this.drop(), signal);
    this.open();
  }

  /**
   * Ask for something, numbered by the latest state.
   * @returns {boolean} whether it could be sent
   */
  send(what, more = {}) {
    if (this.socket?.readyState !== WebSocket.OPEN || this.seq === null) return false;
    this.socket.send(JSON.stringify({ do: what, ...more, seq: this.seq }));
    this.expect();
    return true;
  }

  /** Close it for good. */
  close() {
    this.listeners.abort();
    this.forget();
  }

  /** See at once whether the connection lives; open it where it does not. */
  check() {
    if (this.socket?.readyState === WebSocket.CONNECTING) return;
    if (this.socket?.readyState !== WebSocket.OPEN) {
      this.open();
      return;
    }
    this.looking += 1;
    this.socket.send(JSON.stringify(LOOK));
    this.expect();
  }

  open() {
    this.forget();
    this.seq = null;
    this.looking = 0;
    this.socket = new WebSocket(this.url);
    this.socket.onmessage = (event) => this.heard(JSON.parse(event.data));
    this.socket.onclose = (event) => this.closed(event.code);
    this.expect(LONGEST_WAIT);
  }

  /** Let go of the present connection without a word to anyone. */
  forget() {
    clearTimeout(this.timer);
    if (!this.socket) return;
    this.socket.onmessage = this.socket.onclose = null;
    this.socket.close();
    this.socket = null;
  }

  /** The server closed the connection. */
  closed(code) {
    if (code === TOO_LONG) this.hooks.refused('The connection was closed, as what you sent is too long.');
    this.drop();
  }

  /** Take the connection for dead and try again after a while. */
  drop() {
    this.forget();
    this.hooks.connected(false);
    const jitter = 0.75 + Math.random() / 2;
    this.timer = setTimeout(() => this.open(), this.wait * jitter);
    this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
  }

  /** Take the connection for dead unless a word comes in time. */
  expect(patience = PATIENCE) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.drop(), patience);
  }

  heard(message) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.check(), QUIET);
    if (message.type === 'state') this.heardState(message);
    else if (message.type === 'refused') this.heardRefusal(message);
  }

  heardState(state) {
    this.wait = FIRST_WAIT; // a mere refusal may come with each try
    this.looking = 0;
    if (this.seq !== null && state.seq < this.seq) return; // overtaken by a later one
    const first = this.seq === null;
    this.seq = state.seq;
    if (first) this.hooks.connected(true);
    this.hooks.state(state);
  }

  heardRefusal(message) {
    if (this.looking) this.looking -= 1; // our own look, not a person's request
    else this.hooks.refused(sentence(message.error));
  }
}

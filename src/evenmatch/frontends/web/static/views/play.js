/** A game: the board, and beside it everything that goes with it. */

import { get, post } from '../api.js';
import { boardFor } from '../board/board.js';
import { el, moving, say } from '../dom.js';
import { actions } from '../play/actions.js';
import { clocks } from '../play/clocks.js';
import { endingPart } from '../play/ending.js';
import { moveEntry } from '../play/entry.js';
import { evennessBar } from '../play/evenness.js';
import { levelPart } from '../play/level.js';
import { moveList } from '../play/move-list.js';
import { playerLines } from '../play/players.js';
import { scorePart } from '../play/score.js';
import { Seen } from '../play/seen.js';
import { news, status } from '../play/told.js';
import { TableSocket } from '../socket.js';
import { sentence } from '../words.js';

/** @returns {Promise<import('../app.js').View>} */
export async function playView(app, id) {
  const state = await get(`/api/tables/${id}`);
  const table = new Table(app, Number(id), state);
  await table.build(state);
  return { title: `${app.game(state.game).title} with ${state.opponent.title}`, node: table.node, leave: () => table.leave() };
}

/** One table on the page: it takes in states and hands them to its parts. */
class Table {
  constructor(app, id, state) {
    this.app = app;
    this.id = id;
    this.game = app.game(state.game);
    this.state = null;
    this.connected = true;
    this.waiting = false; // whether an answer to what was asked is still to come
    this.seen = new Seen(this.game);
    this.ply = 0; // of the position on the board
  }

  async build(state) {
    const hooks = { play: (move) => this.ask('move', { move }), ask: (what) => this.ask(what), refuse: (text) => this.refused(text),
      rematch: () => this.rematch(), look: (ply) => this.look(ply), lookUp: (ply) => this.lookUp(ply), seen: this.seen };
    this.board = await boardFor(this.game, state.side, hooks);
    this.clocks = clocks();
    this.players = playerLines(this.game, state.side, this.app.start.you.guest ? 'You' : this.app.start.you.name, this.clocks.nodes);
    this.status = el('p', { class: 'status' });
    this.alarm = el('p', { class: 'alarm', hidden: true });
    this.note = el('p', { class: 'note', hidden: true });
    this.problem = el('p', { class: 'problem', hidden: true });
    this.moves = moveList(this.game, hooks);
    this.parts = [this.players, this.clocks, evennessBar(), scorePart(this.game, hooks), endingPart(this.game, this.id, hooks),
      moveEntry(hooks), actions(this.game, this.id, hooks), levelPart()];
    this.node = this.layout(state);
    this.take(state);
    if (state.live) this.socket = this.connect(); // of another nothing more can come
  }

  connect() {
    return new TableSocket(this.id, {
      state: (next) => this.take(next),
      refused: (error) => this.refused(error),
      connected: (yes) => this.connection(yes),
    });
  }

  layout(state) {
    const [, , even, score, ending, entry, buttons, level] = this.parts;
    const place = el('section', { class: 'place', 'aria-label': 'Board' }, this.players.theirs, this.board.node, this.players.mine);
    const panel = el('div', { class: 'panel' },
      el('div', { class: 'said' }, this.status, this.alarm, this.note, this.problem),
      buttons.after, score.node, ending.node, even.node, entry.node, buttons.playing, this.moves.node, buttons.download, level.node,
      el('p', { class: 'help' }, sentence(state.opponent.note)));
    const node = el('div', { class: 'table' },
      el('h1', { class: 'unseen' }, `${this.game.title} with ${state.opponent.title}`), place, panel);
    node.style.setProperty('--ratio', this.board.ratio);
    return node;
  }

  /** Take in a state and show it. */
  take(state) {
    const before = this.state;
    this.state = state;
    this.waiting = false;
    this.seen.add(state);
    this.ply = state.moves.length;
    for (const part of this.parts) part.show?.(state);
    this.draw();
    const told = news(before, state);
    if (told) this.app.tell(told);
    if (before?.moves.length !== state.moves.length) say(this.problem, '');
  }

  /** Draw what depends on which position is looked at, or on the connection. */
  draw() {
    const { state } = this;
    const latest = this.ply === state.moves.length;
    for (const part of this.parts) part.free?.(!this.waiting);
    this.board.show(latest ? { ...state, legal: this.connected && !this.waiting ? state.legal : [] } : this.seen.position(this.ply, state));
    this.moves.show(state, this.ply);
    say(this.status, latest ? status(state, this.connected, this.waiting) : 'An earlier position');
    this.status.classList.toggle('yours', latest && state.yours && this.connected && !this.waiting);
    say(this.alarm, state.alarm && !state.over ? sentence(state.alarm) : '');
    say(this.note, [sentence(state.note), state.hint && `Hint: ${state.hint.move}.`].filter(Boolean).join(' '));
  }

  /** Look at the position after that many plies, if it was seen. */
  look(ply) {
    if (!this.seen.has(ply)) return;
    this.ply = ply;
    this.draw();
    this.app.tell(ply === this.state.moves.length ? 'The latest position.' : `Position after ${this.state.moves[ply - 1]?.text ?? 'no move'}.`);
  }

  /** Look at a position from where the board may be out of sight; the move that led to it is marked there. */
  async lookUp(ply) {
    try {
      if (!this.seen.has(ply - 1) || !this.seen.has(ply)) this.seen.add(await get(`/api/tables/${this.id}`));
    } catch (error) {
      this.refused(error.message);
      return;
    }
    this.look(ply);
    this.board.node.scrollIntoView({ block: 'nearest', behavior: moving() ? 'smooth' : 'auto' });
  }

  /** Ask the server for something, one thing at a time. */
  ask(what, more) {
    if (this.waiting) return;
    say(this.problem, '');
    if (this.socket?.send(what, more)) {
      this.waiting = true;
      this.draw();
      return;
    }
    this.refused('Not connected. Wait a moment and try again.');
    this.socket?.check();
  }

  /** Play again, with the sides swapped. */
  async rematch() {
    try {
      const { id } = await post(`/api/tables/${this.id}/rematch`);
      await this.app.go(`/play/${id}`);
    } catch (error) {
      this.refused(error.message);
    }
  }

  refused(error) {
    this.waiting = false;
    say(this.problem, error);
    this.app.tell(error);
    this.draw();
  }

  connection(yes) {
    if (!yes && !this.connected) this.stopIfGone(); // it did not come back
    if (this.connected === yes) return;
    this.connected = yes;
    this.waiting = false;
    this.draw();
    if (!this.state.over) this.app.tell(yes ? 'Connected again.' : 'The connection was lost. Reconnecting.');
  }

  /**
   * Show the end of a game that ended meanwhile, and stop where nothing more can come. Where the game is deleted, or no
   * longer this browser's, the page says that nothing is here. A socket does not tell why it fails.
   */
  async stopIfGone() {
    try {
      const state = await get(`/api/tables/${this.id}`);
      if (state.over && !this.state.over) this.take(state);
      if (!state.live) this.socket.close();
    } catch (error) {
      if (error.status !== 404) return;
      this.socket.close();
      await this.app.refresh();
    }
  }

  leave() {
    this.socket?.close();
    this.clocks.remove();
    this.board.remove();
  }
}

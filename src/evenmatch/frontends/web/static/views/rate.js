/** Ratings of the players of a file of games, shown while they are worked out. */

import { remove, upload } from '../api.js';
import { button, el, field, say, select } from '../dom.js';
import { intervalBar, rangeOf } from '../graph.js';
import { capital, sentence } from '../words.js';
import { ROOT } from '../root.js';

const HEADS = ['Player', 'Games', 'Moves', 'Level'];

/** @returns {import('../app.js').View} */
export function rateView(app) {
  const games = app.start.games.filter((game) => game.estimated);
  const work = new Work();
  const game = select(games.map((each) => [each.id, each.title]));
  const file = el('input', { type: 'file', accept: '.pgn,.sgf,.json,.zst,.gz,.zip', on: { change: () => begin(file.files[0]) } });
  const drop = el('div', { class: 'drop card', on: { dragover, dragleave, drop: dropped } },
    el('p', {}, el('strong', {}, 'Drop a file here'), ' or choose one.'), field('File of games (PGN or SGF)', file));
  const node = el('div', { class: 'page' },
    el('h1', {}, 'Rate games'),
    el('p', { class: 'lead' }, 'How strong are the players of these games? Each gets a level and its 95% interval.'),
    field('Game', game), drop, work.node);

  function dragover(event) {
    event.preventDefault();
    drop.classList.add('over');
  }

  function dragleave() {
    drop.classList.remove('over');
  }

  function dropped(event) {
    event.preventDefault();
    dragleave();
    begin(event.dataTransfer.files[0]);
  }

  function begin(chosen) {
    if (!chosen) return;
    game.value = likely(games, chosen.name, game.value);
    work.begin(chosen, game.value);
  }

  return { title: 'Rate games', node, leave: () => work.stop() };
}

/** Return the game whose files are named like this one; the chosen one if that may be it. */
function likely(games, name, chosen) {
  const notation = name.toLowerCase().match(/\.(pgn|sgf)\b/)?.[1];
  const fits = games.filter((game) => game.notation === notation).map((game) => game.id);
  return !fits.length || fits.includes(chosen) ? chosen : fits[0];
}

/** One file's ratings, from its upload to the last row. */
class Work {
  constructor() {
    this.rows = new Map(); // the latest row of each player on each scale
    this.bar = el('progress', { 'aria-label': 'Progress' });
    this.doing = el('p', { role: 'status' });
    this.cancel = button('Cancel', () => this.stop('Cancelled.'));
    this.problem = el('p', { class: 'problem', role: 'alert', hidden: true });
    this.body = el('tbody');
    this.table = el('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'Ratings', hidden: true }, el('table', {},
      el('thead', {}, el('tr', {}, HEADS.map((head) => el('th', { scope: 'col' }, head)))), this.body));
    this.head = el('div', { class: 'row', hidden: true }, this.bar, this.doing, this.cancel);
    this.node = el('section', { class: 'work', 'aria-label': 'Ratings' }, this.head, this.problem, this.table);
  }

  async begin(file, game) {
    this.stop();
    this.rows.clear();
    this.draw();
    say(this.problem, '');
    this.working(true);
    this.say('Sending the file…');
    const turn = (this.turn = Symbol(file.name)); // a later file, or a cancel, makes this one stale
    try {
      const { id } = await upload('/api/ratings', file, { game });
      if (turn === this.turn) this.listen(id);
      else remove(`/api/ratings/${id}`).catch(() => {});
    } catch (error) {
      if (turn === this.turn) this.failed(error.message);
    }
  }

  listen(id) {
    this.id = id;
    this.events = new EventSource(`${ROOT}/api/ratings/${id}/events`);
    const on = (name, hear) => this.events.addEventListener(name, (event) => hear(JSON.parse(event.data)));
    on('progress', ({ done, due, text }) => this.progress(done, due, text));
    on('row', (row) => {
      this.rows.set(JSON.stringify([row.player, row.scale]), row);
      this.draw();
    });
    on('problem', ({ error }) => this.failed(sentence(error)));
    on('end', ({ text }) => {
      this.close();
      this.say(text);
    });
    this.events.onerror = () => this.events?.readyState === EventSource.CLOSED && this.failed('The connection was lost. Choose the file again.');
  }

  progress(done, due, text) {
    this.bar.max = due;
    this.bar.value = done;
    this.say(`${capital(text)}: ${done} of ${due}`);
  }

  /** Stop the work, if there is any, and say so. */
  stop(text = '') {
    if (this.id) remove(`/api/ratings/${this.id}`).catch(() => {}); // it ends by itself otherwise
    this.close();
    this.say(text);
  }

  failed(error) {
    this.close();
    this.say('');
    say(this.problem, error);
  }

  close() {
    this.events?.close();
    this.events = this.id = this.turn = null;
    this.working(false);
  }

  working(yes) {
    this.bar.hidden = this.cancel.hidden = !yes;
    this.bar.removeAttribute('value');
    this.head.hidden = false;
  }

  say(text) {
    this.doing.textContent = text;
  }

  draw() {
    const rows = [...this.rows.values()].sort((a, b) => b.rating - a.rating);
    this.table.hidden = !rows.length;
    const range = rows.length ? rangeOf(rows) : null;
    this.body.replaceChildren(...rows.map((row) => el('tr', {}, el('th', { scope: 'row' }, row.player),
      [row.games, row.moves].map((number) => el('td', {}, number)),
      el('td', { class: 'drawn', title: row.scale }, el('strong', {}, row.shown), ' ',
        el('span', { class: 'help' }, `${row.from} to ${row.to}`), intervalBar(row, range)))));
  }
}

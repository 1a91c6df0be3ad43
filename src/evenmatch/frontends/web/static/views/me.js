/** What is known of you: levels, scores, games; and what you can do with it. */

import { get, remove, upload } from '../api.js';
import { button, el, field, say, select } from '../dom.js';
import { historyGraph, levelFigure } from '../graph.js';
import { NO_SCALE, ago, capital, date, outcome, progress } from '../words.js';
import { openPeople } from './people.js';

const PAGE = 30; // finished games that the server gives at a time
const FIRST_WAIT = 1000; // milliseconds until the levels are asked for again, twice as long each time
const LONGEST_WAIT = 10_000; // so that looks at reviews are left, of the ten a minute
const TOO_OFTEN = 429;

/** @returns {Promise<import('../app.js').View>} */
export async function meView(app) {
  const me = await get('/api/me');
  const levels = levelsPart(me);
  const node = el('div', { class: 'page' },
    el('h1', {}, me.guest && !app.start.only ? 'You' : me.name),
    me.guest && !app.start.only && guest(app, me),
    levels.node, finishedPart(app, me.finished), importPart(app), exportPart(me.exports), deletePart(app, me));
  return { title: 'You', node, leave: levels.leave };
}

/** The levels as they are known, which asks again until all games are judged. */
function levelsPart(first) {
  const judging = el('p', { class: 'help', role: 'status' });
  const problem = el('p', { class: 'problem', role: 'alert', hidden: true });
  const games = el('div', { class: 'levels' });
  let asked = 0;
  let timer = null;
  let gone = false;

  function show(me) {
    const count = me.judging === 1 ? '1 game is' : `${me.judging} games are`;
    say(judging, me.judging ? `${count} still being judged. The levels here follow.` : '');
    games.replaceChildren(...(me.games.length ? me.games.map(gamePart) : [el('p', { class: 'lead' }, 'Play a game to its end, and your level stands here.')]));
    if (me.waiting) later();
  }

  function later() {
    if (!gone) timer = setTimeout(again, Math.min(FIRST_WAIT * 2 ** asked++, LONGEST_WAIT));
  }

  async function again() {
    try {
      show(await get('/api/me'));
    } catch (error) {
      if (error.status === TOO_OFTEN) later();
      else say(problem, error.message);
    }
  }

  function leave() {
    gone = true;
    clearTimeout(timer);
  }

  show(first);
  return { node: el('section', { 'aria-label': 'Levels' }, judging, problem, games), leave };
}

function guest(app, me) {
  return el('p', { class: 'card row spread' }, el('span', {}, `You are ${me.name} on this browser only.`),
    button('Keep my games', () => openPeople(app), { class: 'primary' }));
}

function gamePart({ id, title, scale, level, no_level_yet: noLevelYet, hint, history, scores, parts }) {
  return el('section', { class: 'card', 'aria-labelledby': `level-${id}` }, el('h2', { id: `level-${id}` }, title),
    level ? levelFigure(level) : el('p', { class: 'help' }, scale ? noLevelYet || 'There is no level yet.' : NO_SCALE),
    hint && el('p', { class: 'help' }, `${hint}: choose a level for it.`),
    history.length > 1 && historyGraph(history, title),
    parts && el('p', {}, parts),
    scores.length > 0 && scoreTable(scores));
}

function scoreTable(scores) {
  const heads = ['Against', 'Games', 'Won', 'Drawn', 'Lost'];
  return el('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'Scores' }, el('table', {},
    el('thead', {}, el('tr', {}, heads.map((head) => el('th', { scope: 'col' }, head)))),
    el('tbody', {}, scores.map((score) => el('tr', {}, el('th', { scope: 'row' }, score.against),
      [score.games, score.won, score.drawn, score.lost].map((number) => el('td', {}, number)))))));
}

function finishedPart(app, finished) {
  if (!finished.length) return null;
  const list = el('ul', { class: 'finished' }, finished.map((table) => finishedItem(app, table)));
  const problem = el('p', { class: 'problem', role: 'alert', hidden: true });
  const more = button('Show more', showMore);
  let last = finished.at(-1).id;
  more.hidden = finished.length < PAGE;

  async function showMore() {
    say(problem, '');
    try {
      const { tables } = await get(`/api/tables?before=${last}`);
      list.append(...tables.map((table) => finishedItem(app, table)));
      last = tables.at(-1)?.id ?? last;
      more.hidden = tables.length < PAGE;
    } catch (error) {
      say(problem, error.message);
    }
  }

  return el('section', { 'aria-labelledby': 'finished' }, el('h2', { id: 'finished' }, 'Finished games'), list, problem, more);
}

function finishedItem(app, table) {
  const game = app.game(table.game);
  const { over } = table;
  return el('li', {}, el('a', { href: `/play/${table.id}` },
    el('span', { class: `outcome ${['lost', 'drawn', 'won'][over.result + 1]}` }, outcome(over.result)),
    el('span', { class: 'finished-what' }, el('strong', {}, `${game?.title ?? table.game} with ${table.opponent}`),
      el('span', { class: 'help' }, capital([over.ending, over.counts === false && 'does not count', progress(table.moves), table.played === null ? ago(table.changed) : date(table.played)].filter(Boolean).join(' · '))))));
}

function importPart(app) {
  const game = select(app.start.games.filter((each) => each.notation).map((each) => [each.id, each.title]));
  const name = el('input', { required: true, autocomplete: 'off' });
  const file = el('input', { type: 'file', required: true, accept: '.pgn,.sgf,.json,.zst,.gz,.zip' });
  const said = el('p', { role: 'status', hidden: true });
  const problem = el('p', { class: 'problem', role: 'alert', hidden: true });
  const send = el('button', { type: 'submit' }, 'Add them');

  async function submit(event) {
    event.preventDefault();
    say(problem, '');
    say(said, 'Reading…');
    send.disabled = true;
    try {
      const { text } = await upload('/api/me/import', file.files[0], { game: game.value, player: name.value.trim() });
      say(said, text);
    } catch (error) {
      say(said, '');
      say(problem, error.message);
    } finally {
      send.disabled = false;
    }
  }

  return el('details', { class: 'card' }, el('summary', {}, 'Add games that you played elsewhere'),
    el('form', { class: 'fields', on: { submit } }, field('Game', game), field('Your name in the file', name), field('File', file), said, problem, send));
}

/** Links to files; a form that would have no game is not offered. */
function exportPart(forms) {
  return el('details', { class: 'card' }, el('summary', {}, 'Download your games'),
    forms.length ? el('div', { class: 'row' }, forms.map(exportLink)) : el('p', {}, 'There is nothing to download yet.'));
}

function exportLink(form) {
  return el('a', { class: 'button', href: `/api/me/export?form=${form}`, download: '' }, form.toUpperCase());
}

function deletePart(app, me) {
  const name = el('input', { autocomplete: 'off', required: true });
  const problem = el('p', { class: 'problem', role: 'alert', hidden: true });

  async function submit(event) {
    event.preventDefault();
    say(problem, '');
    try {
      await remove('/api/me', { name: name.value.trim() });
      app.start = null;
      app.go('/');
    } catch (error) {
      say(problem, error.message);
    }
  }

  return el('details', { class: 'card' }, el('summary', {}, 'Delete everything'),
    el('form', { class: 'fields', on: { submit } },
      el('p', {}, 'Your level, your games, what you said of pairs of games, and your name are deleted. This cannot be undone.'),
      field(`Type ${me.name} to continue`, name), problem, el('button', { type: 'submit', class: 'danger' }, 'Delete everything')));
}

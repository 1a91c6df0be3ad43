/** A new game, and the games to continue. */

import { post, remove } from '../api.js';
import { miniature } from '../board/miniature.js';
import { sure } from '../dialogs.js';
import { button, el, say } from '../dom.js';
import { recall, remember } from '../memory.js';
import { clockPart, conditionsPart, positionPart, sidePart } from '../new/conditions.js';
import { opponentPart } from '../new/opponent.js';
import { ago, progress } from '../words.js';

const KEY = 'game';

/** @returns {import('../app.js').View} */
export function homeView(app) {
  const node = el('div', { class: 'page' },
    el('h1', {}, 'An opponent of your strength'),
    el('p', { class: 'lead' }, 'It finds out how strong you are from your moves, and adjusts.'),
    unfinished(app), newGame(app), pairsLink(app));
  return { title: '', node };
}

function pairsLink(app) {
  if (!app.game(app.start.pairs)) return null;
  return el('p', { class: 'card row spread' }, el('span', {}, 'Two games: one of people, one of a program. Can you tell them apart?'),
    el('a', { class: 'button', href: '/people' }, 'Person or program?'));
}

function unfinished(app) {
  const { tables } = app.start;
  if (!tables.length) return null;
  return el('section', { 'aria-labelledby': 'unfinished' }, el('h2', { id: 'unfinished' }, 'Go on with a game'),
    el('ul', { class: 'tables' }, tables.map((table) => unfinishedItem(app, table))));
}

function unfinishedItem(app, table) {
  const game = app.game(table.game);
  const name = `${game.title} with ${table.opponent}`;
  const node = el('li', { class: 'card table-card' },
    el('a', { href: `/play/${table.id}`, class: 'table-link' }, miniature(game),
      el('span', {}, el('strong', {}, game.title), el('span', { class: 'help' }, `${table.opponent} · ${progress(table.moves)} · ${ago(table.changed)}`))),
    button('Delete', drop, { class: 'quiet small', 'aria-label': `Delete: ${name}` }));

  async function drop() {
    if (!(await sure(`Delete this game? ${name}.`, 'Delete'))) return;
    try {
      await remove(`/api/tables/${table.id}`);
      app.refresh();
    } catch (error) {
      node.append(el('p', { class: 'problem', role: 'alert' }, error.message));
    }
  }

  return node;
}

function newGame(app) {
  const { games } = app.start;
  const remembered = recall(KEY);
  let game = app.game(remembered) ?? games[0];
  let parts = [];
  const problem = el('p', { class: 'problem', role: 'alert', hidden: true });
  const settings = el('div', { class: 'settings' });
  const begin = el('button', { type: 'submit', class: 'primary large' }, 'Play');
  const form = el('form', { class: 'new-game', on: { submit } },
    el('fieldset', { class: 'games' }, el('legend', {}, 'Game'),
      el('div', { class: 'game-cards' }, games.map((each) => gameCard(each, each === game, () => choose(each))))),
    settings, problem, begin);

  function choose(chosen) {
    game = chosen;
    remember(KEY, game.id);
    parts = [opponentPart(game), sidePart(game), clockPart(), conditionsPart(game), positionPart(game)].filter(Boolean);
    settings.replaceChildren(...parts.map((part) => part.node));
    say(problem, '');
  }

  async function submit(event) {
    event.preventDefault();
    say(problem, '');
    begin.disabled = true;
    begin.textContent = 'Starting…';
    try {
      const { id } = await post('/api/tables', { game: game.id, ...Object.assign({}, ...parts.map((part) => part.read())) });
      await app.go(`/play/${id}`);
    } catch (error) {
      say(problem, error.message);
    } finally {
      begin.disabled = false;
      begin.textContent = 'Play';
    }
  }

  choose(game);
  return el('section', { 'aria-labelledby': 'new-game' }, el('h2', { id: 'new-game' }, 'New game'), form);
}

function gameCard(game, checked, choose) {
  return el('label', { class: 'game-card' },
    el('input', { type: 'radio', name: 'game', value: game.id, checked, on: { change: choose } }),
    miniature(game),
    el('span', { class: 'game-title' }, game.title),
    el('span', { class: 'help' }, game.level ? `Level ${game.level.shown}` : `${game.rows} × ${game.columns}`));
}

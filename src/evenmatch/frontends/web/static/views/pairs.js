/** Person or program? Pairs of games: one of people of a rating, one of a program set to it. */

import { get, post } from '../api.js';
import { button, el, say } from '../dom.js';
import { replay } from '../pairs/replay.js';
import { capital, count } from '../words.js';

const NAMES = ['Game A', 'Game B'];
const TITLE = 'Person or program?';

/** @returns {Promise<import('../app.js').View>} */
export async function pairsView(app) {
  const { pair, score } = await get('/api/pair');
  if (!pair) return { title: TITLE, node: finished(score) };
  const games = await replay(app.game(pair.game), pair.games, NAMES, (text) => app.tell(text));
  const line = scoreLine(score);
  const node = el('div', { class: 'page' },
    el('h1', {}, TITLE),
    el('p', { class: 'lead' }, `Two people rated ${pair.ratings} (${pair.scale}) played one of these games. In the other a program set to play like them plays itself. You see the first ${Math.ceil(pair.games[0].moves.length / 2)} moves of both.`),
    games.node, question(app, pair, line), line);
  return { title: TITLE, node, leave: () => games.remove() };
}

function finished(score) {
  return el('div', { class: 'page narrow' }, el('h1', {}, TITLE),
    el('p', { class: 'lead' }, 'You have judged all pairs. Thank you!'), scoreLine(score));
}

function scoreLine(score) {
  return el('p', { class: 'help' }, scoreText(score));
}

function scoreText({ right, judged, left }) {
  const text = judged ? `You were right ${right} of ${count(judged, 'time')}. ` : '';
  return `${text}${count(left, 'pair')} ${left === 1 ? 'is' : 'are'} left.`;
}

/** Ask which game is the program's, then tell. */
function question(app, pair, line) {
  const problem = el('p', { class: 'problem', role: 'alert', hidden: true });
  const send = el('button', { type: 'submit', class: 'primary large' }, 'Answer');
  const form = el('form', { class: 'fields card', on: { submit } },
    choices('Which game is the program’s?', 'said', pair.games.map((game, k) => [game.id, NAMES[k]])),
    choices('How sure are you?', 'sure', pair.sure.map((sure) => [sure, capital(sure)])),
    problem, el('div', { class: 'row' }, send));

  async function submit(event) {
    event.preventDefault();
    say(problem, '');
    send.disabled = true;
    try {
      const asked = new FormData(form);
      show(await post('/api/pair', { id: pair.id, said: asked.get('said'), sure: asked.get('sure') }));
    } catch (error) {
      say(problem, error.message);
      send.disabled = false;
    }
  }

  function show(told) {
    const name = NAMES[pair.games.findIndex((game) => game.id === told.program)];
    const text = `${told.right ? 'Right' : 'Wrong'}: ${name} is the program’s, ${told.player}.`;
    const next = button(told.score.left ? 'Next pair' : 'Finish', () => app.refresh(), { class: 'primary large' });
    form.replaceWith(el('section', { class: 'card fields', 'aria-label': 'The answer' },
      el('p', { class: 'status' }, text), el('div', { class: 'row' }, next)));
    say(line, scoreText(told.score));
    app.tell(text);
    next.focus();
  }

  return form;
}

function choices(legend, name, pairs) {
  return el('fieldset', {}, el('legend', {}, legend), el('div', { class: 'choices' },
    pairs.map(([value, text]) => el('label', { class: 'choice' }, el('input', { type: 'radio', name, value, required: true }), text))));
}

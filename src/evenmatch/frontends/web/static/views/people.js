/** Who is here: make a guest lasting, log in, log out. A dialog, for it has no address of its own. */

import { post } from '../api.js';
import { open } from '../dialogs.js';
import { button, el, field, say } from '../dom.js';

const JOIN = '/api/join';
const ENTER = '/api/enter';
const LEAVE = '/api/leave';
const SHORTEST_PASSPHRASE = 8;

/** Open the dialog; the page shows the present person afterwards. */
export async function openPeople(app) {
  await app.restart().catch(() => {}); // what was known before will do
  const { you } = app.start;
  const done = await open(you.guest ? 'You are a guest' : you.name, (close) => (you.guest ? entering(you, close) : leaving(close)));
  if (!done) return;
  app.start = null;
  await (done === JOIN ? app.refresh() : app.go('/'));
  if (app.start) app.tell(app.start.you.guest ? 'You are a guest now.' : `You are ${app.start.you.name} now.`);
}

function leaving(close) {
  const problem = alarm();
  return [el('p', {}, 'Your games stay here until you log in again.'), problem,
    el('div', { class: 'row end' }, button('Cancel', () => close()),
      button('Log out', () => attempt(problem, LEAVE, {}, close), { class: 'primary' }))];
}

function entering(you, close) {
  const stay = el('input', { type: 'checkbox', required: true });
  const warning = you.played && el('label', { class: 'choice' }, stay, 'Leave the games of this guest behind. They cannot be continued then.');
  return [
    part('join', 'Choose a name', 'With a name and a passphrase your level and games stay yours, on every device.',
      credentials('Keep my games', JOIN, close)),
    part('enter', 'You have a name already', '', credentials('Log in', ENTER, close, warning)),
    el('div', { class: 'row end' }, button('Cancel', () => close())),
  ];
}

function part(id, title, help, form) {
  form.setAttribute('aria-labelledby', `people-${id}`);
  return el('section', { class: 'fields' }, el('h3', { id: `people-${id}` }, title), help && el('p', { class: 'help' }, help), form);
}

function credentials(text, path, close, more = null) {
  const isNew = path === JOIN;
  const name = el('input', { autocomplete: 'username', required: true });
  const passphrase = el('input', { type: 'password', autocomplete: isNew ? 'new-password' : 'current-password', required: true });
  const problem = alarm();
  const help = isNew ? `At least ${SHORTEST_PASSPHRASE} characters. It cannot be sent to you if you forget it.` : '';
  const submit = (event) => {
    event.preventDefault();
    attempt(problem, path, { name: name.value.trim(), passphrase: passphrase.value }, close);
  };
  return el('form', { class: 'fields', on: { submit } }, field('Name', name), field('Passphrase', passphrase, help), more, problem,
    el('button', { type: 'submit', class: 'primary' }, text));
}

function alarm() {
  return el('p', { class: 'problem', role: 'alert', hidden: true });
}

async function attempt(problem, path, body, close) {
  say(problem, '');
  try {
    await post(path, body);
    close(path);
  } catch (error) {
    say(problem, error.message);
  }
}

/** Who is here: log in, make a guest lasting, log out. A dialog, for it has no address of its own. */

import { post } from '../api.js';
import { open } from '../dialogs.js';
import { button, el, field, say } from '../dom.js';

/** Open the dialog; the page shows whoever is here afterwards. */
export async function openPeople(app) {
  const { you } = app.start;
  const lasting = you && !you.guest;
  const changed = await open(lasting ? you.name : 'Log in', (close) => (lasting ? leaving(close) : entering(you, close)));
  if (changed) app.refresh();
}

function leaving(close) {
  const problem = el('p', { class: 'problem', role: 'alert', hidden: true });
  return [problem, el('div', { class: 'row end' }, button('Cancel', () => close(false)),
    button('Log out', () => attempt(problem, '/api/people/leave', {}, close), { class: 'primary' }))];
}

function entering(you, close) {
  const parts = [credentials('Log in', '/api/people/enter', 'current-password', close)];
  if (you?.guest) {
    parts.push(el('h3', {}, 'New here?'),
      el('p', { class: 'help' }, `You are ${you.name}. Choose a name and a passphrase, and your level and games stay yours on every device.`),
      credentials('Keep my games', '/api/people/join', 'new-password', close));
  }
  return [...parts, el('div', { class: 'row end' }, button('Cancel', () => close(false)))];
}

function credentials(text, path, kind, close) {
  const name = el('input', { autocomplete: 'username', required: true, maxlength: 64 });
  const passphrase = el('input', { type: 'password', autocomplete: kind, required: true });
  const problem = el('p', { class: 'problem', role: 'alert', hidden: true });
  const submit = (event) => {
    event.preventDefault();
    attempt(problem, path, { name: name.value.trim(), passphrase: passphrase.value }, close);
  };
  return el('form', { class: 'fields', on: { submit } }, field('Name', name), field('Passphrase', passphrase), problem,
    el('button', { type: 'submit', class: 'primary' }, text));
}

async function attempt(problem, path, body, close) {
  say(problem, '');
  try {
    await post(path, body);
    close(true);
  } catch (error) {
    say(problem, error.message);
  }
}

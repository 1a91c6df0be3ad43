/** The page's start: routes, the header, and what all views share. */

import { get, START, whenUnknown } from './api.js';
import { button, el } from './dom.js';
import { recall, remember } from './memory.js';
import { ROOT, here } from './root.js';
import { homeView } from './views/home.js';
import { meView } from './views/me.js';
import { pairsView } from './views/pairs.js';
import { openPeople } from './views/people.js';
import { playView } from './views/play.js';
import { rateView } from './views/rate.js';
import { sentence } from './words.js';

/**
 * A view: what stands in the main part for one address.
 * @typedef {{title: string, node: HTMLElement, leave: (function(): void)=}} View
 */

const ROUTES = [
  [/^\/$/, homeView],
  [/^\/play\/(\d+)$/, playView],
  [/^\/me$/, meView],
  [/^\/rate$/, rateView],
  [/^\/people$/, pairsView],
];

const MISSING = 404; // the status of what is not there

const main = document.getElementById('main');
const live = document.getElementById('live');
let shown = null; // the view on show
let starting = null; // the answer that is awaited of /api/start
let visit = 0; // grows with each change of address: a slow view must not replace a later one

/** What views get to work with. */
const app = {
  /** The answer of /api/start. */
  start: null,

  /** Go to an address of this page. */
  go(path) {
    history.pushState(null, '', ROOT + path);
    return show();
  },

  /** Ask the server again who is here and what there is, and show the present address again. */
  async refresh() {
    app.start = null;
    await show();
  },

  /** Ask the server again without showing anything; once at a time, lest it makes two guests. */
  restart() {
    starting ??= get(START).then((answer) => {
      app.start = answer;
      showPerson();
    }).finally(() => { starting = null; });
    return starting;
  },

  /** Tell people who hear the page. */
  tell(text) {
    live.textContent = '';
    setTimeout(() => { live.textContent = text; }, 50);
  },

  /** Return what is known of a game. */
  game(id) {
    return app.start.games.find((game) => game.id === id);
  },
};

async function show({ first = false } = {}) {
  const mine = ++visit;
  const view = await made().catch((error) => (error.status === MISSING ? missing(error.message) : trouble(error.message)));
  if (mine !== visit) {
    view.leave?.();
    return;
  }
  shown?.leave?.();
  shown = view;
  document.title = view.title ? `${view.title} · evenmatch` : 'evenmatch';
  main.replaceChildren(view.node);
  markPage();
  if (first) return;
  window.scrollTo(0, 0);
  focusHeading();
}

/** Make the view of the present address. */
async function made() {
  if (!app.start || here() === '/') await app.restart(); // its list of games changes
  for (const [pattern, view] of ROUTES) {
    const match = here().match(pattern);
    if (match) return view(app, ...match.slice(1));
  }
  return missing('there is no such page');
}

/** Say that there is nothing at an address. */
function missing(text) {
  const title = sentence(text).slice(0, -1);
  const node = el('div', { class: 'page narrow' }, el('h1', {}, title),
    el('p', {}, 'It may have been deleted, or be somebody else’s, or its address is mistyped.'),
    el('p', { class: 'row' }, el('a', { class: 'button primary', href: '/' }, 'All games')));
  return { title, node };
}

function trouble(text) {
  const node = el('div', { class: 'page narrow' },
    el('h1', {}, 'Something went wrong'),
    el('p', { class: 'problem', role: 'alert' }, text),
    el('p', { class: 'row' }, button('Try again', () => app.refresh(), { class: 'primary' }), el('a', { class: 'button', href: '/' }, 'All games')));
  return { title: 'Something went wrong', node };
}

function focusHeading() {
  const heading = main.querySelector('h1') ?? main;
  heading.setAttribute('tabindex', '-1');
  heading.focus({ preventScroll: true });
}

function markPage() {
  for (const link of document.querySelectorAll('.top nav a')) {
    const current = link.getAttribute('href') === ROOT + here();
    if (current) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
}

function showPerson() {
  const { you, only } = app.start;
  const node = document.getElementById('person');
  node.hidden = only;
  node.textContent = you.guest ? 'Guest' : you.name;
  node.title = you.guest ? 'Choose a name, or log in' : 'Log out';
}

/** Links within the page change the view without loading it again. */
function follow(event) {
  const link = event.target.closest?.('a[href^="/"]');
  const plain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
  if (!link || !plain || link.target || link.hasAttribute('download')) return;
  event.preventDefault();
  app.go(link.getAttribute('href').slice(ROOT.length) || '/');
}

function changeTheme() {
  const dark = getComputedStyle(document.documentElement).colorScheme === 'dark';
  document.documentElement.dataset.theme = dark ? 'light' : 'dark';
  remember('theme', document.documentElement.dataset.theme);
}

/** Follow the theme that was chosen in another tab. */
function followTheme(event) {
  if (event.key === 'theme') document.documentElement.dataset.theme = recall('theme', '');
}

document.addEventListener('click', follow);
window.addEventListener('popstate', () => show());
window.addEventListener('storage', followTheme);
document.getElementById('theme').addEventListener('click', changeTheme);
document.getElementById('person').addEventListener('click', () => openPeople(app));
whenUnknown(() => app.restart());
show({ first: true });

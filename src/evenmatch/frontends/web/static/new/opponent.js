/** Whom to play in a new game. Each part of its form has a node and reads what goes to the server. */

import { el, field, select } from '../dom.js';
import { levelText, sentence } from '../words.js';

const USUAL = 'even'; // the player that is chosen first
const TYPED = 'typed'; // the choice of a level that is typed, among the words for one

/**
 * Make the part that chooses an opponent.
 * @param {Object} game from the start data
 * @returns {{node: HTMLElement, read: function(): Object}}
 */
export function opponentPart(game) {
  const kinds = [game.mine && mine(game), game.rated && ofLevel(game), game.players_.length > 0 && named(game)].filter(Boolean);
  let chosen = kinds[0];
  const node = el('fieldset', {}, el('legend', {}, 'Opponent'),
    el('div', { class: 'choices' }, kinds.map((kind) => el('label', { class: 'choice' },
      el('input', { type: 'radio', name: 'opponent', checked: kind === chosen, on: { change: () => choose(kind) } }), el('span', {}, kind.text)))),
    kinds.map((kind) => kind.node));

  function choose(kind) {
    chosen = kind;
    for (const each of kinds) each.node.hidden = each !== chosen;
  }

  choose(chosen);
  return { node, read: () => ({ ...chosen.more?.(), opponent: chosen.read() }) };
}

function mine(game) {
  const forgets = el('input', { type: 'checkbox' });
  const forget = el('label', { class: 'choice' }, forgets, el('span', {}, 'It forgets my earlier games'));
  const said = game.level ? knownLevel(game) : askedLevel(game);
  return {
    text: 'At my level',
    node: el('div', { class: 'choice-more' }, said.node, forget),
    read: () => ({ mine: true, ...said.read() }),
    more: () => (forgets.checked ? { forgets: true } : {}),
  };
}

function knownLevel(game) {
  return { node: el('p', {}, `Your level is ${levelText(game.level)}, ${game.on_scale}.`), read: () => ({}) };
}

/** Ask somebody without a level how strong they are. */
function askedLevel(game) {
  if (!game.levels) return { node: el('p', { class: 'help' }, 'It finds your level from your moves.'), read: () => ({}) };
  const words = [['', 'It finds out from my moves'], ...game.words.map((word) => [word, word]), ...(game.rated ? [[TYPED, 'I know my level']] : [])];
  const choice = select(words, { on: { change: show } });
  const typed = el('input', { inputmode: game.written === 'elo' ? 'numeric' : 'text', autocomplete: 'off', placeholder: example(game) });
  const exact = field(`My level${reach(game)}`, typed, sentence(game.on_scale));

  function show() {
    exact.hidden = choice.value !== TYPED;
  }

  function read() {
    const said = choice.value === TYPED ? typed.value.trim() : choice.value;
    return said ? { i_am: said } : {};
  }

  show();
  return { node: el('div', { class: 'row fields' }, field('How strong are you?', choice), exact), read };
}

function ofLevel(game) {
  const level = el('input', { autocomplete: 'off', inputmode: game.written === 'elo' ? 'numeric' : 'text', value: game.level?.typed ?? example(game) });
  return {
    text: 'At a level',
    node: el('div', { class: 'choice-more' }, field(`Level${reach(game)}`, level, sentence(game.on_scale))),
    read: () => ({ level: level.value.trim() }),
  };
}

function named(game) {
  const choice = select(game.players_.map((each) => [each.name, each.title]), { on: { change: show } });
  if (game.players_.some((each) => each.name === USUAL)) choice.value = USUAL;
  const summary = el('p', { class: 'help' });
  const keys = el('div', { class: 'fields' });
  const details = el('details', {}, el('summary', {}, 'Its settings'), keys);
  let inputs = [];

  function show() {
    const chosen = game.players_.find((each) => each.name === choice.value);
    summary.textContent = sentence(chosen.summary);
    inputs = chosen.keys.map((key) => [key, el('input', { placeholder: key.usual, autocomplete: 'off' })]);
    keys.replaceChildren(...inputs.map(([key, input]) => field(key.name, input, sentence(key.help))));
    details.hidden = !inputs.length;
  }

  function read() {
    const filled = inputs.filter(([, input]) => input.value.trim());
    return { name: choice.value, keys: Object.fromEntries(filled.map(([key, input]) => [key.name, input.value.trim()])) };
  }

  show();
  return { text: 'A player', node: el('div', { class: 'choice-more' }, field('Player', choice), summary, details), read };
}

function reach({ ends }) {
  return ends ? `, ${ends[0]} to ${ends[1]}` : '';
}

function example({ written }) {
  return written === 'elo' ? '1500' : '8k';
}

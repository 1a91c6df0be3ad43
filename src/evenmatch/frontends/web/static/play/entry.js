/** The field to type a move into: for the keyboard, and for people who do not see the board. */

import { el, enable, enabled, field } from '../dom.js';

const LONGEST = 20; // letters of a move that the server reads

/** @param {{play: function(string): void, refuse: function(string): void}} hooks */
export function moveEntry({ play, refuse }) {
  const choices = el('datalist', { id: 'legal-moves' });
  const input = el('input', { list: 'legal-moves', autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false', enterkeyhint: 'go' });
  const send = el('button', { type: 'submit' }, 'Play');
  const node = el('form', { class: 'entry', on: { submit } }, field('Your move', input), send, choices);
  let legal = [];
  let yours = false;

  function submit(event) {
    event.preventDefault();
    const typed = input.value.trim();
    if (!typed || !enabled(send)) return;
    if (typed.length > LONGEST) {
      refuse(`A move has at most ${LONGEST} letters. Type a shorter one.`);
      return;
    }
    input.value = '';
    play(meant(legal, typed));
  }

  return {
    node,
    show(state) {
      legal = state.legal;
      choices.replaceChildren(...legal.map(({ move }) => el('option', { value: move })));
      yours = state.yours;
      node.hidden = state.over !== null;
    },
    /** Let a move be sent, or none while an answer is awaited. */
    free(yes) {
      enable(send, yes && yours);
    },
  };
}

/** Return the legal move that was typed, whatever its capitals; else the text, for the server to judge. */
function meant(legal, typed) {
  const moves = legal.map(({ move }) => move);
  const same = moves.filter((move) => move.toLowerCase() === typed.toLowerCase());
  return moves.includes(typed) || same.length !== 1 ? typed : same[0];
}

/** Elements from script. Text goes in as text nodes, so names with HTML in them are harmless. */

import { ROOT } from './root.js';

const SVG = 'http://www.w3.org/2000/svg';

/**
 * Make an HTML element.
 * @param {string} tag
 * @param {Object} [props] attributes; `class`, `on: {event: handler}`, and properties that are no
 *   attributes: `value`, `checked`. An attribute of null or false is left out. An address within
 *   the page is written without the path of a proxy.
 * @param {...(Node|string|number|null|false)} children those that are null or false are left out
 */
export function el(tag, props = {}, ...children) {
  return filled(document.createElement(tag), props, children);
}

/** Make an SVG element; as {@link el}. */
export function svg(tag, props = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), props, children);
}

function filled(node, props, children) {
  for (const [name, value] of Object.entries(props)) set(node, name, value);
  node.append(...children.flat().filter((child) => child !== null && child !== false));
  return node;
}

function set(node, name, value) {
  if (name === 'on') {
    for (const [event, handler] of Object.entries(value)) node.addEventListener(event, handler);
  } else if (name === 'value' || name === 'checked') {
    node[name] = value;
  } else if (value !== null && value !== undefined && value !== false) {
    const below = name === 'href' && String(value).startsWith('/');
    node.setAttribute(name, below ? ROOT + value : value === true ? '' : value);
  }
}

/** Make a button that calls `press`. */
export function button(text, press, props = {}) {
  return el('button', { type: 'button', on: { click: press }, ...props }, text);
}

/**
 * Let a button be pressed or not. It keeps the focus either way; its handler must ask
 * {@link enabled}.
 */
export function enable(node, yes) {
  node.setAttribute('aria-disabled', String(!yes));
}

/** Tell whether a button of {@link enable} may be pressed. */
export function enabled(node) {
  return node.getAttribute('aria-disabled') !== 'true';
}

/** Show a text, and hide the element where it is empty. */
export function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
  node.hidden = !text;
}

/** Tell whether the person wants things to move on the page. */
export function moving() {
  return !matchMedia('(prefers-reduced-motion: reduce)').matches;
}

/** Make a labelled field: a label with its text and the control below it. */
export function field(label, control, help = '') {
  return el('label', { class: 'field' }, el('span', { class: 'label' }, label), control,
    help !== '' && el('span', { class: 'help' }, help));
}

/** Make a select of [value, text] pairs. */
export function select(pairs, props = {}) {
  return el('select', props, pairs.map(([value, text]) => el('option', { value }, text)));
}

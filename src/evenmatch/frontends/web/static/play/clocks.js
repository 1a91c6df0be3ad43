/** The clocks of both sides, which run on between the server's states. */

import { el } from '../dom.js';

const SHORT = 20; // seconds below which tenths are shown

/** Make both clocks. Each has its own node, to stand beside its player. */
export function clocks() {
  const nodes = new Map([1, -1].map((side) => [side, el('span', { class: 'clock', role: 'timer', hidden: true })]));
  let clock = null;
  let since = 0;

  function left(side) {
    const run = clock.running === side ? (performance.now() - since) / 1000 : 0;
    return Math.max(0, clock.left[side] - run);
  }

  function draw() {
    if (!clock) return;
    for (const [side, node] of nodes) {
      node.textContent = written(left(side));
      node.classList.toggle('running', clock.running === side);
      node.classList.toggle('low', left(side) < SHORT);
    }
  }

  const timer = setInterval(() => clock?.running && draw(), 100);

  return {
    nodes,
    show(state) {
      clock = state.clock;
      since = performance.now();
      for (const node of nodes.values()) node.hidden = !clock;
      draw();
    },
    remove: () => clearInterval(timer),
  };
}

/** Write seconds as "4:05", "1:02:03", or "0:09.4" when there are few. */
function written(seconds) {
  if (seconds < SHORT) return `0:${seconds.toFixed(1).padStart(4, '0')}`;
  const whole = Math.ceil(seconds);
  const two = (number) => String(number).padStart(2, '0');
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)];
  return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

// A classic script in the head: the chosen theme holds before anything is painted.
(() => {
  let chosen = null;
  try {
    chosen = JSON.parse(localStorage.getItem('theme'));
  } catch {
    // Nothing can be remembered here; the system's theme it is.
  }
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
})();

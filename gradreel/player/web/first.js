/**
 * Runs before a page is drawn, as a script of its own. Streamlit's page lies in a template: it begins when ours is seen
 * (see app/first_paint.js), when ours cannot be had, or when it takes too long. What the server drew, and the response
 * it expects to be asked for, are not for an address that says more.
 */

(() => {
  const PATIENCE = 5000;
  const begin = () => {
    const waiting = /** @type {HTMLTemplateElement|null} */ (document.querySelector("#gr-later"));
    if (!waiting) return;
    waiting.remove();
    document.head.append(waiting.content);
  };
  /** Light or dark, where somebody has chosen what the system has not (see app/preferences.js): what the server drew is
   * as the system has it.
   */
  const otherTheme = () => {
    try {
      const chosen = localStorage.getItem("gradreel.looks");
      return chosen && chosen !== (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")
        ? chosen
        : null;
    } catch {
      return null;
    }
  };
  const theme = otherTheme();
  if (theme) document.documentElement.style.colorScheme = theme;
  const { hash, search } = location;
  document.documentElement.toggleAttribute("data-elsewhere", hash.length > 1);
  document.documentElement.toggleAttribute("data-apart", theme !== null || /[?&](embed|p)=/.test(search));
  if (hash.length < 2 && !/[?&](embed|p)=/.test(search))
    /** @type {HTMLLinkElement} */ (document.querySelector("#gr-letter")).rel = "preload";
  addEventListener("gradreel-seen", begin);
  addEventListener("error", begin, { capture: true });
  setTimeout(begin, PATIENCE);
})();

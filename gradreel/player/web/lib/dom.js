/**
 * Elements in one line. Text always goes through textContent, so nothing a program says becomes markup.
 */

/** @param {string} tag
 * @param {Record<string, any>} [properties]  class, text, on* listeners, data-* and other attributes
 * @param {...(Node|string|null|undefined|false)} children
 * @returns {any}
 */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "text") made.textContent = value;
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

const shown = new WeakMap();

/** Whether something else is to stand in an element than what was last put there: what does not change is not made anew.
 * @param {Element} root @param {any} content  data that says all that will be seen
 */
export function differs(root, content) {
  const text = JSON.stringify(content);
  if (shown.get(root) === text) return false;
  shown.set(root, text);
  return true;
}

/** An icon drawn from one path in a box of 12. @param {string} path */
export function icon(path) {
  const svg = svgElement("svg", { width: 12, height: 12, viewBox: "0 0 12 12", "aria-hidden": "true" });
  svg.append(svgElement("path", { d: path, fill: "currentColor" }));
  return svg;
}

/** @param {string} tag @param {Record<string, any>} [attributes] @returns {any} */
export function svgElement(tag, attributes = {}) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

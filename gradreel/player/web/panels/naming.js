/**
 * Which names there is room for: a thing of many parts shows the first, and how many more it has. Pure.
 */

const PARTS = 12;

/** Of a thing of many parts, `rows[0][1]` or `net.0.weight`, the first and how many more it has; of what belongs to a call that
 * waits for another, no parts at all.
 * @param {{key: string, scope: number, name: string, tensor: string|null, text: string|null}[]} names
 * @param {number} inner  the scope of the innermost call
 * @returns {any[]} names, and `{name, scope, more}` where parts are counted
 */
export function gathered(names, inner) {
  const parts = new Map();
  const whole = (name) => `${name.scope}:${/^[^.[]*/.exec(name.name)[0]}`;
  const isPart = (name) => /[.[]/.test(name.name);
  for (const name of names) if (isPart(name)) parts.set(whole(name), (parts.get(whole(name)) ?? 0) + 1);
  const seen = new Map();
  const shown = [];
  for (const name of names) {
    const [key, many] = [whole(name), parts.get(whole(name)) ?? 0];
    const room = name.scope && name.scope !== inner ? 0 : many > PARTS ? PARTS - 1 : PARTS;
    const place = isPart(name) ? (seen.get(key) ?? 0) : -1;
    if (isPart(name)) seen.set(key, place + 1);
    if (place < room) shown.push(name);
    else if (place === room) shown.push({ key: `${key}…`, scope: name.scope, name: key.slice(key.indexOf(":") + 1), tensor: null, more: many - room });
  }
  return shown;
}


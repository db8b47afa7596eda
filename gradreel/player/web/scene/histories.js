/**
 * Histories as they travel: for each property of each kind of things all tracks in columns. A column is read when its
 * property is first asked for, and a track is cut out of it when its thing is: a run has more tracks than anybody looks
 * at.
 */

import { readColumn } from "./columns.js";

/** @typedef {import("./state.js").Track} Track
 * @typedef {{track: (key: string, property: string) => Track|undefined, tracks: (key: string) => Map<string, Track>,
 *   has: (key: string) => boolean, keys: (prefix: string) => string[], each: (prefix: string, property: string, visit:
 *   Visit) => void}} Histories
 * @typedef {(place: number, steps: number[], values: any[], from: number, to: number) => void} Visit  told of the thing
 *   at a place among `keys(prefix)` that its track is what stands in `steps` and `values` from one place up to another
 */

/** Boxes, wires and tensors: kinds of things that go by a letter and a number. */
const NUMBERED = new Set(["n", "w", "t"]);

const NINE = "9".charCodeAt(0);

/** Asked tens of thousands of times for a step of a large run. @param {string} key */
const isNumbered = (key) => key.charCodeAt(1) <= NINE && NUMBERED.has(key[0]);

/** @param {Record<string, any>} things  the keys of the things of each kind, in a column
 * @param {any[]} groups  the tracks of one property of one kind each, see `gradreel/scene/encode.py`
 * @returns {Histories}
 */
export function createHistories(things, groups) {
  const kinds = new Map(Object.keys(things).map((kind) => [kind, createKind(kind, things[kind])]));
  for (const { kind, property, ...columns } of groups)
    kinds.get(kind).properties.set(property, createProperty(columns));
  const nameOf = (key) => (isNumbered(key) ? key[0] : key === "program" ? key : key.slice(0, key.indexOf(":")));
  const kindOf = (key) => kinds.get(nameOf(key));
  return {
    track: (key, property) => {
      const kind = kindOf(key);
      return kind?.properties.get(property)?.track(kind.placeOf(key));
    },
    tracks: (key) => {
      const kind = kindOf(key);
      const place = kind?.placeOf(key);
      const found = new Map();
      for (const [name, property] of kind?.properties ?? []) {
        const track = property.track(place);
        if (track !== undefined) found.set(name, track);
      }
      return found;
    },
    has: (key) => kindOf(key)?.placeOf(key) !== undefined,
    keys: (prefix) =>
      prefix.endsWith(":")
        ? (kinds.get(prefix.slice(0, -1))?.keys() ?? [])
        : [...kinds.values()].flatMap((kind) => kind.keys()).filter((key) => key.startsWith(prefix)),
    each: (prefix, property, visit) => kinds.get(prefix.slice(0, -1))?.properties.get(property)?.each(visit),
  };
}

/** The things of one kind: their keys, where each stands among them, and their properties. */
function createKind(kind, column) {
  return {
    properties: new Map(),
    ...(kind === "name" ? ofNames(column.rows) : NUMBERED.has(kind) ? ofNumbers(column) : ofKeys(column)),
  };
}

function ofKeys(column) {
  let places = null;
  const keys = once(() => readColumn(column));
  return { keys, placeOf: (key) => (places ??= new Map(keys().map((each, place) => [each, place]))).get(key) };
}

/** Things that go by a letter and a number: a list of places by number is made sooner than one of keys. */
function ofNumbers(column) {
  const places = once(() => {
    const found = [];
    readColumn(column.holes[0][0]).forEach((number, place) => (found[number] = place));
    return found;
  });
  return { keys: once(() => readColumn(column)), placeOf: (key) => places()[Number(key.slice(1))] };
}

/** Names: a run of many calls has thousands, and a step asks for those of few scopes. */
function ofNames(rows) {
  const columns = once(() => ({ scopes: readColumn(rows.scope), texts: readColumn(rows.text) }));
  const known = new Map();
  const within = (scope) => {
    const { scopes, texts } = columns();
    const places = new Map();
    for (let place = 0; place < scopes.length; place++) if (scopes[place] === scope) places.set(texts[place], place);
    known.set(scope, places);
    return places;
  };
  return {
    keys: once(() => columns().texts.map((text, place) => `name:${columns().scopes[place]}:${text}`)),
    placeOf: (key) => {
      const { scope, name } = nameOf(key);
      return (known.get(scope) ?? within(scope)).get(name);
    },
  };
}

/** What `make` gives, made when it is first asked for. @template T @param {() => T} make @returns {() => T} */
function once(make) {
  let made;
  return () => (made ??= make());
}

/** The scope and the name that a key `name:<scope>:<name>` speaks of.
 * @param {string} key
 * @returns {{scope: number, name: string}}
 */
export function nameOf(key) {
  const end = key.indexOf(":", "name:".length);
  return { scope: Number(key.slice("name:".length, end)), name: key.slice(end + 1) };
}

/** The tracks of one property, each by the place of its thing. */
function createProperty(columns) {
  let opened = null;
  const made = [];
  return {
    track: (place) => {
      opened ??= open(columns);
      const row = opened.rows[place];
      if (row === undefined) return undefined;
      const { steps, values, courses, ends } = opened;
      const [from, to] = [row ? ends[row - 1] : 0, ends[row]];
      return (made[row] ??= {
        steps: steps.slice(from, to),
        values: courses ? courses[row] : values.slice(from, to),
        before: null,
      });
    },
    each: (visit) => {
      opened ??= open(columns);
      const { places, steps, values, courses, ends } = opened;
      const flat = values ?? courses.flat();
      places.forEach((place, row) => visit(place, steps, flat, row ? ends[row - 1] : 0, ends[row]));
    },
  };
}

/** The columns of a property: of which thing each row tells and the other way round, the steps of all rows, and where
 * each ends.
 */
function open(columns) {
  const [places, lengths, starts, gaps] = ["things", "lengths", "starts", "gaps"].map((name) =>
    readColumn(columns[name]),
  );
  const rows = [];
  const steps = [];
  const ends = [];
  let gap = 0;
  for (let row = 0; row < places.length; row++) {
    rows[places[row]] = row;
    let step = starts[row];
    steps.push(step);
    for (let i = 1; i < lengths[row]; i++) steps.push((step += gaps[gap++]));
    ends.push(steps.length);
  }
  return {
    places,
    rows,
    steps,
    ends,
    values: columns.values && readColumn(columns.values),
    courses: columns.courses && readColumn(columns.courses),
  };
}

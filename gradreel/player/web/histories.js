/**
 * Histories as they travel: for each property of each kind of things all tracks in columns. A column is read when its property
 * is first asked for, and a track is cut out of it when its thing is: a run has more tracks than anybody looks at.
 */

import { read } from "./columns.js";

/** @typedef {import("./state.js").Track} Track
 *  @typedef {{track: (key: string, property: string) => Track|undefined, tracks: (key: string) => Map<string, Track>,
 *             has: (key: string) => boolean, keys: (prefix: string) => string[]}} Histories */

/** @param {Record<string, any>} things  the keys of the things of each kind, in a column
 * @param {any[]} groups  the tracks of one property of one kind each, see `gradreel/scene/encode.py`
 * @returns {Histories}
 */
export function createHistories(things, groups) {
  const kinds = new Map(Object.keys(things).map((kind) => [kind, createKind(things[kind])]));
  for (const { kind, property, ...columns } of groups) kinds.get(kind).properties.set(property, createProperty(columns));
  const kindOf = (key) => kinds.get(key.includes(":") ? key.slice(0, key.indexOf(":")) : key === "program" ? key : key[0]);
  return {
    track: (key, property) => {
      const kind = kindOf(key);
      return kind?.properties.get(property)?.track(kind.placeOf(key));
    },
    tracks: (key) => {
      const kind = kindOf(key);
      const place = kind?.placeOf(key);
      const found = [...(kind?.properties ?? [])].map(([name, property]) => [name, property.track(place)]);
      return new Map(found.filter(([, track]) => track !== undefined));
    },
    has: (key) => kindOf(key)?.placeOf(key) !== undefined,
    keys: (prefix) => [...kinds.values()].flatMap((kind) => kind.keys()).filter((key) => key.startsWith(prefix)),
  };
}

/** The things of one kind: their keys, where each stands among them, and their properties. */
function createKind(column) {
  let keys = null;
  let places = null;
  const all = () => (keys ??= read(column).map((parts) => (typeof parts === "string" ? parts : `name:${parts.scope}:${parts.text}`)));
  return {
    properties: new Map(),
    keys: all,
    placeOf: (key) => (places ??= new Map(all().map((each, place) => [each, place]))).get(key),
  };
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
      return (made[row] ??= { steps: steps.slice(from, to), values: courses ? courses[row] : values.slice(from, to), before: null });
    },
  };
}

/** The columns of a property: which row tells of which thing, the steps of all rows, and where each row ends. */
function open(columns) {
  const [places, lengths, starts, gaps] = ["things", "lengths", "starts", "gaps"].map((name) => read(columns[name]));
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
  return { rows, steps, ends, values: columns.values && read(columns.values), courses: columns.courses && read(columns.courses) };
}

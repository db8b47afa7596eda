/**
 * How long the bars of scalars are: of all values of a run by one measure, and of all gradients by one, so that what is
 * three times another has a bar three times as long, and two that are added make one as long as both. Pure.
 */

/** @import { Model } from "./types.js" */

/** The numbers for which a bar has its full length. @param {Model} model @returns {{value: number, grad: number}} */
export function barsOf({ memo, nodes, leaves, scene, state }) {
  if (memo.has("bars")) return memo.get("bars");
  const bars = { value: 0, grad: 0 };
  const see = (kind, place) => {
    const value = place === null ? null : scene.values[place];
    const size = value?.whole && !value.shape.length ? Math.abs(Number(value.data)) : 0;
    if (size > bars[kind] && Number.isFinite(size)) bars[kind] = size;
  };
  for (const { id, slots } of nodes) {
    for (const { value } of slots) see("value", value);
    for (const place of state.track(id, "grad_in")?.values ?? []) see("grad", place);
  }
  for (const { tensor } of leaves) for (const place of state.track(tensor, "value")?.values ?? []) see("value", place);
  for (const [kind, property] of [["w", "value"], ["sum", "total"]])
    state.each(`${kind}:`, property, (_, steps, values, from, to) => {
      for (let at = from; at < to; at++) see("grad", values[at]);
    });
  memo.set("bars", bars);
  return bars;
}

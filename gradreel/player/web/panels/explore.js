/**
 * The whole graph of the present moment as a network of vis-network: to pan, zoom, drag and look through. Folds of a
 * large one are clusters, opened by a double click; what points at a node is told what it holds.
 */

import { element } from "../lib/dom.js";
import { formatShort, titleOf } from "../lib/format.js";
import { boxAt, isPresent } from "../scene/moment.js";
import { stateWord } from "./table.js";

/** @import { IndexedBox, Moment } from "../scene/types.js" */

/** Of more nodes the folds are clusters. */
const MANY = 150;
const LEVELS = 4000;
const SETTINGS = {
  physics: false,
  layout: { improvedLayout: false, hierarchical: { direction: "UD", levelSeparation: 90, nodeSpacing: 150 } },
  interaction: { hover: true, keyboard: false, tooltipDelay: 150, multiselect: false },
  nodes: { shape: "box", margin: 9, borderWidth: 1.5 },
  edges: { arrows: "to", smooth: { type: "cubicBezier", forceDirection: "vertical", roundness: 0.5 } },
};
/** The colour of a node by its state. */
const TONES = { running: "run", ran: "run", freed: "run", ready: "run", failed: "bad" };

/** @param {HTMLElement} root
 * @param {any} vis  the vis-network namespace, or a promise of it
 * @param {(id: string) => void} onSelect
 */
export function createExplore(root, vis, onSelect) {
  let network = null;
  let shown = "";
  let gone = false;
  const loading = Promise.resolve(vis);

  async function show(moment) {
    if (root.hidden || !vis) return;
    const boxes = moment.scene.boxes.filter((box) => isPresent(moment.state.at(box.id, "state", moment.step)));
    const key = `${moment.step}|${boxes.length}|${getComputedStyle(root).color}`;
    const { Network } = await loading;
    if (gone || root.hidden) return;
    if (key !== shown) {
      shown = key;
      draw(Network, boxes, moment);
    }
    const chosen = moment.selected && network.findNode(moment.selected).length ? [moment.selected] : [];
    network.selectNodes(chosen);
  }

  function draw(Network, boxes, moment) {
    const view = network && { position: network.getViewPosition(), scale: network.getScale(), animation: false };
    network?.destroy();
    network = new Network(root, graphOf(boxes, moment, coloursOf(root)), SETTINGS);
    if (boxes.length > MANY) cluster(network, boxes, moment.scene.groups);
    network.on("selectNode", ({ nodes }) => !network.isCluster(nodes[0]) && onSelect(nodes[0]));
    network.on("doubleClick", ({ nodes: [id] }) => id && network.isCluster(id) && network.openCluster(id));
    if (view) network.moveTo(view);
    else network.fit({ animation: false });
    root.querySelector(".vis-network")?.setAttribute("tabindex", "-1");
  }

  return {
    show,
    destroy: () => {
      gone = true;
      network?.destroy();
    },
  };
}

function coloursOf(root) {
  const style = getComputedStyle(root);
  return (name) => style.getPropertyValue(`--${name}`).trim();
}

/** @param {IndexedBox[]} boxes @param {Moment} moment @param {(name: string) => string} colour */
function graphOf(boxes, moment, colour) {
  const there = new Set(boxes.map(({ id }) => id));
  const level = levelsOf(boxes, moment.scene, there);
  const nodes = boxes.map((box) => {
    const now = boxAt(moment.state, box, moment.step);
    const tone = toneOf(box, now.state);
    return {
      id: box.id,
      label: titleOf(box),
      level: level.get(box.id),
      title: describe(box, now, moment),
      font: { color: colour("ink"), face: "monospace", size: 14 },
      color: { background: colour(`${tone}-bg`), border: colour(tone), highlight: { border: colour("ink") } },
    };
  });
  const drawn = new Map();
  const edges = moment.scene.wires.filter(({ from, to }) => there.has(from) && there.has(to)).map((wire) => {
    const pair = `${wire.from}>${wire.to}`;
    const twin = drawn.get(pair) ?? 0;
    drawn.set(pair, twin + 1);
    const sent = moment.state.at(wire.id, "value", moment.step);
    return {
      id: wire.id,
      from: wire.from,
      to: wire.to,
      smooth: bendOf(level.get(wire.to) - level.get(wire.from), twin),
      color: colour(sent === null ? "gone" : "run"),
      title: sent === null ? undefined : `gradient ${formatShort(moment.scene.values[sent], 60)}`,
    };
  });
  return { nodes, edges };
}

/** An edge that passes a level goes around what may stand there, and twins beside each other; others need no bend.
 * @param {number} levels  how many it goes down @param {number} twin  how many there are of it already
 */
export function bendOf(levels, twin) {
  if (levels < 2 && !twin) return undefined;
  return { type: twin % 2 ? "curvedCCW" : "curvedCW", roundness: Math.min(0.6, 0.2 + 0.08 * (levels - 1 + twin)) };
}

/** @param {{kind: string}} box @param {string|null} state */
export const toneOf = ({ kind }, state) => (kind === "leaf" ? "leaf" : (TONES[state] ?? "live"));

/** The longest way from where gradients start, for each node. */
function levelsOf(boxes, scene, there) {
  const level = new Map(boxes.map(({ id }) => [id, 0]));
  // Boxes are in the order in which they were built, so gradients go from later ones to earlier ones; leaves end them.
  const nodes = [...boxes].reverse().filter(({ kind }) => kind !== "leaf");
  for (const { id } of nodes)
    for (const { to } of scene.outOf.get(id) ?? [])
      if (there.has(to)) level.set(to, Math.min(LEVELS, Math.max(level.get(to), level.get(id) + 1)));
  return level;
}

/** What points at a node is told this. */
function describe(box, now, { scene }) {
  const rows = [
    `${box.name}${box.nr === null ? "" : ` #${box.nr}`}, ${now.hint || stateWord(now)}`,
    box.line === null ? "" : `line ${box.line}`,
    ...now.slots
      .filter(({ state }) => state !== null)
      .map(({ slot, state }) => `${slot.label} ${state}: ${formatShort(scene.values[slot.value], 48)}`),
    now.grad === null || now.grad === undefined ? "" : `grad ${formatShort(scene.values[now.grad], 48)}`,
    now.gradIn === null ? "" : `got ${formatShort(scene.values[now.gradIn], 48)}`,
  ];
  return element("div", {}, ...rows.filter(Boolean).map((text) => element("div", { text })));
}

/** The outermost folds with more than one node become one node each. */
function cluster(network, boxes, groups) {
  const parents = new Map(groups.map(({ id, parent }) => [id, parent]));
  const outermost = (id) => {
    let at = id;
    while (at && parents.get(at)) at = parents.get(at);
    return at;
  };
  const members = new Map();
  for (const { id, group } of boxes) {
    const top = outermost(group);
    if (top) members.set(top, [...(members.get(top) ?? []), id]);
  }
  for (const [group, ids] of members) {
    if (ids.length < 2) continue;
    const own = new Set(ids);
    network.cluster({
      joinCondition: ({ id }) => own.has(id),
      clusterNodeProperties: {
        id: `fold:${group}`,
        label: `${groups.find(({ id }) => id === group).title}: ${ids.length} nodes`,
        shape: "box",
        borderWidth: 3,
        allowSingleNodeCluster: true,
      },
    });
  }
}

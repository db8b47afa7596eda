import assert from "node:assert/strict";
import test from "node:test";

import { indexScene, namesAt } from "../../gradreel/player/web/scene/moment.js";
import { createState } from "../../gradreel/player/web/scene/state.js";

import { panelSpot } from "../../gradreel/player/web/stage/acts.js";
import { actingAt, createComposer, layoutAt, recompose } from "../../gradreel/player/web/stage/compose.js";
import { foldTree, phaseAt, placedAt, treeOf } from "../../gradreel/player/web/stage/fold.js";
import { fullBarOf, fullTowerOf, gradAt, modelOf } from "../../gradreel/player/web/stage/model.js";
import { createCursor } from "../../gradreel/player/web/stage/cursor.js";
import { countsOf, hasArrived, isAlive, stageMoment } from "../../gradreel/player/web/stage/moment.js";
import { durationsOf, timeScale } from "../../gradreel/player/web/stage/pace.js";
import { passAt } from "../../gradreel/player/web/stage/passes.js";
import { along, routeOf } from "../../gradreel/player/web/stage/routes.js";
import {
  boxOf, freest, itemOf, leastCovering, mouthOf, overlapOf, pipPlaces, signOf,
} from "../../gradreel/player/web/stage/places.js";
import { restsOf, waysOf } from "../../gradreel/player/web/stage/rests.js";
import { MIN_SCALE, slotLabel } from "../../gradreel/player/web/stage/sizes.js";
import { aim, ease } from "../../gradreel/player/web/stage/sprites.js";
import { setApart, within } from "../../gradreel/player/web/stage/spread.js";
import { gridOf, mostOf, SHORT, tileNumber, tileSize } from "../../gradreel/player/web/stage/values.js";
import { determinant, recurrent, training } from "./scene_builder.js";
import { measure, stored, storedScenes } from "./scenes.js";

const width = (text, px) => measure(text, px);
const ROOMS = [[1110, 660], [770, 480], [390, 400]];
const PROGRAMS = [
  ...storedScenes(),
  ["a training loop", training(3, 4)],
  ["a recurrent net", recurrent(30)],
  ["a determinant", determinant(4)],
];

/** A run with its model, and its layout at a step in a room. */
function opened(raw) {
  const state = createState(raw);
  const scene = indexScene(raw, state);
  const model = modelOf(scene, state);
  const keys = state.keys("name:");
  const names = (step) => namesAt(state, keys, step);
  const composer = createComposer(model, width);
  const layout = (step) => layoutAt(composer, step, names(step));
  const resize = ([wide, high]) => recompose(composer, { room: { width: wide, height: high } });
  const moment = (step) => stageMoment(model, step, names(step));
  return { state, scene, model, names, composer, layout, resize, moment };
}

/** At most so many steps of a run, spread over it. */
function some(last, most = 60) {
  const many = Math.min(last + 1, most);
  return [...new Set(Array.from({ length: many }, (_, i) => Math.round((i * last) / Math.max(1, many - 1))))];
}

const spotOf = ({ scale }) => ({ x, y }) => ({ x, y, scale });

for (const [name, raw] of PROGRAMS) {
  test(`${name}: at every size the acting node is seen, nothing leaves the stage, every wire reaches its leaf`, () => {
    const run = opened(raw);
    for (const room of ROOMS) {
      run.resize(room);
      for (const step of some(run.state.last)) {
        const layout = run.layout(step);
        const placed = placedAt(run.model, step);
        const acting = actingAt(run.model, step, placed);
        const owner = acting && layout.owner.get(acting);
        const single = !acting || ["node", "lens", "leaf"].includes(owner?.type);
        assert.ok(single, `step ${step}: ${acting?.id} is folded away`);
        if (layout.wanted >= MIN_SCALE)
          for (const item of layout.items) insideOf(item, layout, `step ${step}: ${item.key}`);
        for (const node of placed.nodes)
          for (const edge of node.out) if (edge.to.leaf) reaches(edge, layout, `step ${step}: ${edge.id}`);
      }
    }
  });

  test(`${name}: a step has one picture, from whichever side one comes to it`, () => {
    const forth = opened(raw);
    const back = opened(raw);
    for (const run of [forth, back]) run.resize(ROOMS[0]);
    const steps = some(forth.state.last, 40);
    const pictures = steps.map((step) => pictureOf(forth.layout(step)));
    for (const [i, step] of steps.reverse().entries())
      assert.deepEqual(pictureOf(back.layout(step)), pictures.at(-1 - i), `step ${step}`);
  });
}

const pictureOf = ({ items, scale, lying }) => [scale, lying, items.map(({ key, x, y, w, h }) => [key, x, y, w, h])];

function insideOf({ type, x, y, w, h }, { scale, width: wide, height: high, ground }, what) {
  const above = type === "leaf" || type === "drawer" || y + (h / 2) * scale <= ground + 0.5;
  assert.ok(above, `${what} stands on the tensors' ground`);
  assert.ok(x - (w / 2) * scale >= -0.5 && x + (w / 2) * scale <= wide + 0.5, `${what} is cut at a side`);
  assert.ok(y - (h / 2) * scale >= -0.5 && y + (h / 2) * scale <= high + 0.5, `${what} is cut above or below`);
}

/** A wire ends at the funnel of its leaf; where both lie in one closed card there is none to see. */
function reaches(edge, layout, what) {
  const leaf = layout.owner.get(edge.to);
  const owner = layout.owner.get(edge.from);
  if (!leaf || owner === leaf || leaf.inside === owner) return;
  const found = layout.linkOf.get(edge.id);
  assert.ok(found, `${what} is not drawn`);
  const target = leaf.inside ?? leaf;
  const end = along(routeOf(layout, found.link, found.place, spotOf(layout)), 1);
  assert.ok(Math.abs(end.x - target.x) <= (target.w / 2) * layout.scale + 1, `${what} ends beside its leaf`);
}

test("nothing moves while a backward call goes about", () => {
  for (const raw of [stored("diamond.json"), stored("shared_in_a_loop.json"), training(2, 3)]) {
    const run = opened(raw);
    run.resize(ROOMS[0]);
    for (const { from, to } of run.scene.calls) {
      const before = new Map(run.layout(from).items.map((item) => [item.key, item]));
      for (let step = from; step <= to; step++)
        for (const { key, x, y } of run.layout(step).items) {
          const was = before.get(key);
          if (was) assert.deepEqual([x, y], [was.x, was.y], `step ${step}: ${key}`);
        }
    }
  }
});

test("a large graph grows in few pictures, each as it will stand at its end", () => {
  const { model, scene } = opened(recurrent(30));
  const [{ from }] = scene.calls;
  const phases = Array.from({ length: from }, (_, step) => phaseAt(model, step));
  assert.ok(phases.every(({ large, to }, step) => large && to >= step));
  assert.ok(new Set(phases.map(({ to }) => to)).size <= 8);
  assert.equal(placedAt(model, from - 1).nodes.length, placedAt(model, from).nodes.length);
});

test("a fold that is pinned stays as it is", () => {
  const run = opened(recurrent(30));
  run.resize(ROOMS[0]);
  const root = treeOf(run.model, placedAt(run.model, run.scene.calls[0].from));
  const anchor = run.model.nodes.find((node) => !node.leaf);
  const pieces = (pins) => foldTree(root, anchor, { budget: 18, tight: 0 }, pins);
  const { open } = pieces(new Map());
  const shut = open.find(({ kind }) => kind === "iteration");
  assert.ok(!pieces(new Map([[shut.id, false]])).open.includes(shut));
  const closed = root.kids.at(-3);
  assert.ok(!open.includes(closed) && pieces(new Map([[closed.id, true]])).open.includes(closed));
});

test("without a node there is nothing to fold, however little room there is", () => {
  const run = opened(stored("diamond.json"));
  const root = treeOf(run.model, { nodes: [], key: "none" });
  for (const tight of [0, 3, 100, 104])
    assert.deepEqual(foldTree(root, null, { budget: 1, tight }, new Map()).pieces, []);
});

test("where gradients meet, the act says what was there, what comes and what they make", () => {
  const raw = stored("diamond.json");
  const { model, moment } = opened(raw);
  const number = (place) => raw.values[place].data;
  const meets = raw.steps.flatMap((_, step) => moment(step).acts.filter(({ type }) => type === "meet"));
  assert.ok(meets.length);
  for (const { before, came, after, edge } of meets) {
    assert.deepEqual([number(before)].flat().map((x, i) => x + [number(came)].flat()[i]), [number(after)].flat());
    assert.ok(edge);
  }
  const [leaf] = model.leaves;
  assert.equal(gradAt(leaf, raw.steps.length - 1).count, 1);
});

test("the only gradient that a leaf gets is seen to come to it", () => {
  const arrivals = storedScenes().flatMap(([, raw]) => {
    const { model, moment } = opened(raw);
    return raw.steps.flatMap((_, step) => moment(step).acts
      .filter(({ type, node }) => type === "arrive" && model.state.at(node.id, "expected", step) === 1)
      .map(({ node, edge, after }) => [node.leaf, hasArrived(model, edge, step), raw.values[after]]));
  });
  assert.ok(arrivals.length);
  assert.ok(arrivals.every((each) => each.every(Boolean)));
});

test("every slot that is freed drops out, and every call on a leaf is a block more", () => {
  const raw = stored("accumulation.json");
  const { model, moment, state } = opened(raw);
  const freed = raw.steps.flatMap((_, step) => moment(step).acts.filter(({ type }) => type === "free"));
  const slots = model.nodes.flatMap((node) => node.slots.filter(({ name }) =>
    state.track(node.id, `slot:${name}`).values.includes("freed") && !(node.died < Infinity && freed.length === 0)));
  assert.equal(new Set(freed.map(({ node, slot }) => `${node.id}${slot.name}`)).size, slots.length);
  const most = Math.max(...model.leaves.flatMap(({ grads }) => grads.map(({ count }) => count)));
  assert.equal(most, raw.calls.length);
});

test("what is written over is stale from that step on", () => {
  const raw = stored("saved_modified.json");
  const { model, moment } = opened(raw);
  const cracks = raw.steps.map((_, step) => moment(step).acts.filter(({ type }) => type === "crack"));
  const at = cracks.findIndex((each) => each.length);
  assert.ok(at > 0 && at < raw.steps.findIndex(({ kind }) => kind === "backward_failed"));
  assert.ok(isAlive(cracks[at][0].node, at) && model.nodes.includes(cracks[at][0].node));
});

test("the reach is into the slot that the sentence tells of", () => {
  const raw = stored("shared_in_a_loop.json");
  const step = raw.steps.findIndex(({ kind }) => kind === "backward_failed");
  const [{ slot }] = opened(raw).moment(step).acts.filter(({ type }) => type === "fail");
  assert.ok(raw.steps[step].sentence.includes(`\`${slot.label}\``));
});

test("a line flies by, a sum is dwelt on, and no run is longer than a person watches", () => {
  for (const [, raw] of PROGRAMS) {
    const { model, scene } = opened(raw);
    const times = durationsOf(model);
    assert.equal(times.length, scene.steps.length);
    const errors = scene.steps.filter(({ kind }) => /failed|raised/.test(kind)).length;
    assert.ok(times.reduce((sum, time) => sum + time, 0) <= 90_000 + 3600 * errors);
    assert.ok(times.every((time) => time > 0));
  }
  const { model, scene } = opened(stored("diamond.json"));
  const times = durationsOf(model);
  const first = (kind) => times[scene.steps.findIndex((step) => step.kind === kind)];
  assert.ok(first("line") < first("node_made") && first("node_made") < first("node_ran"));
  assert.ok(first("node_ran") < first("grad_added"));
});

test("on the axis of playing time a press lands on the step that is played there", () => {
  const scale = timeScale([300, 100, 1700, 40]);
  assert.deepEqual([0, 1, 2, 3].map(scale.at), [0, 100 / 1840, 1800 / 1840, 1]);
  for (let step = 0; step < 4; step++) assert.equal(scale.stepAt(scale.at(step)), step);
  assert.deepEqual([0.01, 0.5, 0.99].map(scale.stepAt), [1, 2, 3]);
  assert.equal(timeScale([300]).at(0), 0);
});

test("a value is a bar, a grid or a spread, and its numbers are short", () => {
  const whole = (data, shape) => ({ data, shape, dtype: "float32", whole: true });
  assert.deepEqual(gridOf(whole(2, [])), { scalar: 2 });
  assert.deepEqual(gridOf(whole([[1, 2], [3, 4]], [2, 2])), { rows: [[1, 2], [3, 4]] });
  assert.equal(gridOf(whole([], [0])), null);
  const long = gridOf(whole(Array.from({ length: 16 }, (_, i) => i), [16]));
  assert.deepEqual([long.rows.length, long.rows[0].length], [4, 4]);
  const tall = gridOf(whole(Array.from({ length: 64 }, (_, i) => [i]), [64, 1]));
  assert.deepEqual([tall.rows.length, tall.rows[0].length], [8, 8]);
  const packed = btoa("\x00\x3c\x00\xc0");
  const cells = { shape: [2, 64, 64], grid: [1, 2], cells: [0, packed], whole: false, min: -2, max: 1 };
  assert.deepEqual(gridOf(/** @type {any} */ (cells)), { rows: [[1, -2]] });
  assert.equal(mostOf(/** @type {any} */ (cells)), 2);
  const spread = { shape: [900], whole: false, min: 0, max: 1, bins: [1, 2] };
  assert.deepEqual(gridOf(/** @type {any} */ (spread)), { bins: [1, 2], min: 0, max: 1 });
  assert.deepEqual(tileSize(whole([1, 2, 3, 4], [4]), 40), [40, 40 / 2.4]);
  for (const [number, text] of [[0.26, ".26"], [-3, "−3"], [0, "0"], [1e-5, "1e-5"], [12345.6, "1e4"], [2.718, "2.72"],
    [13.9614, "13.96"], [41.884, "41.88"], [124.76, "124.8"], [9999.4, "9999"], [0.0123, ".012"], [true, "1"],
    ["nan", "nan"], [-0.5, "−.5"]])
    assert.equal(tileNumber(number), text);
  for (const [number, text] of [[13.9614, "14"], [0.2794, ".28"], [124.76, "125"], [1234.5, "1e3"]])
    assert.equal(tileNumber(number, SHORT), text);
});

test("what is far apart is moved within bounds", () => {
  const row = [{ w: 20 }, { w: 20 }, { w: 20 }];
  const room = { before: ({ w }) => w / 2, after: ({ w }) => w / 2, gap: 4 };
  assert.deepEqual(within([0, 100, 124], row, 0, 120, room), [10, 86, 110]);
  assert.deepEqual(within([50, 60, 200], row, 0, 68, room), [10, 34, 58]);
});

test("things are set apart near where they want to be, and within bounds", () => {
  const room = { before: () => 5, after: () => 5, gap: 2 };
  assert.deepEqual(setApart([1, 2, 3], [0, 0, 100], room), [-6, 6, 100]);
  assert.deepEqual(setApart([1, 2], [10, 0], room), [-1, 11]);
  assert.deepEqual(within([-6, 6], [1, 2], 0, 100, room), [5, 17]);
});

test("what is behind a card is counted anew for every step", () => {
  const { model, scene, state, moment } = opened(training(2, 3));
  const nodes = model.nodes.filter(({ leaf }) => !leaf);
  const steps = [0, scene.calls[0].from, scene.calls[0].to, state.last];
  for (const step of [...steps, ...steps.reverse()]) {
    const { all, born, ran, held, freed } = countsOf(model, nodes, moment(step));
    const alive = nodes.filter((node) => isAlive(node, step));
    const slots = alive.flatMap(({ id, box }) => box.slots.map((slot) => state.at(id, `slot:${slot.name}`, step)));
    assert.deepEqual([all, born], [nodes.length, alive.length]);
    assert.equal(ran, alive.filter(({ id }) => state.at(id, "order", step) !== null).length);
    assert.equal(freed, slots.filter((each) => each === "freed").length);
    assert.equal(held, slots.filter((each) => each !== null && each !== "freed").length);
  }
});

test("a cursor finds the codes of a step from whichever side it comes", () => {
  const track = (steps, values, before) => ({ steps, values, before });
  const tracks = [track([1, 4], ["a", null], null), undefined, track([4], [2], 1)];
  const cursor = createCursor(tracks, (value) => Number(value !== null) + Number(value === 2));
  for (const [step, codes] of [[0, "001"], [1, "101"], [9, "002"], [3, "101"], [4, "002"], [-1, "001"]])
    assert.equal([...cursor.at(step)].join(""), codes, `step ${step}`);
});

test("gradients on lines cover no thing, and none another: where there is no room they wait as beads", () => {
  let [large, small] = [0, 0];
  for (const raw of [stored("diamond.json"), stored("shared_in_a_loop.json"), training(2, 3), determinant(3)])
    for (const room of ROOMS) {
      const run = opened(raw);
      run.resize(room);
      const layout = run.layout(run.scene.calls[0].to);
      const { waits, rests, beads, tiles } = restsOf(layout);
      assert.ok([...waits.values(), ...rests.values()].every((part) => part > 0 && part < 1));
      const things = layout.items.map((item) => boxOf(item, layout));
      const numbered = tiles.slice(0, waits.size - beads.size);
      const arrived = tiles.slice(waits.size, waits.size + rests.size);
      for (const set of [numbered, arrived])
        for (const [i, tile] of set.entries())
          for (const other of [...things, ...set.slice(0, i)])
            assert.ok(overlapOf(tile, other) < 0.03 * tile.w * tile.h, JSON.stringify([tile, other]));
      large += numbered.length;
      small += beads.size;
    }
  assert.ok(small && large > 5 * small);
});

test("lines to leaves pass beside what stands below their nodes", () => {
  let seen = 0;
  for (const [, raw] of PROGRAMS)
    for (const room of ROOMS.slice(1)) {
      const run = opened(raw);
      run.resize(room);
      const layout = run.layout(run.scene.calls[0]?.from ?? run.state.last);
      if (!layout.lying) continue;
      for (const { link, route } of waysOf(layout)) {
        if (link.to.type !== "leaf") continue;
        const below = layout.items.filter((item) => item.column === link.from.column && item.row === link.from.row
          && item !== link.from && item.y > link.from.y);
        for (const { x, y, w, h } of below) {
          const [wide, high] = [(w / 2) * layout.scale, (h / 2) * layout.scale];
          const inside = (at) => Math.abs(at.x - x) < wide && Math.abs(at.y - y) < high;
          const points = Array.from({ length: 60 }, (_, i) => along(route, i / 59));
          assert.ok(!points.some(inside), `${link.key} in ${room}`);
          seen++;
        }
      }
    }
  assert.ok(seen);
});

test("no thing lies on another", () => {
  for (const [name, raw] of PROGRAMS) {
    const run = opened(raw);
    run.resize(ROOMS[0]);
    for (const step of some(run.state.last, 20)) {
      const { items, scale, wanted } = run.layout(step);
      if (wanted < MIN_SCALE) continue;
      const things = items.map((item) => ({ item, x: item.x, y: item.y, scale }));
      for (const [i, a] of things.entries())
        for (const b of things.slice(i + 1)) assert.ok(areApart(a, b), `${name}, ${step}: ${a.item.key} ${b.item.key}`);
    }
  }
});

test("no thing slides over another while they move, and all are there in the end", () => {
  for (const [name, raw] of PROGRAMS)
    for (const room of [ROOMS[0], ROOMS[2]]) {
      const run = opened(raw);
      run.resize(room);
      const sprites = new Map();
      for (const step of some(run.state.last)) {
        const layout = run.layout(step);
        if (layout.wanted < MIN_SCALE) continue;
        aim(sprites, layout, step, () => null);
        const seen = () => [...sprites.values()].filter(({ gone, alpha }) => !gone && alpha > 0);
        for (let time = 0; time < 300; time += 20) {
          ease(sprites, 20);
          for (const [i, a] of seen().entries())
            for (const b of seen().slice(i + 1))
              assert.ok(areApart(a, b) || !areApart(aimOf(a), aimOf(b)), [name, step, a.item.key, b.item.key].join());
        }
        for (let time = 0; time < 1500; time += 50) ease(sprites, 50);
        assert.equal(seen().length, sprites.size, `${name}, ${step}`);
        assert.ok(seen().every(({ alpha }) => alpha > 0.9), `${name}, ${step}`);
      }
    }
});

const aimOf = ({ item, to }) => ({ item, ...to });

/** Whether two things lie beside one another, but for a pixel. */
function areApart(a, b) {
  const gap = (at, size) => Math.abs(a[at] - b[at]) - (a.item[size] * a.scale + b.item[size] * b.scale) / 2;
  return Math.max(gap("x", "w"), gap("y", "h")) > -1;
}

test("a slot is named by the end of a path", () => {
  for (const [label, said] of [
    ["net.4.weight.t()", "4.weightᵀ"], ["W.T", "Wᵀ"], ["model.blocks.0.ln1.weight", "ln1.weight"],
    ["temporary", "input"], ["out - x", "out - x"], ["softmax(q @ k)", "softmax(q @…"],
  ]) assert.equal(slotLabel({ label, name: "self" }), said);
});

test("the sign of a node begins its title", () => {
  const run = opened(stored("diamond.json"));
  run.resize(ROOMS[0]);
  const layout = run.layout(run.scene.calls[0].from);
  const sprites = new Map(layout.items.map((item) => [item.key, { ...item, scale: layout.scale }]));
  for (const item of layout.items.filter(({ type }) => type === "node")) {
    const from = (signOf({ layout, sprites }, item).x - item.x) / layout.scale + item.w / 2;
    const title = width(item.nodes[0].short, 14) + width(`#${item.nodes[0].box.nr}`, 14);
    assert.ok(from >= 12 && from <= (item.w - title) / 2, item.key);
  }
});

test("a number has one bar in the whole run, and the towers of all leaves one measure", () => {
  for (const raw of [stored("diamond.json"), stored("accumulation.json"), stored("shared_in_a_loop.json")]) {
    const { model, state } = opened(raw);
    const scalars = (places) => places.map((place) => raw.values[place]).filter((each) => each && !each.shape.length)
      .map(({ data }) => Math.abs(data));
    const sent = raw.wires.flatMap(({ id }) => state.track(id, "value")?.values ?? []);
    const stored = model.leaves.flatMap(({ grads }) => grads.map(({ value }) => value));
    const kept = model.nodes.flatMap(({ slots }) => slots.map(({ value }) => value));
    assert.ok(scalars([...sent, ...stored, ...kept]).every((size) => size <= fullBarOf(model)));
    assert.ok(scalars(stored).every((size) => size <= fullTowerOf(model)));
  }
});

test("the 1 that a call starts with is measured with the others, though all of them are smaller", () => {
  const raw = structuredClone(stored("accumulation.json"));
  for (const value of raw.values) if (value.data !== 1) value.data = 0.25;
  assert.equal(fullBarOf(opened(raw).model), 1);
});

test("a pass begins with the first node that is built, or with a call", () => {
  const passesOf = (raw) => {
    const { model } = opened(raw);
    const found = raw.steps.map((_, step) => passAt(model, step)).filter(Boolean);
    return [...new Set(found)].map(({ way, nr, from }) => [way, nr, raw.steps[from].kind]);
  };
  const [forward, backward] = [["forward", "node_made"], ["backward", "backward_started"]].map(([way, kind]) =>
    (nr) => [way, nr, kind]);
  assert.deepEqual(passesOf(stored("diamond.json")), [forward(1), backward(1)]);
  assert.deepEqual(passesOf(stored("accumulation.json")), [forward(1), backward(1), backward(2)], "of one graph");
  const turns = passesOf(training(2, 3));
  assert.deepEqual(turns.map(([way, nr]) => [way, nr]), [1, 2, 3].flatMap((nr) => [["forward", nr], ["backward", nr]]));
});

test("lines to where gradients are added end at the mouth of a funnel before the node", () => {
  let seen = 0;
  for (const raw of [stored("diamond.json"), recurrent(6)]) {
    const run = opened(raw);
    for (const room of ROOMS) {
      run.resize(room);
      const layout = run.layout(run.scene.calls[0].from);
      for (const { edge, link, route } of waysOf(layout)) {
        if (link.to.type !== "node") continue;
        const { x, y } = along(route, 1);
        const [dx, dy] = [Math.abs(x - link.to.x) / layout.scale, Math.abs(y - link.to.y) / layout.scale];
        const off = Math.max(dx - link.to.w / 2, dy - link.to.h / 2);
        const adds = Boolean(edge.to.box.adds?.length);
        assert.equal(off > 10, adds, `${edge.id}: ${off}`);
        seen += Number(adds);
      }
    }
  }
  assert.ok(seen);
});

test("gradients are added at the funnel of their node, and counted in it", () => {
  const raw = stored("diamond.json");
  let seen = 0;
  for (const room of ROOMS) {
    const run = opened(raw);
    run.resize(room);
    for (const [step, { kind }] of raw.steps.entries()) {
      if (kind !== "grad_added") continue;
      const layout = run.layout(step);
      const sprites = new Map(layout.items.map((item) => [item.key, { ...item, scale: layout.scale }]));
      const frame = { layout, sprites, panels: [], targets: [], width: room[0], height: room[1] };
      for (const { node } of run.moment(step).acts.filter(({ type }) => type === "meet")) {
        const item = itemOf(frame, node);
        const mouth = mouthOf(frame, item);
        const spot = panelSpot(frame, item, mouth, { w: 70, h: 110 });
        const away = ["x", "y"].map((at, i) => Math.abs(spot[at] - mouth[at]) - spot["wh"[i]] / 2 - mouth.size / 2);
        assert.ok(Math.max(...away) <= 8, `step ${step} in ${room}`);
        const pips = pipPlaces(layout, item, sprites.get(item.key), 2);
        for (const { x, y } of pips) assert.ok(Math.hypot(x - mouth.x, y - mouth.y) < 60 * layout.scale);
        assert.equal(pipPlaces(layout, item, sprites.get(item.key), 7), null);
        seen++;
      }
    }
  }
  assert.ok(seen > 3);
});

test("edges between the same two run apart", () => {
  const { layout, model, resize, scene } = opened(stored("diamond.json"));
  resize(ROOMS[0]);
  const ways = waysOf(layout(scene.calls[0].from)).filter(({ link }) => link.edges.length === 2);
  assert.ok(model && ways.length);
  for (const { link, edge, route } of ways) {
    const other = ways.find((each) => each.link === link && each.edge !== edge).route;
    const points = Array.from({ length: 21 }, (_, i) => along(other, i / 20));
    const { x, y } = along(route, 0.5);
    assert.ok(Math.min(...points.map((at) => Math.hypot(at.x - x, at.y - y))) >= 10, link.key);
  }
});

test("of some places that one is taken that covers least", () => {
  const item = { x: 100, y: 100, w: 80, h: 60, tag: 50, lens: null };
  const layout = { items: [item], scale: 1, lying: true };
  assert.deepEqual(boxOf(item, layout), { x: 100, y: 82, w: 80, h: 96 });
  const places = [[100, 40], [100, 60], [100, 150], [190, 60]].map(([x, y]) => ({ x, y, w: 90, h: 30 }));
  assert.equal(freest(layout, places), places[2]);
  assert.equal(freest(layout, [places[1], places[3]]), places[3]);
  const [sure, maybe] = [{ x: 0, y: 0, w: 10, h: 10 }, { x: 20, y: 0, w: 10, h: 10 }];
  assert.equal(leastCovering([{ ...sure, y: 9 }, maybe], [sure], [maybe]), maybe);
});

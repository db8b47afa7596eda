/**
 * Scenes made to measure: programs that nobody has to run, with as many boxes as a test asks for.
 */

/** A scene builder that keeps the books of names, states and steps.
 * @param {string} source
 */
export function maker(source) {
  const scene = {
    schema: "gradreel-scene/1",
    source,
    mode: "script",
    outcome: { kind: "finished", type: null, message: null, line: null },
    values: [
      { shape: [], dtype: "float32", data: 1, whole: true },
      { shape: [2], dtype: "float32", data: [0.5, 2], whole: true },
    ],
    boxes: [],
    wires: [],
    tensors: [],
    groups: [],
    calls: [],
    stretches: [],
    diagnoses: [],
    output: [],
    expression: null,
    steps: [{ kind: "start", line: null, sentence: "The program has not started.", focus: [], changes: {} }],
  };
  const now = new Map();
  const change = (changes, key, property, after) => {
    const id = `${key}/${property}`;
    const before = now.get(id) ?? null;
    now.set(id, after);
    (changes[key] ??= {})[property] = [before, after];
  };
  const step = (kind, line, sentence, focus, sets) => {
    const changes = {};
    change(changes, "program", "line", line);
    for (const [key, property, after] of sets) change(changes, key, property, after);
    scene.steps.push({ kind, line, sentence, focus, changes });
    return scene.steps.length - 1;
  };
  const group = (title, kind = "iteration", parent = null, line = 2) => {
    const id = `g${scene.groups.length}`;
    scene.groups.push({ id, kind, title, line, parent });
    return id;
  };
  const add = (box) => {
    const id = `n${scene.boxes.length}`;
    scene.boxes.push({
      id,
      kind: "node",
      name: "MulBackward0",
      op: "mul.Tensor",
      nr: null,
      line: 3,
      iteration: null,
      function: null,
      generation: 0,
      call: null,
      group: null,
      formula: [],
      inputs: [],
      output: null,
      slots: [],
      variable: null,
      tensor: null,
      ...box,
    });
    return id;
  };
  const leaf = (variable) => {
    const id = add({ kind: "leaf", name: "AccumulateGrad", variable, tensor: `t${scene.tensors.length}` });
    scene.tensors.push({
      id: `t${scene.tensors.length}`,
      shape: [],
      dtype: "float32",
      storage: scene.tensors.length,
      box: id,
      op: "tensor",
      base: null,
    });
    return id;
  };
  const slot = (name) => ({
    name,
    label: name,
    kind: "tensor",
    text: null,
    shape: [],
    nbytes: 4,
    value: 0,
    version: 0,
    storage: 0,
  });
  let held = 0;
  let nr = 0;
  const node = (name, inputs, { group: into = null, slots = ["self"], line = 3 } = {}) => {
    const id = add({ name, nr: nr++, line, group: into, slots: slots.map(slot) });
    const sets = [[id, "state", "built"], ...slots.map((key) => [id, `slot:${key}`, "held"])];
    held += 4 * slots.length;
    sets.push(["program", "bytes", held]);
    inputs.forEach((to, output) => {
      const wire = `w${scene.wires.length}`;
      scene.wires.push({ id: wire, from: id, to, output, input_nr: 0 });
      sets.push([wire, "state", "idle"]);
      if (!now.get(`${to}/state`)) sets.push([to, "state", "built"]);
    });
    step("node_made", line, `Line ${line} builds **${name} #${nr - 1}**.`, [id], sets);
    return id;
  };
  /** Run backward over everything below a node, newest first. */
  const backward = (root, line = 4) => {
    const from = scene.steps.length;
    const out = new Map();
    for (const wire of scene.wires) (out.get(wire.from) ?? out.set(wire.from, []).get(wire.from)).push(wire);
    const reached = new Set([root]);
    for (const id of reached) for (const wire of out.get(id) ?? []) reached.add(wire.to);
    const order = [...reached].sort((a, b) => Number(b.slice(1)) - Number(a.slice(1)));
    order.forEach((id, i) => {
      const box = scene.boxes[Number(id.slice(1))];
      const leafSets = box.kind === "leaf" ? [[id, "grad", 0]] : [];
      step(
        "node_ran",
        line,
        `**${box.name}** runs.`,
        [id],
        [
          [id, "state", "ran"],
          [id, "order", i + 1],
          [id, "grad_in", 0],
          ...leafSets,
          ...(out.get(id) ?? []).flatMap((wire) => [
            [wire.id, "state", "lit"],
            [wire.id, "value", 0],
          ]),
        ],
      );
      if (!box.slots.length) return;
      held -= 4 * box.slots.length;
      step("slot_freed", line, `**${box.name}** lets go.`, [id], [[id, "state", "freed"], ["program", "bytes", held],
        ...box.slots.map((item) => [id, `slot:${item.name}`, "freed"])]);
    });
    scene.calls.push({
      id: scene.calls.length + 1,
      kind: "backward",
      line,
      from,
      to: scene.steps.length - 1,
      retain_graph: false,
      create_graph: false,
      failed: false,
      text: "loss.backward()",
    });
  };
  return { scene, step, group, leaf, node, backward };
}

/** A recurrent net over `length` steps with three shared weights: 3 + about 5 * length boxes. */
export function recurrent(length) {
  const { scene, group, leaf, node, backward } = maker(
    `h = zeros\nfor t in range(${length}):\n    h = tanh(W @ x + U @ h + b)\nh.backward()\n`,
  );
  const [w, u, b] = ["W", "U", "b"].map(leaf);
  let h = null;
  for (let t = 0; t < length; t++) {
    const into = { group: group(`t = ${t}`) };
    const left = node("MvBackward0", [w], into);
    const right = node("MvBackward0", h === null ? [u] : [u, h], into);
    const sum = node("AddBackward0", [left, right], { ...into, slots: [] });
    const shifted = node("AddBackward0", [sum, b], { ...into, slots: [] });
    h = node("TanhBackward0", [shifted], { ...into, slots: ["result"] });
  }
  backward(h);
  return scene;
}

/** The determinant of a matrix of that size by cofactors, each minor in a group of its own. */
export function determinant(size) {
  const { scene, group, leaf, node, backward } = maker(
    "def det(m):\n    return sum(m[0][j] * det(minor(m, j)) for j in range(len(m)))\n\ndet(m).backward()\n",
  );
  const entries = Array.from({ length: size }, (_, i) => Array.from({ length: size }, (_, j) => leaf(`m[${i}][${j}]`)));
  const minor = (row, columns, parent) => {
    if (columns.length === 1) return entries[row][columns[0]];
    const into = { group: group(`det ${columns.length}×${columns.length}`, "frame", parent), slots: ["self", "other"] };
    return columns.reduce((sum, column) => {
      const rest = minor(row + 1, columns.filter((other) => other !== column), into.group);
      const product = node("MulBackward0", [entries[row][column], rest], into);
      return sum === null ? product : node("AddBackward0", [sum, product], { ...into, slots: [] });
    }, null);
  };
  backward(minor(0, entries.map((_, j) => j), null));
  return scene;
}

/** A training loop: `layers` layers, `steps` steps, a backward call each. */
export function training(layers, steps) {
  const { scene, group, leaf, node, backward } = maker(
    `for i in range(${steps}):\n    loss = net(x)\n    loss.backward()\n`,
  );
  const weights = Array.from({ length: layers }, (_, i) => [leaf(`net.${i}.weight`), leaf(`net.${i}.bias`)]);
  for (let i = 0; i < steps; i++) {
    const into = { group: group(`i = ${i}`) };
    let h = null;
    for (const [weight, bias] of weights) {
      const turned = node("TBackward0", [weight], { ...into, slots: [] });
      h = node("AddmmBackward0", h === null ? [bias, turned] : [bias, h, turned], { ...into, slots: ["mat1", "mat2"] });
      h = node("ReluBackward0", [h], { ...into, slots: ["result"] });
    }
    backward(node("MseLossBackward0", [h], into));
  }
  return scene;
}

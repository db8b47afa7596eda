/**
 * Which lines of the program matter at a step, and what to say after them: where the run is, the turn of a loop, who
 * built, freed or changed what is looked at. No DOM: the editor shows what comes out of here.
 */

/** @typedef {import("./editor.js").Mark} Mark */
/** @typedef {{at: (key: string, property: string, step: number) => any, track: (key: string, property: string) => any}} State */

const BACKWARD = new Set(["node_ready", "node_ran", "slot_freed", "slot_retained", "grad_added", "saved_read"]);

/** Which line did what to the culprit, and how to say it; `step` names the step to mention. */
const BLAME = [
  { line: "built", kind: "born", say: ({ name }) => `built ${name}` },
  { line: "saved", kind: "born", say: () => "made what it kept" },
  { line: "freed_by", kind: "kill", step: "freed", say: ({ step }) => `freed it${step}` },
  { line: "changed", kind: "kill", step: "changed", say: ({ step }) => `changed it${step}` },
];

/**
 * @param {any} scene
 * @param {State} state
 * @param {number} step
 * @param {string|null} [selected] the id of a box
 * @returns {Mark[]}
 */
export function lineMarks(scene, state, step, selected = null) {
  const marks = [];
  const add = (line, kind, text) => {
    if (line) marks.push({ line, kind, text });
  };
  add(state.at("program", "line", step), "now");
  for (const [line, turn, turns] of state.at("program", "loops", step) ?? [])
    add(line, undefined, turns === null ? `iteration ${turn}` : `iteration ${turn} of ${turns}`);
  const diagnosis = selected ? null : diagnosisAt(scene, step);
  if (diagnosis) blame(scene, diagnosis, add);
  else for (const box of lookedAt(scene, step, selected)) lifeOf(scene, state, step, box, add);
  if (step === scene.steps.length - 1 && scene.outcome.kind !== "finished") add(scene.outcome.line, "bad");
  return marks;
}

/** The diagnosis of the error that this step is about. */
function diagnosisAt(scene, step) {
  return scene.diagnoses.find((diagnosis) => diagnosis.steps?.raised === step) ?? null;
}

function blame(scene, diagnosis, add) {
  const name = scene.boxes.find((box) => box.id === diagnosis.nodes?.[0])?.name ?? "the node";
  for (const { line, kind, step, say } of BLAME) {
    const number = diagnosis.steps?.[step];
    add(diagnosis.lines?.[line], kind, say({ name, step: number === undefined || number === null ? "" : ` at step ${number}` }));
  }
  add(diagnosis.lines?.raised, "bad");
}

/** The boxes whose lines are worth showing: the selected one, else the one that a backward call is busy with. */
function lookedAt(scene, step, selected) {
  const { kind, focus } = scene.steps[step];
  const ids = selected ? [selected] : kind === "node_made" ? focus.slice(-1) : BACKWARD.has(kind) ? focus.slice(0, 1) : [];
  return ids.map((id) => scene.boxes.find((box) => box.id === id)).filter(Boolean);
}

/** Mark the line that built a box and the one that emptied it, as far as that has happened. */
function lifeOf(scene, state, step, box, add) {
  if (!state.at(box.id, "state", step)) return;
  if (box.kind !== "leaf") add(box.line, "born", `built ${box.name}`);
  for (const slot of box.slots) {
    const track = state.track(box.id, `slot:${slot.name}`);
    const index = track ? track.values.indexOf("freed") : -1;
    if (index < 0 || track.steps[index] > step) continue;
    const freed = track.steps[index];
    add(scene.steps[freed].line, "kill", freed === step ? "frees it now" : `freed it at step ${freed}`);
    return;
  }
}

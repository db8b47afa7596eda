/** A scene in which nothing happens, for a page whose first answer is only a sentence. @param {string} source */
export function blank(source) {
  const start = { kind: "start", line: 0, sentence: "Nothing has run yet.", focus: [], changes: {} };
  const none = { values: [], boxes: [], wires: [], tensors: [], groups: [], calls: [], stretches: [], diagnoses: [], output: [] };
  const outcome = { kind: "finished", type: null, message: null, line: null };
  return { source, mode: "script", outcome, steps: [start], expression: null, unrun: true, ...none };
}

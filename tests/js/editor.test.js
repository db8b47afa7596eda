import assert from "node:assert/strict";
import test from "node:test";

import { endOf, fitValue, reveal } from "../../gradreel/player/web/editor/editor.js";

const LINE = 20;
/** The program begins so far below the upper rim of the pane around the editor. */
const BELOW = 30;
/** An editor in what scrolls: itself, its box, the pane around. */
const view = (scroller, box, around) => ({
  state: { doc: { line: (number) => ({ from: number }) } },
  lineBlockAt: (from) => ({ top: (from - 1) * LINE, bottom: from * LINE, height: LINE }),
  get documentTop() {
    return BELOW - scroller.scrollTop - box.scrollTop - around.scrollTop;
  },
  scrollDOM: scroller,
  dom: { parentElement: box, closest: () => around },
});
const pane = (top, clientHeight, scrollHeight = clientHeight) => ({
  clientHeight, scrollHeight, scrollTop: 0, getBoundingClientRect: () => ({ top }),
});

test("the line where the run is comes into sight in whatever scrolls: editor, what it stands in, pane", () => {
  for (const at of [0, 1, 2]) {
    const panes = [pane(BELOW, 2000), pane(BELOW, 2000), pane(0, 2100)];
    Object.assign(panes[at], { clientHeight: 200, scrollHeight: 2000 });
    const made = view(...panes);
    const before = at === 2 ? BELOW : 0;
    for (const [line, top] of [[5, 0], [11, 12 * LINE - 200], [79, 78.5 * LINE - 100], [73, 71 * LINE]]) {
      reveal(made, line);
      const place = `line ${line}: the next ones at the rim, those far away in the middle`;
      assert.equal(panes[at].scrollTop, top && top + before, place);
    }
    reveal(made, 3);
    assert.equal(panes[at].scrollTop, 0);
    assert.deepEqual(panes.toSpliced(at, 1).map(({ scrollTop }) => scrollTop), [0, 0]);
  }
});

test("a pane that has room for all of the editor stays where a person has scrolled it", () => {
  const panes = [pane(BELOW, 380, 2000), pane(BELOW, 380), pane(0, 600, 900)];
  panes[2].scrollTop = 300;
  reveal(view(...panes), 1);
  assert.equal(panes[2].scrollTop, 300);
});

test("where nothing scrolls, nothing is scrolled", () => {
  const panes = [pane(BELOW, 2000), pane(BELOW, 2000), pane(0, 2100)];
  reveal(view(...panes), 79);
  assert.deepEqual(panes.map(({ scrollTop }) => scrollTop), [0, 0, 0]);
});

test("a line too long for its row is broken between words, and within those that are too long themselves", () => {
  for (const [line, row, end] of [
    ["a = 1", 30, 5],
    ["t = torch.eye(2, requires_grad=True)", 36, 36],
    ["t = torch.eye(2, requires_grad=True)", 25, 21],
    ["aaaa bbbb cccc", 9, 6],
    ["loss = torch.nn.functional.mse_loss(prediction, target)", 20, 14],
    [`x = ${"y".repeat(40)}`, 22, 2],
    ["model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))", 38, 33],
  ])
    assert.equal(endOf(line, row, 2), end, line);
});

test("a value is cut to what its line leaves of the last row, or left out where that says nothing", () => {
  for (const [text, code, said, row, shown] of [
    ["= 1", 36, 0, 42.9, "= 1"],
    ["= [2, 1]", 30, 0, 42.9, "= [2, 1]"],
    ["= [0.5, 0.25]", 31, 0, 42.9, "= [0.5…"],
    ["= [1, 2, … ×9]", 29, 0, 42.9, "= [1, 2…"],
    ["= [8,2] -0.1…\u20600.3", 23, 0, 42.9, "= [8,2] -0.1…\u20600.3"],
    ["= [8,2] -0.12…\u20600.34", 26, 0, 42.9, "= [8,2] tensor"],
    ["= [8,2] -0.12…\u20600.34", 30, 0, 42.9, "= [8,2]…"],
    ["= [2, 1]", 37, 0, 42.9, ""],
    ["= [1, 1]", 41.8, 0, 42.9, ""],
    ["= [1, 1]", 42.9, 0, 42.9, ""],
    ["step = 1", 23.7, 16, 42.9, ""],
    ["step = 10", 23.7, 19, 42.9, "step = 10"],
    ["order = 1", 23.7, 6, 42.9, "order = 1"],
    ["order = 12", 27.7, 6, 42.9, ""],
    ["= 1", 60, 0, 42.9, "= 1"],
    ["= 1", 10, 0, 0, ""],
  ]) assert.equal(fitValue(text, code, said, row), shown, `${text} after ${code} and ${said} of ${row}`);
});

import assert from "node:assert/strict";
import test from "node:test";

import { reveal } from "../../gradreel/player/web/editor.js";

const LINE = 20;
const view = (scroller, around) => ({
  state: { doc: { line: (number) => ({ from: number }) } },
  lineBlockAt: (from) => ({ top: (from - 1) * LINE, bottom: from * LINE, height: LINE }),
  scrollDOM: scroller,
  dom: { parentElement: around },
});
const pane = (clientHeight, scrollHeight, scrollTop = 0) => ({ clientHeight, scrollHeight, scrollTop });

test("the line where the run is comes into sight in whatever scrolls: the editor, or what it stands in", () => {
  for (const at of [0, 1]) {
    const panes = [pane(2000, 2000), pane(2000, 2000)];
    panes[at].clientHeight = 200;
    const made = view(...panes);
    reveal(made, 5);
    assert.equal(panes[at].scrollTop, 0);
    reveal(made, 79);
    assert.equal(panes[at].scrollTop, 79 * LINE - 200 + LINE);
    reveal(made, 3);
    assert.equal(panes[at].scrollTop, LINE);
    assert.equal(panes[1 - at].scrollTop, 0);
  }
});

test("where nothing scrolls, nothing is scrolled", () => {
  const panes = [pane(2000, 2000), pane(2000, 2000)];
  reveal(view(...panes), 79);
  assert.deepEqual(panes.map(({ scrollTop }) => scrollTop), [0, 0]);
});

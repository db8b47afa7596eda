/**
 * The steps that a person has marked and the stretch that plays again and again: kept here, shown by timeline and controls.
 */

import { loopAround, toggled } from "./ranges.js";

/** @param {{setBookmarks: (marks: number[]) => void, setLoop: (range: {from: number, to: number}|null) => void}} timeline
 * @param {{showMarks: (how: {looping: boolean, marked: boolean}) => void}} controls
 */
export function createBookmarks(timeline, controls) {
  let marks = [];
  let range = null;
  let now = 0;
  const show = () => controls.showMarks({ looping: range !== null, marked: marks.includes(now) });
  const setMarks = (next) => {
    marks = next;
    timeline.setBookmarks(marks);
    show();
  };
  const setRange = (next) => {
    range = next;
    timeline.setLoop(range);
    show();
  };

  return {
    all: () => marks,
    range: () => range,
    toggle: (step) => setMarks(toggled(marks, step)),
    toggleLoop: (stretches, step, last) => setRange(range ? null : loopAround(stretches, marks, step, last)),
    clear: () => {
      setMarks([]);
      setRange(null);
    },
    /** The step is another now. @param {number} step */
    show: (step) => {
      now = step;
      show();
    },
  };
}

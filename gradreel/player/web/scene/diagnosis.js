/**
 * What a diagnosis tells, and from when: whether of an error or of silent trouble, and what its story says of which
 * line. Pure.
 */

/** @import { Diagnosis } from "./types.js" */

const LINE = /\*\*line (\d+)\*\*/g;

/** Whether it tells of an error that was raised; else of trouble that nothing was said of. */
export const isError = (diagnosis) => diagnosis.steps?.raised !== undefined;

/** The step from which it is shown. @param {Diagnosis} diagnosis @param {number} last  the last step of the run */
export const firstStepOf = (diagnosis, last) => diagnosis.steps?.raised ?? diagnosis.steps?.seen ?? last;

/** The sentences of a story by the lines that they speak of.
 * @param {string[]} story
 * @returns {Map<number, string[]>}
 */
export function sentencesByLine(story) {
  const found = new Map();
  for (const sentence of story) {
    for (const line of new Set([...sentence.matchAll(LINE)].map((match) => Number(match[1])))) {
      found.set(line, [...(found.get(line) ?? []), sentence]);
    }
  }
  return found;
}

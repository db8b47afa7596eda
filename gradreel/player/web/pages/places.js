/** The pages beside the Lab, by name: each is made from its first letter and then shown the answers to what it asks. */

import { createAbout } from "./about.js";
import { createCatalogue } from "./operators.js";
import { createComparison } from "./compare.js";
import { createCourse } from "./lessons.js";
import { createMuseum } from "./gallery.js";

/** @typedef {{head: any, scene: any, beside: any}} Answer
 *  @typedef {{show: (answer: Answer) => void, say: Function, busy: (busy: boolean) => void, again: () => void,
 *             moved: () => void, rest: () => void,
 *             setTheme: (name: "light"|"dark") => void, destroy: () => void}} Place
 *  @typedef {Answer & {page: any, ask: (question: any, how?: {urgent?: boolean}) => void, giveUp: () => void, theme: "light"|"dark"}} Start */

/** @type {Record<string, (root: HTMLElement, start: Start) => Place>} */
export const PLACES = { lessons: createCourse, compare: createComparison, operators: createCatalogue, gallery: createMuseum, about: createAbout };

/**
 * One page of the app: made of its first response, and shown the responses to what it asks.
 */

import { createLab } from "../app/lab.js";
import { DamagedLink, isEmbedded, readAddress, stepAsked } from "../app/link.js";
import { fingerprint } from "../app/server.js";
import { saveFile } from "../lib/dom.js";
import { blankScene, decodePayload } from "../scene/scene.js";
import { createAbout } from "./about.js";
import { createComparison } from "./compare.js";
import { createGallery } from "./gallery.js";
import { createLessons } from "./lessons.js";
import { createOperators } from "./operators.js";

/** @import { Head, PageRequest } from "../app/server.js" */
/** @import { Scene } from "../scene/types.js" */

/** @typedef {ReturnType<typeof import("../app/server.js").decodeResponse>} PageResponse
 * @typedef {"light"|"dark"} Theme
 * @typedef {{take: (response: PageResponse) => Promise<void>, followAddress: () => void, rest: () => void, busy: (busy:
 *   boolean) => void, say: Function, setTheme: (theme: Theme) => void, destroy: () => void}} Page
 */

/**
 * Get ready to make the page of a first response. What is given then makes it at once: nothing is seen half done.
 * @param {PageResponse} response
 * @param {{ask: Function, giveUp: () => void}} how
 * @returns {Promise<(root: HTMLElement, theme: Theme) => Page>}
 */
export const createPage = (response, how) =>
  (response.head.place === "lab" ? createLabPage : createContentPage)(response, how);

/** A page that is not the Lab. */
async function createContentPage(first, { ask, giveUp }) {
  const page = await decodePayload(first.page);
  const answers = async ({ head, scene, beside }) => {
    const scenes = await Promise.all([scene, beside].map((part) => part && decodePayload(part)));
    return { head, scene: scenes[0], beside: scenes[1] };
  };
  const nameOf = ({ head, scene, beside }) => [head.request, fingerprint(scene), fingerprint(beside)].join();
  const start = await answers(first);

  return (root, theme) => {
    let shown = nameOf(first);
    const view = PLACES[first.head.place](root, { ...start, page, ask, giveUp, theme });
    showMessage(view, first.head);
    return {
      ...view,
      async take(response) {
        if (nameOf(response) === shown) return;
        shown = nameOf(response);
        view.show(await answers(response));
        showMessage(view, response.head);
      },
    };
  };
}

/** The Lab: it opens what a link names, and gives files. */
async function createLabPage({ head, scene }, { ask, giveUp }) {
  const embedded = isEmbedded(location);
  // The program of a link has yet to run: nothing else is shown in its place.
  const named = await readAddress(location).catch(() => null);
  const source = named?.source ?? head.source ?? "";
  const opening = scene && !named ? await decodePayload(scene) : blankScene(source);

  return (root, theme) => {
    const place = embedded ? "embed" : head.place;
    const lab = createLab(root, {
      head: { ...head, source, place },
      scene: opening,
      ask,
      giveUp,
      theme,
      step: embedded ? stepAsked(location) : null,
    });
    let shown = [head.source, fingerprint(scene)].join();
    let saved = null;
    /** A link that was opened and whose program has not come yet. */
    let link = null;

    /** Open the program that the address names. @returns {Promise<boolean>} whether it names one, be it damaged */
    async function follow() {
      try {
        const named = await readAddress(location);
        if (!named) return false;
        link = named;
        lab.open(named);
      } catch (error) {
        if (!(error instanceof DamagedLink)) throw error;
        lab.clear(blankScene(""));
        lab.say(error.message, { lasting: true });
      }
      return true;
    }

    showMessage(lab, head);
    follow().then((found) => found || embedded || lab.resume());
    return {
      ...lab,
      followAddress: follow,
      rest: () => lab.player.pause(),
      async take({ head, scene, file }) {
        if (file && saved !== head.request) {
          saved = head.request;
          const whole = await new Response(
            new Blob([file]).stream().pipeThrough(new DecompressionStream("gzip")),
          ).blob();
          saveFile(head.file.name, new Blob([whole], { type: head.file.type }));
        }
        showMessage(lab, head);
        const mark = [head.source, fingerprint(scene)].join(); // two texts may hold one program
        if (!scene || (mark === shown && !link)) return;
        shown = mark;
        lab.show(await decodePayload(scene), link?.step ?? null, head);
        link = null;
      },
    };
  };
}

/** A sentence instead of a scene; one about trouble that may be over by now offers to try again. */
function showMessage(view, { message, again }) {
  if (message) view.say(message, { lasting: true, offer: again ? { title: "Run it again", act: view.again } : null });
}

/** @typedef {{head: Head, scene: Scene|null, beside: Scene|null}} Answer
 * @typedef {{show: (answer: Answer) => void, say: Function, busy: (busy: boolean) => void, again: () => void,
 *   followAddress: () => void, rest: () => void, setTheme: (name: "light"|"dark") => void, destroy: () => void}}
 *   PageView
 * @typedef {Answer & {page: any, ask: (request: PageRequest, how?: {urgent?: boolean}) => void, giveUp: () => void,
 *   theme: "light"|"dark"}} Start
 */

/** @type {Record<string, (root: HTMLElement, start: Start) => PageView>} */
export const PLACES = {
  lessons: createLessons,
  compare: createComparison,
  operators: createOperators,
  gallery: createGallery,
  about: createAbout,
};

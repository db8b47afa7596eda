/**
 * Ways to hand a step to somebody else: its link, and the HTML that shows it within another page.
 */

import { embedAddress, LONGEST_LINK, writeLink } from "./link.js";

/**
 * @param {{place: () => {source: string, step: number, values: any}, home: () => URL, keepAsFile: () => void,
 *          say: (text: string, how?: {lasting?: boolean, offer?: {title: string, act: () => void}}) => void}} lab
 *  `place` is what a link names; `keepAsFile` helps where a link cannot.
 */
export function createSharing({ place, home, keepAsFile, say }) {
  /** The link to this step; nothing, and a sentence, where the program is too long for one. */
  async function linkHere() {
    const here = place();
    if (!here.source.trim()) return void say("There is no program to hand on yet.");
    const fragment = await writeLink(here);
    if (fragment.length <= LONGEST_LINK) return fragment;
    return void say("This program is too long for a link. A file of it can be opened here again.",
      { lasting: true, offer: { title: "Save the file", act: keepAsFile } });
  }

  return {
    async copyEmbed() {
      const fragment = await linkHere();
      if (!fragment) return;
      const html = `<iframe src="${embedAddress(fragment, home().href)}" width="100%" height="640" style="border: 0" title="Gradreel"></iframe>`;
      try {
        await navigator.clipboard.writeText(html);
        say("Copied. Paste it into the HTML of your page: it shows this program at this step.");
      } catch {
        say(html, { lasting: true });
      }
    },
    async copyLink() {
      const fragment = await linkHere();
      if (!fragment) return;
      history.replaceState(history.state, "", fragment);
      try {
        await navigator.clipboard.writeText(new URL(fragment, location.href).href);
        say("Link copied. It opens this program at this step.");
      } catch {
        say("The link to this step is in the address bar now.");
      }
    },
  };
}

/**
 * The entry of the page where the server sends our code by itself: it shows the page before Streamlit is ready, with
 * the first response fetched in the same way, and leaves `main` for Streamlit's component, which then takes the shell
 * over.
 */

import { announcePage, startDeferred } from "./app/first_paint.js";
import { placeAsked } from "./app/link.js";
import { createAppShell } from "./app_shell.js";
import { element } from "./lib/dom.js";
import main, { setEarlyShell, themeOf } from "./main.js";
import { registry } from "./shim.js";
import styles from "./styles.js";

/** Where the first responses of pages are, seen from any page. */
const RESPONSES = "./gradreel/letter";

async function open() {
  const root = element("main", { class: "gr-site" });
  const host = element("div", { "data-testid": "site" });
  host.attachShadow({ mode: "open" }).append(element("style", { text: styles }), root);
  // Streamlit's own page works on behind ours, unseen; it is all there is until ours comes.
  const behind = element("style", { text: "#root { display: none }" });
  const shell = createAppShell(root, {
    theme: themeOf(document.documentElement),
    onShow: () => {
      document.body.prepend(host);
      document.head.append(behind);
      announcePage();
    },
    onLeave: () => [host, behind].forEach((each) => each.remove()),
  });
  setEarlyShell(shell);
  const page = new URLSearchParams({ page: location.pathname.split("/").at(-1), at: placeAsked(location) ?? "" });
  // The page's head may have begun to fetch the same already.
  const response = fetch(`${RESPONSES}?${page}`)
    .then((reply) => (reply.ok ? reply.arrayBuffer() : null))
    .catch(() => null);
  if (!document.body)
    await new Promise((ready) => document.addEventListener("DOMContentLoaded", ready, { once: true }));
  const bytes = await response;
  if (!bytes) return startDeferred();
  shell.receive(new Uint8Array(bytes));
}

registry().give(main);
open();

export default () => {};

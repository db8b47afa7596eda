/** The small half of the Streamlit page: it waits for the code that `provide.js` brings and passes every call on. */

import { shelf } from "./app/shelf.js";

export default function shim(call) {
  let leave = () => {};
  let left = false;
  shelf().main.then((main) => {
    if (!left) leave = main(call);
  }).catch((error) => console.error(error));
  return () => {
    left = true;
    leave();
  };
}

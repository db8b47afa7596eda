/**
 * The constant half of the Streamlit page: it carries all code and hands `main.js` to the other half (`shim.js`), which
 * brings the data and changes with every run. So the code reaches a browser once.
 */

import main from "./main.js";
import { registry } from "./shim.js";

registry().give(main);

export default () => {};

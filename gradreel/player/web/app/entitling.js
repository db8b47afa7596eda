/** What the browser calls the page. Streamlit names it once more when it is ready, so the name is kept here and put back. */

let title = "";

/** @param {string} text */
export const entitle = (text) => (document.title = title = text);

/** What it was called last. */
export const entitled = () => title || document.title;

export const entitleAgain = () => title && entitle(title);

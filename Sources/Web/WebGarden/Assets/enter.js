// A link with a token in its fragment, which no server sees. It works once.

/** @param {Document} document */
export function begin(document) {
    const form = /** @type {HTMLFormElement | null} */ (document.querySelector("form[data-enter]"));
    const token = location.hash.slice(1);
    if (!form || !token) return;
    history.replaceState(null, "", location.pathname);
    const field = /** @type {HTMLInputElement} */ (form.elements.namedItem("token"));
    field.value = token;
    form.requestSubmit();
}

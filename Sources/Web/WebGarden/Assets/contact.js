// The water page asks "Did you reach them?" when the person comes back from the call or the other app.

import { parsed, tab } from "./storage.js";

// Phones may end the page while somebody talks.
const rememberedFor = 2 * 60 * 60 * 1000;
// A computer without a telephone opens nothing, so nobody comes back from anywhere.
const patience = 2000;

/** @param {Document} document */
export function begin(document) {
    /** @type {HTMLFormElement | null} */
    const form = document.querySelector("form[data-reached]");
    if (!form) return;
    const key = `contact:${location.pathname}`;
    let isAway = false;

    /** @param {string} method */
    function choose(method) {
        for (const choice of form?.querySelectorAll("input") ?? []) {
            if (choice.name === "method" && choice.value === method) choice.checked = true;
        }
    }

    function ask() {
        if (!form) return;
        isAway = false;
        form.hidden = false;
        /** @type {HTMLElement} */
        const heading = form.querySelector("h1, h2, h3, legend") ?? form;
        heading.tabIndex = -1;
        heading.focus();
    }

    function comeBack() {
        if (isAway && document.visibilityState === "visible") ask();
    }

    document.addEventListener("click", event => {
        const chosen = event.target instanceof Element ? event.target.closest("[data-contact]") : null;
        if (!(chosen instanceof HTMLElement)) return;
        const method = chosen.dataset.contact ?? "";
        choose(method);
        tab.write(key, JSON.stringify({ method, at: Date.now() }));
        if (!(chosen instanceof HTMLAnchorElement)) return ask();
        isAway = true;
        setTimeout(() => { form.hidden = false; }, patience);
    });
    document.addEventListener("visibilitychange", comeBack);
    addEventListener("focus", comeBack);
    form.addEventListener("submit", () => tab.remove(key));

    const remembered = parsed(tab.read(key));
    form.hidden = true;
    if (remembered && Date.now() - remembered.at < rememberedFor) {
        choose(remembered.method);
        ask();
    }
}

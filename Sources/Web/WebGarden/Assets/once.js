// A form that is sent once, however often its button is tapped.

/** @type {Set<HTMLFormElement>} */
const sent = new Set();

/**
 * @param {HTMLFormElement} form
 * @param {boolean} isBusy
 */
function mark(form, isBusy) {
    for (const button of form.elements) {
        if (!(button instanceof HTMLButtonElement || button instanceof HTMLInputElement)) continue;
        if (button.type !== "submit") continue;
        if (isBusy) {
            // A button that the server disabled stays as it is.
            if (button.disabled) continue;
            button.setAttribute("aria-busy", "true");
            // Else Firefox remembers over a reload that the button is disabled.
            button.setAttribute("autocomplete", "off");
            button.disabled = true;
        } else if (button.hasAttribute("aria-busy")) {
            button.removeAttribute("aria-busy");
            button.disabled = false;
        }
    }
}

/** @param {SubmitEvent} event */
function closesDialog({ target, submitter }) {
    const form = /** @type {HTMLFormElement} */ (target);
    return (submitter?.getAttribute("formmethod") ?? form.getAttribute("method")) === "dialog";
}

/** @param {Document} document */
export function begin(document) {
    document.addEventListener("submit", event => {
        const form = event.target;
        if (event.defaultPrevented || closesDialog(event)) return;
        if (!(form instanceof HTMLFormElement) || !("once" in form.dataset)) return;
        if (sent.has(form)) return event.preventDefault();
        sent.add(form);
        // Afterwards: what is sent must have the name and value of the button, which it has not if that is disabled.
        setTimeout(() => mark(form, sent.has(form)));
    });
    addEventListener("pageshow", () => {
        for (const form of sent) mark(form, false);
        sent.clear();
    });
}

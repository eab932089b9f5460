// Text that is being written survives what happens to the page: an expired session, a reload, a full memory; and, of a form
// that says so, a closed browser.

import { device, parsed, tab } from "./storage.js";
import { whenSigningOut } from "./signing-out.js";

const prefix = "keep:";
const textTypes = ["text", "search", "tel", "email", "url", "textarea"];

/** @typedef {{ name: string, defaultValue: string, value: string }} Field */
/** @typedef {{ name: string, was: string, is: string }} KeptText */

/**
 * What is to be kept of fields; null if everything is as the page came.
 *
 * @param {Field[]} fields
 * @returns {KeptText[] | null}
 */
export function keptTexts(fields) {
    const texts = fields.map(({ name, defaultValue, value }) => ({ name, was: defaultValue, is: value }));
    return texts.some(({ was, is }) => was !== is) ? texts : null;
}

/**
 * What to fill into the fields of a page, by their position. A field that came with another text than the one that was
 * changed is left alone: the server knows something newer, or shows again what it refused.
 *
 * @param {Field[]} fields
 * @param {KeptText[]} texts
 * @returns {(string | null)[]}
 */
export function textsToFillIn(fields, texts) {
    return fields.map(({ name, defaultValue, value }, index) => {
        const kept = texts[index];
        const isUntouched = kept?.name === name && kept.was === defaultValue && value === defaultValue;
        return isUntouched && typeof kept.is === "string" && kept.is !== value ? kept.is : null;
    });
}

/**
 * @param {HTMLFormElement} form
 * @returns {(HTMLInputElement | HTMLTextAreaElement)[]}
 */
function fields(form) {
    /** @type {(HTMLInputElement | HTMLTextAreaElement)[]} */
    const found = [];
    for (const field of form.elements) {
        if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) continue;
        if (textTypes.includes(field.type)) found.push(field);
    }
    return found;
}

/** @param {Document} document */
export function begin(document) {
    const stores = [tab, device];
    whenSigningOut(document, () => stores.forEach(store => store.removeAll(prefix)));
    const { kept } = document.body.dataset;
    if (kept) stores.forEach(store => store.remove(prefix + kept));
    for (const notice of document.querySelectorAll("[data-awaits]")) {
        if (!(notice instanceof HTMLElement)) continue;
        notice.hidden = !device.read(prefix + notice.dataset.awaits);
    }
    for (const form of document.querySelectorAll("form")) {
        const { keep, keepOn } = form.dataset;
        if (!keep) continue;
        const store = keepOn === "device" ? device : tab;
        const texts = parsed(store.read(prefix + keep));
        if (Array.isArray(texts)) {
            const all = fields(form);
            textsToFillIn(all, texts).forEach((text, index) => {
                if (text === null) return;
                all[index].value = text;
                all[index].dispatchEvent(new Event("input", { bubbles: true }));
            });
        }
        form.addEventListener("input", () => {
            const texts = keptTexts(fields(form));
            if (texts) store.write(prefix + keep, JSON.stringify(texts));
            else store.remove(prefix + keep);
        });
    }
}

// Hides the page of a device with a lock before anything shows; lock.js covers it then, or shows it. A plain script in
// <head>, because modules run only after the page was shown.

try {
    if (localStorage.getItem("lock")) {
        document.documentElement.style.setProperty("visibility", "hidden");
        addEventListener("error", event => {
            if (event.target instanceof HTMLScriptElement) whenParsed(tellThatNothingOpensIt);
        }, true);
    }
} catch {
    // Without storage there is no lock.
}

/** @param {() => void} act */
function whenParsed(act) {
    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", act, { once: true });
    else act();
}

/** Says why the page stays hidden when the lock could not be loaded. A page without a cover shows nothing personal. */
function tellThatNothingOpensIt() {
    const template = document.querySelector("template[data-lock-cover]");
    const words = template instanceof HTMLTemplateElement && template.content.querySelector("[data-lock-missing]");
    if (words) document.body.append(words.cloneNode(true));
    else document.documentElement.style.removeProperty("visibility");
}

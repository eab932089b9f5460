// The motion after a watering, whose timing plants.css describes.

// A page in the background runs no animation and so never ends one. The motion takes 1.9 s.
const limit = 2500;

/** @param {Document} document */
export function begin(document) {
    const plant = document.querySelector("svg.watering[data-motion]");
    if (!plant) return;
    /** @type {HTMLElement | null} */
    const line = document.querySelector("[data-motion-line]");
    const words = line?.textContent ?? "";
    // A screen reader speaks what changes in a live region, not what was there from the start.
    if (line) line.textContent = "";
    const over = new AbortController();
    const { signal } = over;

    function end() {
        if (signal.aborted) return;
        over.abort();
        plant?.classList.remove("watering", "thirsty", "withered");
        plant?.classList.add("thriving");
        if (line) line.textContent = words;
        /** @type {HTMLElement | null} */
        const next = document.querySelector("[data-motion-next]") ?? document.querySelector("main h1");
        if (next && next.tabIndex < 0) next.tabIndex = -1;
        next?.focus({ preventScroll: true });
    }

    plant.addEventListener("animationend", event => {
        if (event instanceof AnimationEvent && event.animationName === "pour") end();
    }, { signal });
    document.addEventListener("pointerdown", end, { signal });
    document.addEventListener("keydown", end, { signal });
    setTimeout(end, matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : limit);
}

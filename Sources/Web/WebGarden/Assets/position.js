// Fills in where the person is, if they want it. The position goes to the server in the body of a form, and nowhere else.

/** @param {Document} document */
export function begin(document) {
    /** @type {HTMLFormElement | null} */
    const form = document.querySelector("form[data-position]");
    /** @type {HTMLButtonElement | null} */
    const button = form?.querySelector("[data-here]") ?? null;
    /** @type {HTMLElement | null} */
    const nowhere = form?.querySelector("[data-nowhere]") ?? null;
    if (!form || !button || !nowhere || !("geolocation" in navigator)) return;
    button.hidden = false;

    /** @param {string} name @param {number} degrees */
    function fill(name, degrees) {
        const field = form?.elements.namedItem(name);
        // Rounded to ten metres, which is enough to find a shop.
        if (field instanceof HTMLInputElement) field.value = degrees.toFixed(4);
    }

    button.addEventListener("click", () => {
        button.disabled = true;
        nowhere.hidden = true;
        navigator.geolocation.getCurrentPosition(({ coords }) => {
            button.disabled = false;
            fill("latitude", coords.latitude);
            fill("longitude", coords.longitude);
            form.requestSubmit();
        }, () => {
            button.disabled = false;
            nowhere.hidden = false;
        }, { maximumAge: 60_000, timeout: 20_000 });
    });
}

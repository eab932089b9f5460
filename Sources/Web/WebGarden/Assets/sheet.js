// Sheets: dialogs that open over the page, in place of the page that their link leads to.

/** @param {Document} document */
export function begin(document) {
    document.addEventListener("click", event => {
        if (!(event.target instanceof Element) || event.defaultPrevented) return;
        const opener = event.target.closest("a[data-opens]");
        if (!(opener instanceof HTMLElement)) return;
        // With a key held, the person wants the page in a tab of its own.
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        const sheet = /** @type {HTMLDialogElement?} */ (document.getElementById(opener.dataset.opens ?? ""));
        // A browser without dialogs follows the link.
        if (!sheet?.showModal || sheet.open) return;
        event.preventDefault();
        sheet.showModal();
        // Browsers return the focus to what had it. In Safari, a link that was tapped had not.
        sheet.addEventListener("close", () => opener.focus(), { once: true });
    });
    for (const sheet of document.querySelectorAll("dialog")) {
        if (!("sheet" in sheet.dataset)) continue;
        sheet.addEventListener("click", event => {
            // A click beside the sheet has the dialog as its target, as has one on its own edge.
            const { left, right, top, bottom } = sheet.getBoundingClientRect();
            const { clientX, clientY, target } = event;
            const isInside = clientX >= left && clientX <= right && clientY >= top && clientY <= bottom;
            if (target === sheet && !isInside) sheet.close();
        });
    }
}

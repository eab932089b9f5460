/** @param {Document} document */
export const isSignedOut = document => "signedOut" in document.body.dataset;

/**
 * Forgets when the account signs out, and again on the page that says that it has: a session may also end elsewhere.
 *
 * @param {Document} document
 * @param {() => void} forget
 */
export function whenSigningOut(document, forget) {
    if (isSignedOut(document)) forget();
    document.addEventListener("submit", event => {
        if (event.target instanceof Element && event.target.matches("form[action='/sign-out']")) forget();
    });
}

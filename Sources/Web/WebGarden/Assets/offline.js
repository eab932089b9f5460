// Registers the service worker, tells it to forget, and says of a page that it was kept.

import { device } from "./storage.js";
import { whenSigningOut } from "./signing-out.js";

/**
 * The service worker; null where there is none, or where it may not be registered.
 *
 * @type {Promise<ServiceWorkerRegistration | null>}
 */
export let registration = Promise.resolve(null);

/** Registers the worker by the one policy that the server's Content-Security-Policy names. */
async function register() {
    const path = "/worker.js";
    const policy = window.trustedTypes?.createPolicy("cherish", {
        createScriptURL(url) {
            if (url !== path) throw new TypeError(url);
            return url;
        },
    });
    const url = policy?.createScriptURL(path) ?? path;
    return navigator.serviceWorker.register(url, { scope: "/", updateViaCache: "none" });
}

/**
 * Says when this page was kept, if it comes from the worker and not from the server.
 *
 * @param {Document} document
 */
function tellWhenKept(document) {
    const since = document.documentElement.dataset.offlineSince;
    const words = document.querySelector("template[data-offline-words]");
    if (since === undefined || !(words instanceof HTMLTemplateElement)) return;
    const banner = /** @type {DocumentFragment} */ (words.content.cloneNode(true));
    const time = banner.querySelector("time");
    const moment = new Date(since);
    if (time && !Number.isNaN(moment.valueOf())) {
        time.dateTime = moment.toISOString();
        time.textContent = moment.toLocaleString(document.documentElement.lang || undefined, {
            dateStyle: "long", timeStyle: "short",
        });
    }
    document.querySelector("main")?.prepend(banner);
}

/** @param {Document} document */
export function begin(document) {
    tellWhenKept(document);
    whenSigningOut(document, () => {
        device.write("signed-out", String(Date.now()));
        navigator.serviceWorker?.controller?.postMessage({ forget: true });
    });
    // The way back after signing out must not show the garden out of the browser's memory.
    addEventListener("pageshow", event => {
        if (event.persisted && Number(device.read("signed-out")) > performance.timeOrigin) location.reload();
    });
    if (navigator.serviceWorker) registration = register().catch(() => null);
}

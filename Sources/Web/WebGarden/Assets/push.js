// Pushes on this device: asked for only within a tap that wants them, and never again after a no.

import { registration } from "./offline.js";
import { whenSigningOut } from "./signing-out.js";
import { device } from "./storage.js";

// What this device remembers: that the person said "not now", the day on which the server last got the subscription,
// and the id that it gave the device.
const declined = "push:declined", posted = "push:posted", deviceID = "push:device";

/** @typedef {"install" | "unsupported" | "denied" | "on" | "ask"} State */

/** @type {Record<State, string>} */
const parts = {
    install: "[data-install-ios]",
    unsupported: "[data-push-unsupported]",
    denied: "[data-push-denied]",
    on: "[data-push-on]",
    ask: "[data-push-ask], [data-push-no]",
};

/**
 * What a section about pushes shows.
 *
 * @param {{ mustInstall: boolean, isSupported: boolean, permission: NotificationPermission, hasDeclined: boolean,
 *     isSubscribed: boolean }} facts
 * @returns {State}
 */
export function stateOf({ mustInstall, isSupported, permission, hasDeclined, isSubscribed }) {
    if (mustInstall) return "install";
    if (!isSupported) return "unsupported";
    if (permission === "denied") return "denied";
    if (isSubscribed && permission === "granted") return "on";
    return hasDeclined ? "denied" : "ask";
}

/**
 * The body of `POST /v1/devices`.
 *
 * @param {PushSubscriptionJSON} subscription
 */
export function deviceBody({ endpoint, keys }) {
    return { platform: "web", token: endpoint, p256dh: keys?.p256dh, auth: keys?.auth };
}

/** @param {ArrayBuffer | null | undefined} bytes */
export function base64url(bytes) {
    return btoa(String.fromCharCode(...new Uint8Array(bytes ?? new ArrayBuffer(0))))
        .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Today in UTC, as `2027-03-02`. */
const today = () => new Date().toISOString().slice(0, 10);

function isSupported() {
    return "PushManager" in window && "Notification" in window && Boolean(navigator.serviceWorker);
}

/** An iPhone or iPad shows pushes of apps on the Home Screen alone. A Mac has no touch points. */
function mustInstall() {
    return navigator.standalone === false && navigator.maxTouchPoints > 0;
}

async function subscription() {
    return isSupported() ? (await registration)?.pushManager.getSubscription() ?? null : null;
}

/**
 * Gives the subscription to the server.
 *
 * @param {PushSubscription} subscription
 * @returns whether the server took it
 */
async function post(subscription) {
    const answer = await fetch("/v1/devices", {
        method: "POST", credentials: "same-origin", headers: { "Content-Type": "application/json" },
        body: JSON.stringify(deviceBody(subscription.toJSON())),
    });
    if (!answer.ok) return false;
    device.write(deviceID, (await answer.json()).id);
    device.write(posted, today());
    return true;
}

/** Ends the subscription here; the server learns of it from the push service, if it does not yet know. */
async function unsubscribe() {
    for (const key of [declined, posted, deviceID]) device.remove(key);
    await (await subscription())?.unsubscribe();
}

/**
 * Subscribes with the server's key, and gives the subscription to the server.
 *
 * @param {string} key
 * @returns whether pushes will come
 */
async function subscribe(key) {
    const { pushManager } = await navigator.serviceWorker.ready;
    const made = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
    if (await post(made)) return true;
    await unsubscribe();
    return false;
}

/**
 * Gives the worker what it needs while no page is open: the general words for a push that it cannot read, and the key.
 *
 * @param {DOMStringMap} data of the section
 */
async function instruct({ language, title, body, key }) {
    const { active } = await navigator.serviceWorker.ready;
    active?.postMessage({ words: { lang: language, title, body }, key });
}

/** @param {HTMLElement} section */
async function show(section) {
    const current = await subscription();
    const hasDeclined = device.read(declined) !== null;
    const permission = isSupported() ? Notification.permission : "default";
    const state = stateOf({
        mustInstall: mustInstall(), isSupported: isSupported(), permission, hasDeclined, isSubscribed: current !== null,
    });
    for (const [name, selector] of Object.entries(parts)) {
        for (const part of section.querySelectorAll(selector)) part.toggleAttribute("hidden", name !== state);
    }
    // What the browser refuses, no page can ask for again. "Not now" can be taken back.
    section.querySelector("[data-push-again]")?.toggleAttribute("hidden", permission === "denied");
    section.hidden = false;
    return current;
}

/**
 * @param {HTMLElement} section
 * @param {HTMLButtonElement} button that was tapped
 */
async function act(section, button) {
    const failure = section.querySelector("[data-push-failed]");
    failure?.toggleAttribute("hidden", true);
    if (button.matches("[data-push-no]")) {
        device.write(declined, today());
    } else if (button.matches("[data-push-off]")) {
        const id = device.read(deviceID);
        await unsubscribe();
        if (id) await fetch(`/v1/devices/${id}`, { method: "DELETE", credentials: "same-origin" }).catch(() => {});
    } else if (button.matches("[data-push-again]") || button.closest("[data-push-ask]")) {
        // First of all, while the browser still counts this as the tap.
        const permission = await Notification.requestPermission();
        device.remove(declined);
        if (permission === "granted") {
            const isOn = await subscribe(section.dataset.key ?? "").catch(() => false);
            if (isOn) await instruct(section.dataset);
            else failure?.toggleAttribute("hidden", false);
        }
    } else {
        return;
    }
    await show(section);
}

/** @param {HTMLElement} section */
async function beginSection(section) {
    section.addEventListener("click", event => {
        const button = event.target instanceof Element ? event.target.closest("button") : null;
        if (button) act(section, button);
    });
    const current = await show(section);
    if (!current) return;
    await instruct(section.dataset);
    // The server may have got another key; this subscription then gets no pushes any more.
    const isCurrent = base64url(current.options.applicationServerKey) === section.dataset.key?.replaceAll("=", "");
    if (isCurrent || Notification.permission !== "granted") return;
    await unsubscribe();
    await subscribe(section.dataset.key ?? "").catch(() => false);
    await show(section);
}

/** Gives an existing subscription to the server again, once a day: the server retires what it has not seen for long. */
async function refresh() {
    const day = device.read(posted);
    if (day === null || day === today()) return;
    const current = await subscription();
    if (current) await post(current);
}

/** @param {Document} document */
export function begin(document) {
    // Without a network, or a signed-in account, the next page tries again.
    refresh().catch(() => {});
    whenSigningOut(document, () => { unsubscribe().catch(() => {}); });
    for (const section of document.querySelectorAll("section[data-push]")) {
        if (section instanceof HTMLElement) beginSection(section).catch(console.error);
    }
}

// This browser's copy of the garden, and what waits to be sent: by the library in clients/javascript, in one database for all
// tabs. What is done on another device shows here at once.

import { Garden, Unreachable } from "./cherish.js";
import { IndexedStorage } from "./indexed-storage.js";
import { forgetKeptForms, queueKeptForms } from "./queue.js";
import { isSignedOut, whenSigningOut } from "./signing-out.js";

/** How long to wait before what could not be sent is tried again, in milliseconds. */
const retryTime = 15_000;
/** How long after a page was opened its server may have known what is told here first, in milliseconds. */
const openingTime = 5_000;

const storage = new IndexedStorage("cherish");

/**
 * @param {string} path
 * @param {RequestInit} init
 */
const ask = (path, init) => fetch(path, { ...init, credentials: "same-origin", cache: "no-store" });

/**
 * Runs one body of a name at a time, in all tabs.
 *
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} body
 * @returns {Promise<T>}
 */
const exclusive = (name, body) => navigator.locks
    ? /** @type {Promise<T>} */ (navigator.locks.request(`cherish-${name}`, body))
    : body();

/**
 * The garden of whoever is signed in; null on pages of nobody, and in browsers that keep nothing.
 *
 * @type {Garden | null}
 */
export let garden = null;

/** @type {Set<() => unknown>} */
const listeners = new Set();
/** @type {BroadcastChannel | null} */
let tabs = null;

/**
 * Calls back whenever the copy or the queue may have changed.
 *
 * @param {() => unknown} listener
 */
export function whenChanged(listener) {
    listeners.add(listener);
}

/** @param {"changed" | "synced"} what `changed` if pages should be read again */
function tell(what) {
    listeners.forEach(listener => listener());
    tabs?.postMessage(what);
}

/**
 * Whether an entry belongs to the queue, which outlives a session.
 *
 * @param {string} key
 */
const isOfQueue = key => key.startsWith("queue/") || key === "last" || key === "account";

/**
 * Forgets the copy. A sync that is under way in any tab ends first: it would bring the copy back.
 *
 * @param {boolean} isAll with what waits to be sent
 */
async function forget(isAll) {
    if (isAll) await forgetKeptForms();
    await exclusive("sync", async () => {
        const known = await storage.read("");
        await storage.write(known.filter(([key]) => isAll || !isOfQueue(key)).map(([key]) => [key, undefined]));
    });
}

/** When the person last began to leave the page: reading it again would undo that. */
let leftAt = -Infinity;

/** The timer of the next attempt to send. */
let timer = 0;

/** Sends what waits and brings the copy up to date; tries again later if that is not possible now. */
export async function sync() {
    if (!garden) return;
    try {
        const hadWaiting = (await garden.deeds()).some(({ state }) => state !== "refused");
        await garden.sync();
        tell(hadWaiting ? "changed" : "synced");
        if (hadWaiting) renew(document);
    } catch (error) {
        if (!(error instanceof Unreachable)) throw error;
        if (error.reason === "signed-out") return forget(false);
        clearTimeout(timer);
        if (navigator.onLine) timer = setTimeout(sync, Math.max(retryTime, error.seconds * 1000));
    }
}

/**
 * Whether the page only shows the garden, and nobody is in the middle of something on it.
 *
 * @param {Document} document
 */
function mayBeRenewed(document) {
    const isKept = document.querySelector("main[data-offline]") !== null;
    const isBusy = document.querySelector("dialog[open], [aria-busy=true], input:focus, textarea:focus, select:focus") !== null;
    const isLeaving = performance.now() - leftAt < openingTime;
    return isKept && !isBusy && !isLeaving && !("offlineSince" in document.documentElement.dataset);
}

/**
 * Shows what waits and what was refused.
 *
 * @param {Document} document
 */
async function showQueue(document) {
    const words = document.querySelector("template[data-queue-words]");
    if (!garden || !(words instanceof HTMLTemplateElement)) return;
    const deeds = await garden.deeds();
    document.querySelector("[data-queue]")?.remove();
    const counts = { waiting: 0, refused: 0 };
    for (const { state } of deeds) if (state !== "sent") counts[state] += 1;
    if (counts.waiting + counts.refused === 0) return;
    const notice = /** @type {DocumentFragment} */ (words.content.cloneNode(true));
    for (const [state, count] of Object.entries(counts)) {
        const part = notice.querySelector(`[data-count-of=${state}]`);
        if (!(part instanceof HTMLElement)) continue;
        part.hidden = count === 0;
        const number = part.querySelector("strong");
        if (number) number.textContent = String(count);
    }
    document.querySelector("main")?.prepend(notice);
}

/**
 * Listens to the server, in one tab for all of them.
 *
 * @param {Garden} garden
 */
async function listen(garden) {
    let isFirst = true;
    await exclusive("events", () => garden.listen(async cursor => {
        const isNew = cursor !== await garden.cursor();
        if (isNew) await sync();
        // What was new when the page was opened is on it already.
        if (isNew && !(isFirst && performance.now() < openingTime)) {
            tabs?.postMessage("changed");
            renew(document);
        }
        isFirst = false;
    }, new AbortController().signal));
}

/** @param {Document} document */
function renew(document) {
    if (mayBeRenewed(document)) location.reload();
}

/**
 * The garden of whoever is signed in.
 *
 * @param {string | undefined} account
 */
async function open(account) {
    if (!account) {
        await forget(isSignedOut(document));
        return null;
    }
    const known = (await storage.read("account"))[0]?.[1];
    // A page that is filled from whatever copy there is.
    if (account === "*") return known ? new Garden({ storage, fetch: ask, exclusive }) : null;
    if (known !== account) {
        // Nothing of anybody else may stay, not even what a tab wrote while the person before was signing out.
        await forget(true);
        await storage.write([["account", account]]);
    }
    return new Garden({ storage, fetch: ask, exclusive });
}

/** @param {Document} document */
async function work(document) {
    await isOpen;
    if (!garden) return;
    whenChanged(() => showQueue(document));
    tabs?.addEventListener("message", ({ data }) => {
        listeners.forEach(listener => listener());
        if (data === "changed") renew(document);
    });
    addEventListener("online", sync);
    addEventListener("beforeunload", () => { leftAt = performance.now(); });
    listeners.forEach(listener => listener());
    if ((await garden.deeds()).some(({ state }) => state !== "refused")) await sync();
    await listen(garden);
}

/** Settled once {@link garden} is known. */
export let isOpen = Promise.resolve();

/** @param {Document} document */
export function begin(document) {
    if (!("indexedDB" in window)) return;
    tabs = "BroadcastChannel" in window ? new BroadcastChannel("cherish") : null;
    whenSigningOut(document, () => { forget(true).catch(() => {}); });
    // A browser that keeps nothing has the garden of the server alone.
    isOpen = open(document.body.dataset.account).then(async opened => {
        if (opened) await exclusive("forms", () => queueKeptForms(opened));
        garden = opened;
    }).catch(() => {});
    work(document).catch(error => error instanceof Unreachable ? forget(false) : console.error(error));
}

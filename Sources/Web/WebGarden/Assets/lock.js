// A lock with a code for this device. It hides pages from people who pick up the phone; it encrypts nothing.

import { isSignedOut } from "./signing-out.js";
import { device, parsed, tab } from "./storage.js";

/** @typedef {{ salt: number[], hash: number[], rounds: number, wrong: number, until: number }} Lock */

const key = "lock", seenKey = "lock:seen";
// OWASP's figure for PBKDF2 with SHA-256.
const rounds = 600_000;
/** How long a page may be in the background, in milliseconds. */
const backgroundTime = 5 * 60 * 1000;

/**
 * How long to wait after so many wrong codes in a row, in milliseconds: nothing before the fifth, then half a minute,
 * twice as long each time, up to an hour.
 *
 * @param {number} wrong
 */
export function waitingTime(wrong) {
    return wrong < 5 ? 0 : Math.min(30_000 * 2 ** (wrong - 5), 3_600_000);
}

/**
 * Whether the code must be typed.
 *
 * @param {number | null} seen when this tab last showed an open page
 * @param {number} now
 */
export function mustAsk(seen, now) {
    // A time ahead of now is of a clock that was put back.
    return seen === null || seen > now || now - seen > backgroundTime;
}

/**
 * The code that was typed, whichever digits the keyboard has; null if it is none of 4 to 12 digits.
 *
 * @param {string} text
 */
export function codeIn(text) {
    const code = text.normalize("NFKC").trim();
    return /^[0-9]{4,12}$/.test(code) ? code : null;
}

/** @param {number} milliseconds */
export function clock(milliseconds) {
    const seconds = Math.ceil(milliseconds / 1000);
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/**
 * @param {string} code
 * @param {number[]} salt
 * @param {number} iterations
 */
export async function hash(code, salt, iterations) {
    const base = await crypto.subtle.importKey("raw", new TextEncoder().encode(code), "PBKDF2", false, ["deriveBits"]);
    const parameters = { name: "PBKDF2", hash: "SHA-256", salt: new Uint8Array(salt), iterations };
    return [...new Uint8Array(await crypto.subtle.deriveBits(parameters, base, 256))];
}

/** Whether this browser can hash a code, and cover a page. */
function isSupported() {
    return Boolean(globalThis.crypto?.subtle && globalThis.HTMLDialogElement?.prototype.showModal);
}

/** @returns {Lock | null} */
const lock = () => parsed(device.read(key));

/** @param {Lock} changed */
const store = changed => device.write(key, JSON.stringify(changed));

const see = () => tab.write(seenKey, String(Date.now()));

/**
 * Tries a code. A wrong one counts before it is looked at, so that a page closed in between gives no free attempt.
 *
 * @param {string} text
 * @returns {Promise<boolean>} whether it opens the lock
 */
async function tryCode(text) {
    const tried = lock();
    if (!tried) return true;
    const code = codeIn(text);
    if (!code) return false;
    const wrong = tried.wrong + 1;
    store({ ...tried, wrong, until: Date.now() + waitingTime(wrong) });
    const given = await hash(code, tried.salt, tried.rounds);
    if (String(given) !== String(tried.hash)) return false;
    store({ ...tried, wrong: 0, until: 0 });
    return true;
}

/**
 * What covers the page until the code is typed; null on a page that has no cover, which shows nothing personal.
 *
 * @param {Document} document
 */
function madeCover(document) {
    const page = document.documentElement.style;
    const template = document.querySelector("template[data-lock-cover]");
    const copy = template instanceof HTMLTemplateElement ? template.content.cloneNode(true) : null;
    const dialog = copy instanceof DocumentFragment ? copy.querySelector("dialog") : null;
    const form = dialog?.querySelector("form[method=dialog]");
    const [input, button] = [form?.querySelector("input"), form?.querySelector("button")];
    if (!isSupported() || !dialog || !form || !input || !button) return null;
    const [wrong, wait] = [dialog.querySelector("[data-lock-wrong]"), dialog.querySelector("[data-lock-wait]")];
    const time = wait?.querySelector("time");
    let isClosed = false, isTrying = false, nextTick = 0;

    const timeLeft = () => (lock()?.until ?? 0) - Date.now();

    function show() {
        const left = timeLeft();
        wait?.toggleAttribute("hidden", left <= 0);
        if (time) time.textContent = clock(left);
        button?.toggleAttribute("disabled", left > 0 || isTrying);
        clearTimeout(nextTick);
        if (left > 0) nextTick = setTimeout(show, 1000);
    }

    form.addEventListener("submit", async event => {
        event.preventDefault();
        if (timeLeft() > 0 || isTrying) return;
        isTrying = true;
        // Hidden meanwhile, so that a screen reader speaks it again.
        wrong?.toggleAttribute("hidden", true);
        show();
        const isRight = await tryCode(input.value);
        isTrying = false;
        input.value = "";
        wrong?.toggleAttribute("hidden", isRight);
        show();
        if (!isRight) return input.focus();
        isClosed = false;
        see();
        dialog.close();
        dialog.remove();
        page.removeProperty("visibility");
    });
    // Escape opens no lock.
    dialog.addEventListener("cancel", event => event.preventDefault());
    dialog.addEventListener("close", () => { if (isClosed) dialog.showModal(); });

    return {
        isClosed: () => isClosed,
        close() {
            if (isClosed) return;
            isClosed = true;
            // Hidden, not only covered: whatever the dialog looks like, nothing shows beside it.
            page.setProperty("visibility", "hidden");
            dialog.style.setProperty("visibility", "visible");
            wrong?.toggleAttribute("hidden", true);
            document.body.append(dialog);
            dialog.showModal();
            input.focus();
            show();
        },
    };
}

/**
 * The form that sets and removes the code.
 *
 * @param {HTMLFormElement} form
 */
function beginForm(form) {
    const [off, on] = [form.querySelector("[data-lock-off]"), form.querySelector("[data-lock-on]")];
    /** @type {HTMLButtonElement | null} */
    const remove = form.querySelector("[data-lock-remove]");
    const [code, again] = form.querySelectorAll("input");
    function show() {
        off?.toggleAttribute("hidden", !isSupported() || lock() !== null);
        on?.toggleAttribute("hidden", lock() === null);
        form.querySelector("[data-lock-unsupported]")?.toggleAttribute("hidden", isSupported());
        form.hidden = false;
    }

    // The browser says what is wrong, in words of the page.
    function check() {
        code.setCustomValidity(codeIn(code.value) || !code.value ? "" : form.dataset.digits ?? "");
        again.setCustomValidity(codeIn(again.value) === codeIn(code.value) ? "" : form.dataset.differ ?? "");
    }

    form.addEventListener("input", check);
    form.addEventListener("submit", async event => {
        event.preventDefault();
        const chosen = codeIn(code.value);
        if (!isSupported() || !chosen || chosen !== codeIn(again.value)) return;
        const salt = [...crypto.getRandomValues(new Uint8Array(16))];
        store({ salt, hash: await hash(chosen, salt, rounds), rounds, wrong: 0, until: 0 });
        see();
        form.reset();
        show();
        // What had the focus is hidden now.
        remove?.focus();
    });
    remove?.addEventListener("click", () => {
        device.remove(key);
        show();
        code.focus();
    });
    show();
}

/** @param {Document} document */
export function begin(document) {
    // Only once the account is signed out: a request to sign out may fail.
    if (isSignedOut(document)) {
        device.remove(key);
        tab.remove(seenKey);
    }
    const cover = madeCover(document);

    function look() {
        const seen = tab.read(seenKey);
        if (cover && lock() && mustAsk(seen === null ? null : Number(seen), Date.now())) {
            cover.close();
        } else if (!cover?.isClosed()) {
            // cover.js hid the page until it was known whether to ask.
            document.documentElement.style.removeProperty("visibility");
        }
    }

    /** Notes when an open page was last seen. A page that is never covered does not count. */
    function leave() {
        if (cover && lock() && !cover.isClosed()) see();
    }

    look();
    document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" ? leave() : look());
    addEventListener("pagehide", leave);
    addEventListener("pageshow", look);
    for (const form of document.querySelectorAll("form")) if ("lock" in form.dataset) beginForm(form);
}

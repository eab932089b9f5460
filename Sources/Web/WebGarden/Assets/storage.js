// Storage that may be missing, full or forbidden: then nothing is kept, and nothing fails.

/**
 * @param {"localStorage" | "sessionStorage"} kind
 * @param {(storage: Storage) => string | null | void} use
 */
function tolerant(kind, use) {
    try {
        return use(window[kind]) ?? null;
    } catch {
        return null;
    }
}

/** @param {"localStorage" | "sessionStorage"} kind */
function store(kind) {
    return {
        /** @param {string} key */
        read: key => tolerant(kind, storage => storage.getItem(key)),
        /**
         * @param {string} key
         * @param {string} value
         */
        write: (key, value) => tolerant(kind, storage => storage.setItem(key, value)),
        /** @param {string} key */
        remove: key => tolerant(kind, storage => storage.removeItem(key)),
        /** @param {string} beginning of the keys to remove */
        removeAll: beginning => tolerant(kind, storage => {
            for (const key of Object.keys(storage)) if (key.startsWith(beginning)) storage.removeItem(key);
        }),
    };
}

/** What this browser keeps until the account signs out. */
export const device = store("localStorage");
/** What this tab keeps until it is closed. */
export const tab = store("sessionStorage");

/**
 * An object that was written as JSON; null if there is none, or something else.
 *
 * @param {string | null} text
 * @returns {any}
 */
export function parsed(text) {
    try {
        const value = JSON.parse(text ?? "null");
        return typeof value === "object" ? value : null;
    } catch {
        return null;
    }
}

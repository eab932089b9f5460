// A storage that outlives the page: IndexedDB.

/** @typedef {import("./cherish.js").Storage} Storage */

const store = "entries";

/**
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
const finished = request => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
});

/** @implements {Storage} */
export class IndexedStorage {
    /** @type {Promise<IDBDatabase> | null} */
    #open = null;
    #name;

    /** @param {string} name of the database */
    constructor(name) {
        this.#name = name;
    }

    #database() {
        if (this.#open) return this.#open;
        const request = indexedDB.open(this.#name, 1);
        request.onupgradeneeded = () => request.result.createObjectStore(store);
        this.#open = finished(request).then(database => {
            // Another tab deletes it: the next read or write begins an empty one.
            const forget = () => {
                database.close();
                this.#open = null;
            };
            database.onversionchange = forget;
            database.onclose = forget;
            return database;
        }, error => {
            this.#open = null;
            throw error;
        });
        return this.#open;
    }

    /**
     * @param {string} prefix
     * @returns {Promise<[string, any][]>}
     */
    async read(prefix) {
        const entries = (await this.#database()).transaction(store).objectStore(store);
        const range = IDBKeyRange.bound(prefix, `${prefix}\uffff`);
        const [keys, values] = await Promise.all([finished(entries.getAllKeys(range)), finished(entries.getAll(range))]);
        return keys.map((key, index) => [String(key), values[index]]);
    }

    /** @param {[string, any][]} changes */
    async write(changes) {
        const transaction = (await this.#database()).transaction(store, "readwrite");
        const entries = transaction.objectStore(store);
        for (const [key, value] of changes) {
            if (value === undefined) entries.delete(key);
            else entries.put(value, key);
        }
        await new Promise((resolve, reject) => {
            transaction.oncomplete = () => resolve(undefined);
            transaction.onabort = () => reject(transaction.error);
        });
    }
}

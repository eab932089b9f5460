// What the worker needs of a browser: events that wait, and caches.

export class Events {
    #listeners = new Map();

    add(name, listener) {
        this.#listeners.set(name, listener);
    }

    /** Returns what the event was answered with, after everything that it was extended for. */
    async dispatch(name, event = {}) {
        const waits = [];
        let answer;
        this.#listeners.get(name)({
            ...event,
            waitUntil: promise => { waits.push(promise); },
            respondWith: promise => { answer = promise; },
        });
        const answered = await answer;
        await Promise.all(waits);
        return answered;
    }
}

const address = request => String(request.url ?? request);

class OneCache {
    entries = new Map();
    added = [];

    async put(request, response) {
        // A browser reads the whole body.
        const body = await response.text();
        this.entries.set(address(request), { body, status: response.status, headers: response.headers });
    }
    async match(request) {
        const found = this.entries.get(address(request));
        return found && new Response(found.body, found);
    }
    async delete(request) {
        return this.entries.delete(address(request));
    }
    async keys() {
        return [...this.entries.keys()].map(url => ({ url }));
    }
    async addAll(requests) {
        this.added.push(...requests.map(request => new URL(address(request), "https://cherish.example").pathname));
    }
}

export class Caches {
    #caches = new Map();

    async open(name) {
        if (!this.#caches.has(name)) this.#caches.set(name, new OneCache());
        return this.#caches.get(name);
    }
    async match(request, { cacheName }) {
        const path = address(request);
        const isOfShell = path.startsWith("/") && cacheName.startsWith("shell");
        return this.#caches.get(cacheName)?.match(isOfShell ? `https://cherish.example${path}` : path);
    }
    async keys() {
        return [...this.#caches.keys()];
    }
    async has(name) {
        return this.#caches.has(name);
    }
    async delete(name) {
        return this.#caches.delete(name);
    }
    async addedTo(name) {
        return this.#caches.get(name).added;
    }
}

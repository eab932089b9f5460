// A device's copy of a garden, and what its person has done that the server does not know yet (rule 14).
//
// The copy follows `GET /v1/changes` by a cursor. What the person does goes into a queue first, with an id and the time by this
// device's clock. It is sent in order once there is a network, and happens once, however often it is sent. What the server refuses
// stays in the queue with its reason until the person has seen it.
//
// It needs nothing but `fetch`, and runs in browsers and in Node 18.

/**
 * Keeps entries by key. A write happens as a whole or not at all; `undefined` removes an entry.
 *
 * @typedef {object} Storage
 * @property {(prefix: string) => Promise<[string, any][]>} read the entries whose keys begin so, sorted by key
 * @property {(changes: [string, any][]) => Promise<void>} write
 */

/** @typedef {"friend" | "thing" | "tag" | "list" | "settings"} Kind what can be edited */
/** @typedef {{ status: number, code: string, detail: string, remedy: string }} Refusal */

/**
 * Something that the person did.
 *
 * @typedef {object} Deed
 * @property {string} key its place in the queue
 * @property {"POST" | "PUT" | "PATCH" | "DELETE"} method
 * @property {string} path
 * @property {any} [body]
 * @property {string} kind of the item that it is about
 * @property {string} id
 * @property {string} madeAt
 * @property {"waiting" | "sent" | "refused"} state `sent` until the copy has what the server made of it
 * @property {number} [failures] how often the server failed over it
 * @property {Refusal} [refusal]
 */

/** Why the server cannot be asked now: `offline`, `busy`, or `signed-out`. */
export class Unreachable extends Error {
    /**
     * @param {"offline" | "busy" | "signed-out"} reason
     * @param {number} [seconds] after how many to try again
     */
    constructor(reason, seconds = 0) {
        super(reason);
        this.reason = reason;
        this.seconds = seconds;
    }
}

/** The names of the kinds in `/v1/changes`, and where one item of a kind is edited. */
const collections = { sessions: "session", tags: "tag", friends: "friend", waterings: "watering", things: "thing", lists: "list", pauses: "pause" };
const places = { friend: "/v1/friends/", thing: "/v1/things/", tag: "/v1/tags/", list: "/v1/lists/" };
/**
 * @param {Kind} kind
 * @param {string} id
 */
const place = (kind, id) => kind === "settings" ? "/v1/account" : places[kind] + id;

const pageLength = 1000;
/** How often the server may fail over a deed. Then it counts as refused: what follows must not wait for it for ever. */
const mostFailures = 5;
/** How long an answer may take, in milliseconds. */
const patience = 20_000;
/** How long a stream of events may be silent, in milliseconds: the server says something every 25 seconds. */
const longestSilence = 60_000;
/** How long to wait before a stream of events is opened again, in milliseconds. */
const retryTime = 2_000;

/**
 * @param {string} prefix
 * @param {string} id
 */
const key = (prefix, id) => `${prefix}/${id}`;

export class Garden {
    /** @type {Storage} */
    #storage;
    #fetch;
    #now;
    #exclusive;

    /**
     * @param {object} options
     * @param {Storage} options.storage
     * @param {(path: string, init: RequestInit) => Promise<Response>} options.fetch asks the server, with the session
     * @param {() => Date} [options.now] the device's clock
     * @param {<T>(name: string, body: () => Promise<T>) => Promise<T>} [options.exclusive] runs one body of a name at a time, in all
     *     tabs that share the storage; without it, in this object
     */
    constructor({ storage, fetch, now = () => new Date(), exclusive = oneAtATime() }) {
        this.#storage = storage;
        this.#fetch = fetch;
        this.#now = now;
        this.#exclusive = exclusive;
    }

    // What the person does

    /**
     * Records a contact with a friend (rule 3).
     *
     * @param {string} friend
     * @param {{ id?: string, method: string, wateredOn?: string, keywords?: string[], memo?: string | null, reviewDeclined?: boolean }}
     *     contact with the day on which it was, if that was before
     */
    water(friend, { id, ...contact }) {
        return this.#do("POST", `/v1/friends/${friend}/waterings`, "friend", friend, this.#fact(contact, id));
    }

    /**
     * Puts a friend's watering off (rule 6).
     *
     * @param {string} friend
     * @param {number} days 1–7
     * @param {string} fromDueOn the due date that the person sees
     * @param {string} [id] of this postponement; a new one without it
     */
    postpone(friend, days, fromDueOn, id) {
        return this.#do("POST", `/v1/friends/${friend}/postponements`, "friend", friend, this.#fact({ days, fromDueOn }, id));
    }

    /**
     * Writes the review of the watering of a day (rule 5).
     *
     * @param {string} friend
     * @param {string} day
     * @param {{ keywords: string[], memo: string | null }} review
     */
    review(friend, day, review) {
        return this.#do("PUT", `/v1/friends/${friend}/waterings/${day}/review`, "friend", friend, this.#edit(review));
    }

    /**
     * Declines to review the watering of a day.
     *
     * @param {string} friend
     * @param {string} day
     */
    declineReview(friend, day) {
        const path = `/v1/friends/${friend}/waterings/${day}/review/declination`;
        return this.#do("POST", `${path}?modifiedAt=${this.#time()}`, "friend", friend);
    }

    /**
     * Deletes the review of the watering of a day.
     *
     * @param {string} friend
     * @param {string} day
     */
    deleteReview(friend, day) {
        const path = `/v1/friends/${friend}/waterings/${day}/review`;
        return this.#do("DELETE", `${path}?modifiedAt=${this.#time()}`, "friend", friend);
    }

    /**
     * Completes a thing (rule 10.8).
     *
     * @param {string} thing
     * @param {"eaten" | "thrown_away" | null} [outcome] for food
     * @param {string} [id] of this completion; a new one without it
     */
    complete(thing, outcome = null, id) {
        return this.#do("POST", `/v1/things/${thing}/completion`, "thing", thing, this.#fact({ as: outcome }, id));
    }

    /**
     * Changes parts of an item; of two devices that change the same part, the newer change stays (rule 14.3).
     *
     * @param {Kind} kind
     * @param {string} id
     * @param {Record<string, any>} parts
     */
    edit(kind, id, parts) {
        return this.#do("PATCH", place(kind, id), kind, id, this.#edit(parts));
    }

    /**
     * Deletes a thing, a tag or a draft, or removes a friend. It is refused if another device has edited it since.
     *
     * @param {Exclude<Kind, "settings">} kind
     * @param {string} id
     */
    remove(kind, id) {
        return this.#do("DELETE", `${place(kind, id)}?modifiedAt=${this.#time()}`, kind, id);
    }

    // What the device knows

    /**
     * An item as the person sees it: what the server last said, with the edits that it does not know yet.
     *
     * @param {string} kind
     * @param {string} id
     */
    async item(kind, id) {
        const [copy, deeds] = await Promise.all([this.#read(key(kind, id)), this.deeds()]);
        return copy && overlaid(copy, kind, deeds);
    }

    /**
     * All items of a kind, as the person sees them.
     *
     * @param {string} kind `friend`, `thing`, `tag`, `list`, `watering` or `session`
     * @returns {Promise<any[]>}
     */
    async items(kind) {
        const [copies, deeds] = await Promise.all([this.#storage.read(`${kind}/`), this.deeds()]);
        return copies.map(([, copy]) => overlaid(copy, kind, deeds)).filter(item => item !== null);
    }

    /** The account with its settings; null before the first {@link pull}. */
    async settings() {
        const [copy, deeds] = await Promise.all([this.#read("settings"), this.deeds()]);
        return copy && overlaid(copy, "settings", deeds);
    }

    /**
     * What the person did that the copy does not show yet, in order: what waits, and what was refused.
     *
     * @returns {Promise<Deed[]>}
     */
    async deeds() {
        return (await this.#storage.read("queue/")).map(([, deed]) => deed);
    }

    /**
     * Forgets a deed that was refused, once the person has seen why.
     *
     * @param {string} deed its key
     */
    async dismiss(deed) {
        const known = await this.#read(deed);
        if (known?.state === "refused") await this.#storage.write([[deed, undefined]]);
    }

    // With the server

    /**
     * Sends what waits, and brings the copy up to date.
     *
     * @throws {Unreachable} what was not sent waits on
     */
    async sync() {
        await this.#exclusive("sync", async () => {
            await this.#send();
            await this.#pull();
        });
    }

    /**
     * The cursor of the copy; null before the first {@link sync}.
     *
     * @returns {Promise<string | null>}
     */
    cursor() { return this.#read("cursor"); }

    /**
     * Tells the newest cursor at the beginning and after each change, until the signal ends it: with another one than
     * {@link cursor}, there is something to {@link sync}. It opens the stream again whenever that ends.
     *
     * @param {(cursor: string) => unknown} told
     * @param {AbortSignal} signal
     * @throws {Unreachable} once nobody is signed in
     */
    async listen(told, signal) {
        while (!signal.aborted) {
            try {
                const answer = await this.#fetch("/v1/events", { headers: { Accept: "text/event-stream" }, signal });
                if (answer.status === 401) throw new Unreachable("signed-out");
                if (answer.ok && answer.body) {
                    for await (const cursor of cursors(answer.body)) await told(cursor);
                }
            } catch (error) {
                if (error instanceof Unreachable) throw error;
            }
            await new Promise(resolve => setTimeout(resolve, retryTime * (0.5 + Math.random())));
        }
    }

    async #send() {
        for (const deed of await this.deeds()) {
            if (deed.state !== "waiting") continue;
            const answer = await this.#ask(deed.path, {
                method: deed.method,
                headers: deed.body === undefined ? {} : { "Content-Type": "application/json" },
                body: deed.body === undefined ? undefined : JSON.stringify(deed.body),
            });
            /** @type {Deed} */
            let done = { ...deed, state: "sent" };
            const failures = (deed.failures ?? 0) + 1;
            if (answer.status === 500 && failures < mostFailures) {
                await this.#storage.write([[deed.key, { ...deed, failures }]]);
                throw new Unreachable("busy");
            }
            if (!answer.ok) {
                const { code = "", detail = "", remedy = "" } = parsed(answer.text) ?? {};
                // Somebody else did the same before, or the answer to this got lost.
                const isGone = deed.method === "DELETE" && (answer.status === 404 || code === "archived");
                if (!isGone) done = { ...deed, state: "refused", refusal: { status: answer.status, code, detail, remedy } };
            }
            await this.#storage.write([[deed.key, done]]);
        }
    }

    async #pull() {
        const sent = (await this.deeds()).filter(deed => deed.state === "sent");
        /** @type {[string, any][]} */
        const settled = sent.map(deed => [deed.key, undefined]);
        const cursor = await this.#read("cursor");
        if (!cursor) return this.#readEverything(settled);
        for (let after = cursor, isComplete = false; !isComplete;) {
            const page = await this.#changes(after);
            if (page === null) return this.#readEverything(settled);
            isComplete = page.complete;
            after = page.cursor;
            await this.#storage.write([...changes(page), ["cursor", page.cursor], ...(isComplete ? settled : [])]);
        }
    }

    /**
     * @param {[string, any][]} settled what else is written with it
     * @returns {Promise<void>}
     */
    async #readEverything(settled) {
        /** @type {Map<string, any>} */
        const entries = new Map();
        let cursor = null;
        for (let isComplete = false; !isComplete;) {
            /** @type {any} */
            const page = await this.#changes(cursor);
            if (page === null) return this.#readEverything(settled);
            for (const [key, value] of changes(page)) entries.set(key, value);
            isComplete = page.complete;
            cursor = page.cursor;
        }
        // What the server does not name is gone.
        for (const prefix of Object.values(collections)) {
            for (const [known] of await this.#storage.read(`${prefix}/`)) {
                if (!entries.has(known)) entries.set(known, undefined);
            }
        }
        await this.#storage.write([...entries, ["cursor", cursor], ...settled]);
    }

    /**
     * A page of changes; null if the cursor is too old.
     *
     * @param {string | null} after
     * @returns {Promise<any>}
     */
    async #changes(after) {
        const from = after === null ? "" : `&after=${encodeURIComponent(after)}`;
        const answer = await this.#ask(`/v1/changes?limit=${pageLength}${from}`, { method: "GET" });
        if (answer.status === 410) return null;
        const page = parsed(answer.text);
        if (!answer.ok || page === null) throw new Unreachable("busy");
        return page;
    }

    /**
     * @param {string} path
     * @param {RequestInit} init
     */
    async #ask(path, init) {
        const abort = new AbortController();
        const timer = setTimeout(() => abort.abort(), patience);
        try {
            const answer = await this.#fetch(path, { ...init, signal: abort.signal });
            if (answer.status === 401) throw new Unreachable("signed-out");
            if ([408, 425, 429].includes(answer.status) || answer.status > 500) {
                throw new Unreachable("busy", Number(answer.headers.get("Retry-After")) || 0);
            }
            // With the body, which can be slow, too.
            return { status: answer.status, ok: answer.ok, text: await answer.text() };
        } catch (error) {
            throw error instanceof Unreachable ? error : new Unreachable("offline");
        } finally {
            clearTimeout(timer);
        }
    }

    /** @param {string} key */
    async #read(key) {
        const found = await this.#storage.read(key);
        return found.find(([known]) => known === key)?.[1] ?? null;
    }

    #time() { return this.#now().toISOString(); }

    /**
     * @param {object} fact
     * @param {string} [id]
     */
    #fact(fact, id = crypto.randomUUID()) { return { id, ...fact, madeAt: this.#time() }; }

    /** @param {object} parts */
    #edit(parts) { return { ...parts, modifiedAt: this.#time() }; }

    /**
     * @param {Deed["method"]} method
     * @param {string} path
     * @param {string} kind
     * @param {string} id
     * @param {any} [body]
     */
    #do(method, path, kind, id, body) {
        return this.#exclusive("queue", async () => {
            const number = (await this.#read("last") ?? 0) + 1;
            // Sorted as text, too.
            const place = key("queue", String(number).padStart(12, "0"));
            /** @type {Deed} */
            const deed = { key: place, method, path, body, kind, id, madeAt: this.#time(), state: "waiting" };
            await this.#storage.write([["last", number], [place, deed]]);
            return deed;
        });
    }
}

/**
 * A storage that lasts as long as this program.
 *
 * @implements {Storage}
 */
export class MemoryStorage {
    /** @type {Map<string, any>} */
    #entries = new Map();

    /**
     * @param {string} prefix
     * @returns {Promise<[string, any][]>}
     */
    async read(prefix) {
        return [...this.#entries].filter(([key]) => key.startsWith(prefix)).sort(([left], [right]) => left < right ? -1 : 1);
    }

    /** @param {[string, any][]} changes */
    async write(changes) {
        for (const [key, value] of changes) {
            if (value === undefined) this.#entries.delete(key);
            else this.#entries.set(key, value);
        }
    }
}

/**
 * An object that was sent as JSON; null for anything else, such as the page of a proxy.
 *
 * @param {string} text
 * @returns {any}
 */
function parsed(text) {
    try {
        const value = JSON.parse(text);
        return typeof value === "object" ? value : null;
    } catch {
        return null;
    }
}

/**
 * What a page of changes writes.
 *
 * @param {any} page
 * @returns {[string, any][]}
 */
function changes(page) {
    /** @type {[string, any][]} */
    const entries = [];
    if (page.settings) entries.push(["settings", page.settings]);
    for (const [name, kind] of Object.entries(collections)) {
        for (const item of page[name] ?? []) entries.push([key(kind, item.id), item]);
    }
    for (const { kind, id } of page.deleted) entries.push([key(kind, id), undefined]);
    return entries;
}

/**
 * An item with the edits that the server does not know yet; null if it was removed.
 *
 * @param {any} copy
 * @param {string} kind
 * @param {Deed[]} deeds
 */
function overlaid(copy, kind, deeds) {
    let item = copy;
    for (const deed of deeds) {
        if (deed.state === "refused" || deed.kind !== kind || kind !== "settings" && deed.id !== copy.id) continue;
        if (deed.method === "DELETE" && !deed.path.includes("/review")) return null;
        if (deed.method !== "PATCH") continue;
        const parts = Object.entries(deed.body).filter(([name]) => name in copy && name !== "modifiedAt");
        item = { ...item, ...Object.fromEntries(parts) };
    }
    return item;
}

/**
 * The cursors that a stream of events tells.
 *
 * @param {ReadableStream<Uint8Array>} body
 */
async function* cursors(body) {
    const reader = body.getReader();
    const decoder = new TextDecoder();
    let text = "";
    for (;;) {
        /** @type {ReturnType<typeof setTimeout> | undefined} */
        let timer;
        // A network that has gone away may never say so.
        const silence = new Promise(resolve => { timer = setTimeout(resolve, longestSilence); });
        const part = await Promise.race([reader.read(), silence]).finally(() => clearTimeout(timer));
        if (part === undefined) return void reader.cancel().catch(() => {});
        const { done, value } = part;
        if (done) return;
        text += decoder.decode(value, { stream: true });
        const events = text.split("\n\n");
        text = events.pop() ?? "";
        for (const event of events) {
            const id = event.split("\n").find(line => line.startsWith("id: "));
            if (id) yield id.slice(4);
        }
    }
}

function oneAtATime() {
    /** @type {Map<string, Promise<unknown>>} */
    const last = new Map();
    /**
     * @template T
     * @param {string} name
     * @param {() => Promise<T>} body
     */
    return (name, body) => {
        const result = (last.get(name) ?? Promise.resolve()).then(body, body);
        last.set(name, result);
        return result;
    };
}

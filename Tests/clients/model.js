// What rule 14.3 makes of the requests that reached a server, written a second time. The checker compares it with what the server
// answered, and with what the devices show in the end.

/**
 * A value as JSON, with names in their order.
 *
 * @param {any} value
 * @returns {string}
 */
export const sorted = value => JSON.stringify(value, (_, inner) => inner && typeof inner === "object" && !Array.isArray(inner)
    ? Object.fromEntries(Object.entries(inner).sort(([left], [right]) => left < right ? -1 : 1)) : inner);

/** Numbers that a seed determines (SplitMix32). */
export class Chance {
    /** @param {number} seed */
    constructor(seed) {
        this.state = seed >>> 0;
    }

    number() {
        this.state = (this.state + 0x9e3779b9) >>> 0;
        let mixed = this.state;
        mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
        mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
        return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
    }

    /**
     * A whole number below a limit.
     *
     * @param {number} limit
     */
    below(limit) { return Math.floor(this.number() * limit); }

    /** @param {number} probability */
    happens(probability) { return this.number() < probability; }

    /**
     * @template T
     * @param {T[]} values
     */
    one(values) { return values[this.below(values.length)]; }
}

/**
 * @typedef {object} Arrival
 * @property {string} device
 * @property {string} method
 * @property {string} path
 * @property {any} body
 * @property {number} status
 * @property {any} answer
 */

/** An item as the rules leave it. */
class Item {
    isGone = false;
    /** @type {Map<string, { second: number, values: any[] }>} the newest edits of each part: several, if they cannot be ordered */
    parts = new Map();
    /** @type {Set<string>} ids of facts */
    facts = new Set();
    isDone = false;
}

export class Model {
    /** @type {Map<string, Item>} */
    items = new Map();
    /** @type {string[]} what the server answered and the rules do not say */
    surprises = [];
    /** @type {Map<string, { place: number, statuses: number[], codes: string[] }>} how each deed was answered, and when first */
    answers = new Map();

    /**
     * @param {number} now the server's clock in the beginning, in seconds
     * @param {boolean} isOrdered whether requests arrived one after another
     */
    constructor(now, isOrdered) {
        this.now = now;
        this.isOrdered = isOrdered;
    }

    /** @param {string} place such as `/v1/things/…` */
    item(place) {
        const known = this.items.get(place) ?? new Item();
        this.items.set(place, known);
        return known;
    }

    /**
     * The second for which an edit counts. A clock that is too far ahead counts as 60 seconds ahead of the server's, which goes on. The
     * other devices never come close to that. So all such edits may share one second here, in which the later arrival wins.
     *
     * @param {string} time
     */
    second(time) { return Math.min(Math.floor(Date.parse(time) / 1000), this.now + 60); }

    /** @param {Arrival} arrival */
    arrive(arrival) {
        // Two devices may do the same in the same millisecond.
        const key = `${arrival.device} ${name(arrival)}`;
        const answers = this.answers.get(key) ?? { place: this.answers.size, statuses: [], codes: [] };
        answers.statuses.push(arrival.status);
        answers.codes.push(arrival.answer?.code ?? "");
        this.answers.set(key, answers);
        const url = new URL(arrival.path, "http://x");
        const [, version, collection, id, ...rest] = url.pathname.split("/");
        const place = collection === "account" ? "/v1/account" : `/${version}/${collection}/${id}`;
        const item = this.item(place);
        const isFriend = collection === "friends";
        const gone = isFriend ? 409 : 404;
        const deed = `${arrival.method} ${rest.join("/")}`;
        if (deed === "PATCH ") return this.edit(item, arrival, gone);
        if (deed === "DELETE ") return this.delete(item, arrival, gone, this.second(url.searchParams.get("modifiedAt") ?? ""));
        if (deed === "POST waterings" || deed === "POST completion") return this.fact(item, arrival, gone);
        if (arrival.method === "PUT" && rest[2] === "review") return this.review(item, arrival, gone);
        this.surprises.push(`nobody expects ${deed}`);
    }

    /**
     * @param {Arrival} arrival
     * @param {number[]} statuses
     */
    expect(arrival, ...statuses) {
        if (statuses.includes(arrival.status) || !this.isOrdered) return arrival.status < 300;
        this.surprises.push(
            `${arrival.method} ${arrival.path} ${JSON.stringify(arrival.body)} was answered with ${arrival.status} `
            + `${arrival.answer?.code ?? ""}, not ${statuses}`);
        return arrival.status < 300;
    }

    /**
     * @param {Item} item
     * @param {Arrival} arrival
     * @param {number} gone
     */
    edit(item, arrival, gone) {
        if (!this.expect(arrival, item.isGone ? gone : 200)) return;
        const { modifiedAt, ...parts } = arrival.body;
        for (const [part, value] of Object.entries(parts)) this.set(item, part, this.second(modifiedAt), value);
    }

    /**
     * @param {Item} item
     * @param {string} part
     * @param {number} second
     * @param {any} value
     */
    set(item, part, second, value) {
        const newest = item.parts.get(part);
        if (newest && newest.second > second) return;
        const others = !this.isOrdered && newest?.second === second ? newest.values : [];
        item.parts.set(part, { second, values: [...others, value] });
    }

    /**
     * @param {Item} item
     * @param {Arrival} arrival
     * @param {number} gone
     * @param {number} second
     */
    delete(item, arrival, gone, second) {
        const isOlder = [...item.parts.values()].some(part => part.second > second);
        const done = arrival.path.startsWith("/v1/tags/") ? 204 : 200;
        if (this.expect(arrival, item.isGone ? gone : isOlder ? 409 : done)) item.isGone = true;
    }

    /**
     * @param {Item} item
     * @param {Arrival} arrival
     * @param {number} gone
     */
    fact(item, arrival, gone) {
        const isKnown = item.facts.has(arrival.body.id);
        const isThing = arrival.path.includes("/things/");
        const done = isThing ? 200 : 201;
        const refused = item.isGone ? gone : item.isDone ? 409 : done;
        if (!this.expect(arrival, isKnown && !(isThing && item.isGone) ? done : refused)) return;
        item.facts.add(arrival.body.id);
        if (isThing) item.isDone = true;
    }

    /**
     * @param {Item} item
     * @param {Arrival} arrival
     * @param {number} gone
     */
    review(item, arrival, gone) {
        // Without a watering there is nothing to review.
        const expected = item.facts.size === 0 ? 404 : item.isGone ? gone : 200;
        if (!this.expect(arrival, expected)) return;
        // Of several waterings of a day, the newest is meant.
        const { modifiedAt, memo } = arrival.body;
        this.set(this.item(`${arrival.path}#${item.facts.size}`), "memo", this.second(modifiedAt), memo);
    }

    /**
     * What is wrong with what a person was told: each deed was accepted, or is shown as refused; they arrived in order.
     *
     * @param {Deed[]} issued
     * @param {Deed[]} refused
     * @param {string} device
     */
    told(issued, refused, device) {
        const problems = [];
        const shown = new Set(refused.map(name));
        let place = -1;
        const seen = new Set();
        for (const deed of issued) {
            const answers = this.answers.get(`${device} ${name(deed)}`);
            if (!answers) {
                problems.push(`${name(deed)} got lost`);
                continue;
            }
            // The same edit twice within a second is told apart by nothing, so the answers count for the first.
            if (answers.place < place && !seen.has(name(deed))) problems.push(`${name(deed)} came too late`);
            seen.add(name(deed));
            place = Math.max(place, answers.place);
            const isAccepted = answers.statuses.some(status => status < 300);
            const wasGone = deed.method === "DELETE" && answers.codes.some(code => ["not_found", "archived"].includes(code));
            if (!isAccepted && !wasGone && !shown.has(name(deed))) problems.push(`nobody was told that ${name(deed)} was refused`);
            if (shown.has(name(deed)) && answers.statuses.every(status => status < 300)) {
                problems.push(`${name(deed)} is shown as refused`);
            }
        }
        return problems;
    }

    /**
     * What a copy shows otherwise than the rules say.
     *
     * @param {Map<string, any>} copy
     */
    differences(copy) {
        const problems = [];
        for (const [place, item] of this.items) {
            const [, , collection, id] = place.split(/[/#]/);
            if (place.includes("#")) {
                // A review that arrives together with another watering may be of either.
                if (!this.isOrdered) continue;
                const number = place.split("#")[1];
                problems.push(...parts(item, copy.get(`watering/${id}/${number}`), place));
                continue;
            }
            const key = collection === "account" ? "settings" : `${collection.slice(0, -1)}/${id}`;
            const shown = copy.get(key);
            const isGone = shown === undefined || collection === "friends" && shown.archivedAt !== null;
            if (isGone !== item.isGone) problems.push(`${place} is ${isGone ? "" : "not "}gone`);
            if (shown && !item.isGone) problems.push(...parts(item, shown, place));
            if (collection === "friends") {
                const count = [...copy.keys()].filter(key => key.startsWith(`watering/${id}/`)).length;
                if (count !== item.facts.size) problems.push(`${place} has ${count} waterings of ${item.facts.size}`);
                if (shown?.wateringCount !== item.facts.size) problems.push(`${place} counts ${shown?.wateringCount} waterings`);
            }
            if (collection === "things" && shown && (shown.state === "done") !== item.isDone) problems.push(`${place} is ${shown.state}`);
        }
        return problems;
    }
}

/** @typedef {import("../../clients/javascript/cherish.js").Deed} Deed */

/** @param {{ method: string, path: string, body?: any }} deed */
const name = ({ method, path, body }) => `${method} ${path} ${body === undefined ? "" : sorted(body)}`;

/**
 * @param {Item} item
 * @param {any} shown
 * @param {string} place
 */
function parts(item, shown, place) {
    const found = [];
    for (const [part, { values }] of item.parts) {
        const value = JSON.stringify(shown?.[part]);
        if (!values.some(expected => JSON.stringify(expected) === value)) {
            found.push(`${part} of ${place} is ${value}, not ${JSON.stringify(values)}`);
        }
    }
    return found;
}

// Three devices of one account do things at random, on a network that loses requests and answers, splits, and delivers old
// requests again; their clocks differ, and their programs crash. In the end all copies must be equal, every fact recorded once,
// every refusal told, and each part as the newest edit left it (rule 14.3). The server is a real one; see scripts/check-devices.

import { readFileSync } from "node:fs";
import { Garden, MemoryStorage, Unreachable } from "../../clients/javascript/cherish.js";
import { Chance, Model, sorted } from "./model.js";
import { Crash, SwiftGarden } from "./swift-garden.js";

/**
 * @typedef {{ url: string, now: string, accounts: string[][], histories: number, first: number, broken: string | null, swift: string }}
 *     Task what to check, with the program that runs the library in Swift
 */

const devices = 3;
/** How often an account is used before the next one: its copy grows. */
const historiesOfAnAccount = 12;

/** A storage whose program may crash instead of writing. */
class CrashingStorage extends MemoryStorage {
    /** @type {() => boolean} */
    crashes = () => false;
    /** @type {Breakage["entry"]} */
    broken;

    /** @param {[string, any][]} changes */
    async write(changes) {
        if (this.crashes()) throw new Crash();
        await super.write(changes.flatMap(change => this.broken ? this.broken(...change) : [change]));
    }
}

/** A device with its clock, its session, and its way to the server. */
class Device {
    storage = new CrashingStorage();
    /** @type {Garden | SwiftGarden} */
    garden;
    isOnline = true;
    /** How often a request is lost, its answer is lost, or it is delivered once more later. */
    trouble = 0;
    /** Seconds that the clock is ahead. */
    ahead = 0;
    /**
     * What its person did.
     *
     * @type {import("../../clients/javascript/cherish.js").Deed[]}
     */
    deeds = [];

    /**
     * @param {World} world
     * @param {string} token
     */
    constructor(world, token) {
        this.world = world;
        this.token = token;
        this.storage.broken = world.broken?.entry;
        this.garden = this.made();
    }

    made() {
        return new Garden({
            storage: this.storage,
            fetch: (path, init) => this.fetch(path, init),
            now: () => new Date(this.world.clock + this.ahead * 1000),
        });
    }

    async restart() {
        this.garden = this.made();
    }

    /** @param {number} probability of a crash at each write */
    async crashes(probability) {
        this.storage.crashes = () => this.world.chance.happens(probability);
    }

    /** What the device keeps. */
    entries() { return this.storage.read(""); }

    close() {}

    /**
     * @param {string} path
     * @param {RequestInit} init
     */
    async fetch(path, init) {
        const { chance } = this.world;
        if (!this.isOnline || chance.happens(this.trouble)) throw new TypeError("no network");
        const changed = this.world.broken?.request?.(path, init) ?? { path, init };
        const isLate = init.method !== "GET" && chance.happens(this.trouble / 2);
        const deliver = () => this.world.deliver(this.token, changed.path, changed.init, { path, init });
        if (isLate) this.world.late.push(deliver);
        const answer = await deliver();
        if (chance.happens(this.trouble)) throw new TypeError("the answer got lost");
        return answer;
    }

    /**
     * Does something, whatever happens to the program meanwhile.
     *
     * @param {() => Promise<unknown>} act
     */
    async survive(act) {
        try {
            await act();
        } catch (error) {
            if (error instanceof Crash) await this.restart();
            else if (!(error instanceof Unreachable)) throw error;
        }
    }

    sync() {
        return this.survive(() => this.garden.sync());
    }
}

/** A device that runs the library in Swift. */
class SwiftDevice extends Device {
    made() {
        return new SwiftGarden(
            this.world.task.swift, (path, init) => this.fetch(path, init), () => this.world.clock + this.ahead * 1000);
    }

    /** @returns {SwiftGarden} */
    get process() { return /** @type {SwiftGarden} */ (this.garden); }

    async restart() { await this.process.restart(); }

    /** @param {number} probability */
    async crashes(probability) {
        await this.process.crashAfter(probability > 0 ? 1 + this.world.chance.below(2 / probability) : 0);
    }

    entries() { return this.process.entries(); }

    close() { this.process.close(); }
}

class World {
    /** The clock of the devices, before their differences, in milliseconds. */
    clock = 0;
    /**
     * Requests that the network delivers once more.
     *
     * @type {(() => Promise<unknown>)[]}
     */
    late = [];
    counter = 0;

    /**
     * @param {Task} task
     * @param {string[]} tokens
     */
    constructor(task, tokens) {
        this.task = task;
        this.broken = task.broken ? breakages[task.broken] : null;
        this.start = Date.parse(task.now);
        this.chance = new Chance(0);
        this.model = new Model(0, true);
        const [first, ...others] = tokens.slice(0, devices);
        this.devices = others.map(token => new Device(this, token));
        // The faults are of the library in JavaScript.
        this.devices.unshift(task.broken ? new Device(this, first) : new SwiftDevice(this, first));
    }

    /**
     * @param {string} token
     * @param {string} path
     * @param {RequestInit} init
     * @param {{ path: string, init: RequestInit }} meant what a device without a fault would have sent
     */
    async deliver(token, path, init, meant) {
        const headers = { ...init.headers, Authorization: `Bearer ${token}` };
        const answer = await fetch(this.task.url + path, { ...init, headers, signal: undefined });
        if (init.method === "GET") return answer;
        const text = await answer.text();
        this.model.arrive({
            device: token, method: meant.init.method ?? "", path: meant.path, status: answer.status,
            body: meant.init.body ? JSON.parse(String(meant.init.body)) : undefined, answer: text ? JSON.parse(text) : null,
        });
        return new Response(answer.status === 204 ? null : text, { status: answer.status, headers: answer.headers });
    }

    /**
     * @param {string} path
     * @param {any} body
     */
    async create(path, body) {
        const headers = { "Content-Type": "application/json", Authorization: `Bearer ${this.devices[0].token}` };
        const answer = await fetch(this.task.url + path, { method: "POST", headers, body: JSON.stringify(body) });
        if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
        return (await answer.json()).id;
    }

    /**
     * A history with a seed; returns what was wrong.
     *
     * @param {number} seed
     */
    async history(seed) {
        const chance = this.chance = new Chance(seed);
        const isOrdered = chance.happens(0.7);
        this.clock = this.start;
        this.late = [];
        // The settings are the only item that histories share.
        const settings = this.model.item("/v1/account");
        this.model = new Model(this.start / 1000, isOrdered);
        this.model.items.set("/v1/account", settings);
        const name = `p${seed}`;
        const phone = `+82 10 ${String(seed).padStart(8, "0").replace(/(....)/, "$1 ")}`;
        const friend = await this.create("/v1/friends", { name, phone, cycleDays: 7 });
        const thing = await this.create("/v1/things", { kind: "reminder", title: name, dueOn: this.task.now.slice(0, 10) });
        const tag = await this.create("/v1/tags", { name: `t${seed}` });
        for (const device of this.devices) {
            Object.assign(device, { isOnline: true, trouble: 0, ahead: 0, deeds: [] });
            await device.garden.sync();
            // A day ahead counts as a minute ahead of the server's clock, which goes on: each such edit is newer than those before.
            device.ahead = chance.one([0, 0, 1, -1, 2, -100, 86_400, -3600]);
            device.trouble = chance.one([0, 0.1, 0.3]);
            await device.crashes(device.trouble / 10);
        }
        for (let step = 4 + chance.below(16); step > 0; step -= 1) {
            this.clock += chance.one([0, 0, 300, 1000, 2000]);
            const device = chance.one(this.devices);
            if (chance.happens(0.1)) device.isOnline = !device.isOnline;
            if (this.late.length > 0 && chance.happens(0.3)) await this.late.splice(chance.below(this.late.length), 1)[0]();
            if (chance.happens(0.6)) await this.act(device, { friend, thing, tag });
            else if (isOrdered) await device.sync();
            else await Promise.all(this.devices.map(device => device.sync()));
        }
        return this.end();
    }

    /**
     * @param {Device} device
     * @param {{ friend: string, thing: string, tag: string }} items
     */
    async act(device, { friend, thing, tag }) {
        const { chance } = this;
        const text = `v${this.counter += 1}`;
        const day = this.task.now.slice(0, 10);
        const { garden } = device;
        const act = chance.one([
            () => garden.water(friend, { method: chance.one(["call", "message"]) }),
            () => garden.water(friend, { method: "call" }),
            () => garden.review(friend, day, { keywords: [], memo: text }),
            () => garden.complete(thing),
            () => garden.edit("friend", friend, chance.one([{ nickname: text }, { cycleDays: 1 + chance.below(90) }])),
            () => garden.edit("friend", friend, { nickname: text, favourite: chance.happens(0.5) }),
            () => garden.edit("thing", thing, chance.one([{ title: text }, { note: text, title: text }, { favourite: chance.happens(0.5) }])),
            () => garden.edit("thing", thing, { title: text }),
            () => garden.edit("tag", tag, chance.one([{ name: text }, { cycleDays: 1 + chance.below(90) }])),
            () => garden.edit("settings", "", chance.one([{ nickname: text }, { appearance: { look: text } }])),
            ...(chance.happens(0.3) ? [() => garden.remove("thing", thing)] : []),
            ...(chance.happens(0.2) ? [() => garden.remove("friend", friend), () => garden.remove("tag", tag)] : []),
        ]);
        await device.survive(async () => {
            device.deeds.push(await act());
        });
    }

    /** Lets the network heal, and returns what is wrong then. */
    async end() {
        for (const request of this.late.splice(0)) await request();
        for (const device of this.devices) {
            Object.assign(device, { isOnline: true, trouble: 0 });
            await device.crashes(0);
            await device.garden.sync();
        }
        const wrong = [...this.model.surprises];
        for (const device of this.devices) await device.garden.sync();
        const last = new Device(this, this.devices[0].token);
        await last.garden.sync();
        const truth = await copy(last);
        for (const [index, device] of this.devices.entries()) {
            for (const difference of differences(truth, await copy(device))) wrong.push(`device ${index}: ${difference}`);
            const deeds = await device.garden.deeds();
            if (deeds.some(deed => deed.state !== "refused")) wrong.push(`device ${index} keeps ${JSON.stringify(deeds)}`);
            for (const problem of this.model.told(device.deeds, deeds, device.token)) wrong.push(`device ${index}: ${problem}`);
            for (const deed of deeds) await device.garden.dismiss(deed.key);
        }
        wrong.push(...this.model.differences(truth));
        return wrong;
    }
}

/**
 * What a device shows, except whose session it is, and when one was last used: that alone changes nothing on other devices.
 *
 * @param {Device} device
 */
async function copy(device) {
    const entries = (await device.entries()).filter(([key]) => !/^(queue\/|last$)/.test(key));
    return new Map(entries.map(([key, value]) => [key, key.startsWith("session/") ? { ...value, current: null, usedAt: null } : value]));
}

/**
 * @param {Map<string, any>} left
 * @param {Map<string, any>} right
 */
function differences(left, right) {
    const found = [];
    for (const key of new Set([...left.keys(), ...right.keys()])) {
        const [there, here] = [left, right].map(copy => sorted(copy.get(key)));
        if (there !== here) found.push(`${key} is ${here}, on the server ${there}`);
    }
    return found;
}

/**
 * @typedef {object} Breakage
 * @property {(path: string, init: RequestInit) => { path: string, init: RequestInit }} [request]
 * @property {(key: string, value: any) => [string, any][]} [entry]
 */

/**
 * Devices with a fault, each of which the checker must find.
 *
 * @type {Record<string, Breakage>}
 */
const breakages = {
    "untold-refusals": { entry: (key, value) => [[key, value?.state === "refused" ? undefined : value]] },
    "missed-changes": { entry: (key, value) => key.startsWith("thing/") && value?.version === 3 ? [] : [[key, value]] },
    "lost-deeds": { entry: (key, value) => key.startsWith("queue/") && key.endsWith("7") ? [] : [[key, value]] },
    // A retry is another fact.
    "new-ids": { request: (path, init) => ({ path, init: changed(init, body => body.id && { ...body, id: crypto.randomUUID() }) }) },
    // What arrives later wins.
    "no-times": { request: (path, init) => ({ path, init: changed(init, ({ modifiedAt, ...body }) => body) }) },
    // Times in another time zone than they say.
    "wrong-zone": {
        request: (path, init) => ({
            path,
            init: changed(init, body => body.modifiedAt && { ...body, modifiedAt: body.modifiedAt.replace("Z", "+09:00") }),
        }),
    },
};

/**
 * @param {RequestInit} init
 * @param {(body: any) => any} change
 */
function changed(init, change) {
    if (!init.body) return init;
    const body = JSON.parse(String(init.body));
    return { ...init, body: JSON.stringify(change(body) || body) };
}

/** @type {Task} */
const task = JSON.parse(readFileSync(process.argv[2], "utf8"));
const began = Date.now();
const end = task.first + task.histories;
let next = task.first;
let checked = 0;

/** Checks histories on one account after another. */
async function work() {
    for (let tokens = task.accounts.shift(); tokens && next < end; tokens = task.accounts.shift()) {
        const world = new World(task, tokens);
        for (let used = 0; used < historiesOfAnAccount && next < end; used += 1) {
            const seed = next;
            next += 1;
            const wrong = await world.history(seed);
            checked += 1;
            if (wrong.length === 0) continue;
            console.log(JSON.stringify({ seed, wrong: wrong.slice(0, 5) }));
            process.exit(1);
        }
        world.devices.forEach(device => device.close());
    }
}

await Promise.all(Array.from({ length: 4 }, work));
console.log(JSON.stringify({ checked, seconds: (Date.now() - began) / 1000 }));

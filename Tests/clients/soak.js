// Many devices that listen, act and lose their network for a while, for as long as they are told to. In the end, the devices of an
// account must have the same copy, and nothing may wait or be lost. scripts/soak-devices starts it.

import { readFileSync } from "node:fs";

import { Garden, MemoryStorage, Unreachable } from "../../clients/javascript/cherish.js";
import { Chance, sorted } from "./model.js";

/** @type {{ url: string, today: string, accounts: string[][], seconds: number }} */
const task = JSON.parse(readFileSync(process.argv[2], "utf8"));
const chance = new Chance(1);
/** Seconds between two acts of a device, on average. */
const pause = 2;
const end = Date.now() + task.seconds * 1000;
const sleep = (/** @type {number} */ seconds) => new Promise(resolve => setTimeout(resolve, seconds * 1000));
const counts = { acts: 0, waterings: 0, told: 0, refused: 0 };

/** @param {string} token @param {string} path @param {RequestInit} init */
const ask = (token, path, init) =>
    fetch(task.url + path, { ...init, headers: { ...init.headers, Authorization: `Bearer ${token}` } });

/** @param {string} token @param {string} path @param {object} body */
async function create(token, path, body) {
    const answer = await ask(token, path, {
        method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
    });
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()).id;
}

class Device {
    storage = new MemoryStorage();
    isOnline = true;
    abort = new AbortController();

    /** @param {string} token */
    constructor(token) {
        this.garden = new Garden({
            storage: this.storage,
            fetch: async (path, init) => {
                if (!this.isOnline) throw new TypeError("no network");
                return ask(token, path, init);
            },
        });
    }

    async sync() {
        try {
            await this.garden.sync();
        } catch (error) {
            if (!(error instanceof Unreachable)) throw error;
        }
    }

    async listen() {
        await this.garden.listen(async cursor => {
            counts.told += 1;
            if (cursor !== await this.garden.cursor()) await this.sync();
        }, this.abort.signal);
    }

    /** @param {string} friend @param {string} thing */
    async live(friend, thing) {
        while (Date.now() < end) {
            await sleep(chance.number() * 2 * pause);
            if (chance.happens(0.05)) this.isOnline = !this.isOnline;
            counts.acts += 1;
            if (chance.happens(0.3)) {
                counts.waterings += 1;
                await this.garden.water(friend, { method: "call" });
            } else if (chance.happens(0.5)) {
                await this.garden.edit("friend", friend, { nickname: `n${counts.acts}` });
            } else {
                await this.garden.edit("thing", thing, { title: `t${counts.acts}`, favourite: chance.happens(0.5) });
            }
            await this.sync();
        }
    }
}

const gardens = await Promise.all(task.accounts.map(async (tokens, number) => {
    const friend = await create(tokens[0], "/v1/friends", { name: "Hana", phone: `+82 10 5000 ${1000 + number}`, cycleDays: 7 });
    const thing = await create(tokens[0], "/v1/things", { kind: "reminder", title: "t", dueOn: task.today });
    return { friend, thing, devices: tokens.map(token => new Device(token)) };
}));
const devices = gardens.flatMap(({ devices }) => devices);
const listening = devices.map(device => device.listen());
await Promise.all(gardens.flatMap(({ friend, thing, devices }) => devices.map(device => device.live(friend, thing))));
for (const device of devices) device.isOnline = true;
const wrong = [];
for (let round = 0; round < 2; round += 1) await Promise.all(devices.map(device => device.garden.sync()));
let recorded = 0;
for (const { devices } of gardens) {
    const copies = await Promise.all(devices.map(async device => {
        counts.refused += (await device.garden.deeds()).length;
        const entries = (await device.storage.read("")).filter(([key]) => !/^(queue\/|last$|session\/)/.test(key));
        return sorted(entries);
    }));
    if (new Set(copies).size !== 1) wrong.push("the copies of an account differ");
    recorded += (await devices[0].garden.items("watering")).length;
}
if (recorded !== counts.waterings) wrong.push(`${counts.waterings} waterings, of which ${recorded} are recorded`);
for (const device of devices) device.abort.abort();
console.log(JSON.stringify({ ...counts, wrong }));
process.exit(wrong.length > 0 ? 1 : 0);

// A device that runs the Swift library, in a process of its own (clients/swift). Its requests come here, so that the checker decides
// what the network does with them.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

import { Unreachable } from "../../clients/javascript/cherish.js";

/** The program crashed instead of writing. */
export class Crash extends Error {}

export class SwiftGarden {
    /** @type {Map<number, { resolve: (value: any) => void, reject: (error: Error) => void }>} */
    #waiting = new Map();
    #last = 0;
    #process;
    #fetch;
    #clock;

    /**
     * @param {string} program
     * @param {(path: string, init: RequestInit) => Promise<Response>} fetch
     * @param {() => number} clock the device's clock, in milliseconds
     */
    constructor(program, fetch, clock) {
        this.#fetch = fetch;
        this.#clock = clock;
        this.#process = spawn(program, { stdio: ["pipe", "pipe", "inherit"] });
        createInterface({ input: this.#process.stdout }).on("line", line => this.#hear(JSON.parse(line)));
    }

    /** @param {any} message */
    async #hear(message) {
        if ("ask" in message) return this.#write({ answer: message.ask, ...await this.#answer(message) });
        const waiting = this.#waiting.get(message.done);
        this.#waiting.delete(message.done);
        if (message.unreachable) waiting?.reject(new Unreachable(message.unreachable));
        else if (message.crash) waiting?.reject(new Crash());
        else if (message.error) waiting?.reject(new Error(message.error));
        else waiting?.resolve(message.result);
    }

    /** @param {any} message */
    async #answer({ method, path, body, hasBody }) {
        try {
            const headers = hasBody ? { "Content-Type": "application/json" } : {};
            const answer = await this.#fetch(path, { method, headers, body: hasBody ? JSON.stringify(body) : undefined });
            return { status: answer.status, text: await answer.text() };
        } catch (error) {
            if (!(error instanceof TypeError)) throw error;
            return {};
        }
    }

    /** @param {any} message */
    #write(message) { this.#process.stdin.write(`${JSON.stringify(message)}\n`); }

    /** @param {string} what @param {object} [with_] @returns {Promise<any>} */
    #do(what, with_ = {}) {
        this.#last += 1;
        const number = this.#last;
        return new Promise((resolve, reject) => {
            this.#waiting.set(number, { resolve, reject });
            this.#write({ number, do: what, clock: this.#clock(), ...with_ });
        });
    }

    /** @param {string} id @param {any} contact */
    water(id, contact) { return this.#do("water", { id, body: contact }); }
    /** @param {string} id @param {string} day @param {any} review */
    review(id, day, review) { return this.#do("review", { id, day, body: review }); }
    /** @param {string} id */
    complete(id) { return this.#do("complete", { id }); }
    /** @param {string} kind @param {string} id @param {any} parts */
    edit(kind, id, parts) { return this.#do("edit", { kind, id, body: parts }); }
    /** @param {string} kind @param {string} id */
    remove(kind, id) { return this.#do("remove", { kind, id }); }
    deeds() { return this.#do("deeds"); }
    /** @param {string} key */
    dismiss(key) { return this.#do("dismiss", { id: key }); }
    sync() { return this.#do("sync"); }
    restart() { return this.#do("restart"); }
    /** @param {number} count of writes until the next crash; 0 for none */
    crashAfter(count) { return this.#do("crash", { body: count }); }
    /** What the device keeps. @returns {Promise<[string, any][]>} */
    async entries() { return Object.entries(await this.#do("entries")).sort(([left], [right]) => left < right ? -1 : 1); }
    close() { this.#process.stdin.end(); }
}

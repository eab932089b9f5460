import assert from "node:assert/strict";
import { test } from "node:test";

import { Garden, MemoryStorage, Unreachable } from "../../../clients/javascript/cherish.js";
import { daysBetween, label, nameOf, today } from "../../../Sources/Web/WebGarden/Assets/offline-garden.js";
import { friendEdit, queue } from "../../../Sources/Web/WebGarden/Assets/queue.js";

const now = new Date("2027-03-05T03:00:00Z");

/** A garden whose server is a function. */
function made(fetch = async () => { throw new TypeError("no network"); }) {
    const storage = new MemoryStorage();
    return { storage, garden: new Garden({ storage, fetch, now: () => now }) };
}

const json = (value, status = 200, headers = {}) => new Response(JSON.stringify(value), { status, headers });
const nothing = { settings: null, sessions: [], tags: [], friends: [], waterings: [], things: [], lists: [], deleted: [], complete: true };

test("each form that can wait becomes the request that it would have been", async () => {
    const { garden } = made();
    const forms = [
        ["/plants/p/water", "id=i&method=call&wateredOn=2027-03-04"],
        ["/plants/p/review/2027-03-04", "keywords=a&keywords=&keywords=b&memo=+"],
        ["/plants/p/review/2027-03-04/declination", ""], ["/plants/p/review/2027-03-04/deletion", ""],
        ["/plants/p/later", "id=i&days=3&fromDueOn=2027-03-05"], ["/plants/p/favourite", "favourite=true"],
        ["/plants/p/removal", ""], ["/things/t/completion", "id=i&as=eaten"], ["/things/t/favourite", "favourite=false"],
    ];
    for (const [path, body] of forms) await queue(garden, path, new URLSearchParams(body));
    const time = now.toISOString();
    assert.deepEqual((await garden.deeds()).map(({ method, path, body }) => [method, path, body]), [
        ["POST", "/v1/friends/p/waterings", { id: "i", method: "call", wateredOn: "2027-03-04", madeAt: time }],
        ["PUT", "/v1/friends/p/waterings/2027-03-04/review", { keywords: ["a", "b"], memo: null, modifiedAt: time }],
        ["POST", `/v1/friends/p/waterings/2027-03-04/review/declination?modifiedAt=${time}`, undefined],
        ["DELETE", `/v1/friends/p/waterings/2027-03-04/review?modifiedAt=${time}`, undefined],
        ["POST", "/v1/friends/p/postponements", { id: "i", days: 3, fromDueOn: "2027-03-05", madeAt: time }],
        ["PATCH", "/v1/friends/p", { favourite: true, modifiedAt: time }],
        ["DELETE", `/v1/friends/p?modifiedAt=${time}`, undefined],
        ["POST", "/v1/things/t/completion", { id: "i", as: "eaten", madeAt: time }],
        ["PATCH", "/v1/things/t", { favourite: false, modifiedAt: time }],
    ]);
    assert.deepEqual((await garden.deeds()).map(nameOf),
        ["water", "review", "review", "review", "postpone", "edit", "remove", "complete", "edit"]);
    await assert.rejects(queue(garden, "/sign-out", new URLSearchParams()));
});

test("an edit has only the parts that differ from the copy", () => {
    const friend = { nickname: "Hana", birthday: "1994-05-21", cycleDays: 7, alarmTime: "09:00", pushesEnabled: true, tagIds: ["1"] };
    const tags = [{ id: "1", name: "work" }, { id: "2", name: "home" }];
    const form = text => new URLSearchParams(text);
    const same = "nickname=Hana&birthdayMonth=5&birthdayDay=21&birthdayYear=1994&cycleDays=7&alarmTime=09:00&pushesEnabled=true";
    assert.deepEqual(friendEdit(form(`${same}&tags=work`), friend, tags), {});
    assert.deepEqual(friendEdit(form(`${same}&tags=home`), friend, tags), { addTags: ["home"], removeTags: ["work"] });
    assert.deepEqual(
        friendEdit(form("nickname=&cycleDays=14&alarmTime=09:00&tags=work"), friend, tags),
        { nickname: null, birthday: null, cycleDays: 14, pushesEnabled: false });
});

test("what waits is sent in order and once; what is refused stays with its reason until it is put away", async () => {
    const sent = [];
    const { garden, storage } = made(async (path, init) => {
        if (init.method === "GET") return json({ ...nothing, cursor: "c" });
        sent.push(path);
        if (path.endsWith("postponements")) {
            return json({ code: "not_yet_due", detail: "it is D-3", remedy: "water it instead" }, 409);
        }
        return json({}, 201);
    });
    await garden.water("p", { method: "call" });
    await garden.postpone("p", 3, "2027-03-05");
    await garden.complete("t");
    await garden.sync();
    await garden.sync();
    assert.deepEqual(sent, ["/v1/friends/p/waterings", "/v1/friends/p/postponements", "/v1/things/t/completion"]);
    const [refused, ...others] = await garden.deeds();
    assert.equal(others.length, 0);
    assert.deepEqual(refused.refusal, { status: 409, code: "not_yet_due", detail: "it is D-3", remedy: "water it instead" });
    await garden.dismiss(refused.key);
    assert.deepEqual(await garden.deeds(), []);
    assert.deepEqual((await storage.read("")).map(([key]) => key), ["cursor", "last"]);
});

test("a server that is away, overloaded, or behind a proxy's page leaves everything waiting", async () => {
    for (const [answer, reason] of [
        [() => { throw new TypeError(); }, "offline"], [() => json({}, 503, { "Retry-After": "7" }), "busy"],
        [() => json({}, 429), "busy"], [() => json({}, 401), "signed-out"],
    ]) {
        const { garden } = made(async () => answer());
        await garden.water("p", { method: "call" });
        await assert.rejects(garden.sync(), error => error instanceof Unreachable && error.reason === reason);
        assert.equal((await garden.deeds())[0].state, "waiting");
    }
    const { garden } = made(async () => new Response("<html>Sign in to the hotel</html>"));
    await assert.rejects(garden.sync(), error => error.reason === "busy");
});

test("a deed over which the server fails again and again does not keep the others", async () => {
    const sent = [];
    const { garden } = made(async (path, init) => {
        if (init.method === "GET") return json({ ...nothing, cursor: "c" });
        sent.push(path);
        return path.endsWith("waterings") ? json({ code: "internal_error" }, 500) : json({}, 201);
    });
    await garden.water("p", { method: "call" });
    await garden.complete("t");
    for (let attempt = 1; attempt < 5; attempt += 1) {
        await assert.rejects(garden.sync(), error => error.reason === "busy");
        assert.equal(sent.length, attempt);
    }
    await garden.sync();
    assert.equal(sent.at(-1), "/v1/things/t/completion");
    assert.deepEqual((await garden.deeds()).map(({ state, refusal }) => [state, refusal.status]), [["refused", 500]]);
});

test("a copy that is too old is read anew, and what is gone meanwhile goes", async () => {
    const pages = [
        json({ ...nothing, things: [{ id: "1", title: "old" }, { id: "2", title: "gone" }], cursor: "c1" }),
        json({ code: "cursor_expired" }, 410),
        json({ ...nothing, things: [{ id: "1", title: "new" }], cursor: "c2", complete: false }),
        json({ ...nothing, things: [{ id: "3", title: "more" }], cursor: "c3" }),
    ];
    const asked = [];
    const { garden } = made(async path => {
        asked.push(path);
        return pages.shift();
    });
    await garden.sync();
    await garden.sync();
    assert.deepEqual((await garden.items("thing")).map(({ title }) => title), ["new", "more"]);
    assert.equal(await garden.cursor(), "c3");
    assert.deepEqual(asked, ["", "&after=c1", "", "&after=c2"].map(end => `/v1/changes?limit=1000${end}`));
});

test("a person sees an edit and a deletion before the server does", async () => {
    const { garden, storage } = made();
    await storage.write([["friend/1", { id: "1", nickname: "Hana", cycleDays: 7 }], ["friend/2", { id: "2", nickname: "Jun" }]]);
    await garden.edit("friend", "1", { nickname: "H", addTags: ["x"] });
    await garden.remove("friend", "2");
    await garden.deleteReview("1", "2027-03-04");
    assert.deepEqual(await garden.items("friend"), [{ id: "1", nickname: "H", cycleDays: 7 }]);
    assert.equal(await garden.item("friend", "2"), null);
});

test("events tell each cursor, however their bytes are split, and the stream is opened again", async () => {
    const abort = new AbortController();
    const text = "retry: 2000\n\n:\n\nevent: changed\nid: c1\ndata: {}\n\nevent: changed\nid: c2\ndata: {}\n\n";
    let opened = 0;
    const { garden } = made(async () => {
        opened += 1;
        return new Response(new ReadableStream({
            start(controller) {
                for (const character of text) controller.enqueue(new TextEncoder().encode(character));
                controller.close();
            },
        }));
    });
    const told = [];
    const timers = globalThis.setTimeout;
    globalThis.setTimeout = callback => timers(callback, 0);
    await garden.listen(cursor => {
        told.push(cursor);
        if (told.length === 4) abort.abort();
    }, abort.signal);
    globalThis.setTimeout = timers;
    assert.deepEqual([told, opened], [["c1", "c2", "c1", "c2"], 2]);
});

test("days are called as everywhere else", () => {
    assert.deepEqual([3, 0, -2].map(label), ["D-3", "D-DAY", "D+2"]);
    assert.equal(daysBetween("2027-02-28", "2027-03-02"), 2);
});

test("a day ends when the account says", () => {
    const now = new Date("2027-03-02T17:59:00Z");
    assert.equal(today("Asia/Seoul", "00:00", now), "2027-03-03");
    assert.equal(today("Asia/Seoul", "03:00", now), "2027-03-02");
    assert.equal(today("Asia/Seoul", "02:30", now), "2027-03-03");
});

test("a stream of events that says nothing for a minute is left for another one; a beat keeps it", async context => {
    // A second takes a millisecond.
    const { setTimeout } = globalThis;
    globalThis.setTimeout = (body, milliseconds) => setTimeout(body, milliseconds / 1000);
    context.after(() => { globalThis.setTimeout = setTimeout; });
    const [begun, left, told] = [[], [], []];
    const listening = new AbortController();
    const text = new TextEncoder();
    const { garden } = made(async path => {
        const number = begun.push(path);
        const say = words => new Promise(resolve => setTimeout(resolve, 25, text.encode(words)));
        const said = [`id: ${number}\nevent: change\n\n`, ":\n\n", ":\n\n", ":\n\n"];
        return new Response(new ReadableStream({
            async pull(stream) { if (said.length) stream.enqueue(await say(said.shift())); else await new Promise(() => {}); },
            cancel() { left.push([number, said.length]); },
        }), { headers: { "Content-Type": "text/event-stream" } });
    });
    await garden.listen(cursor => { if (told.push(cursor) === 2) listening.abort(); }, listening.signal);
    assert.deepEqual(told, ["1", "2"]);
    assert.deepEqual(begun, ["/v1/events", "/v1/events"]);
    assert.deepEqual(left[0], [1, 0]);
});

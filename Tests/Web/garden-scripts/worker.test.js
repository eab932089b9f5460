import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import vm from "node:vm";

import { Caches, Events } from "./browser.js";

const source = readFileSync(new URL("../../../Sources/Web/WebGarden/Assets/worker.js", import.meta.url), "utf8")
    .replace("/* version */", "2").replace("/* assets */", '"/assets/garden.2.css", "/assets/garden.2.js"');
const home = "https://cherish.example";

/** The worker, in a browser of which it sees only this. */
function started({ answer = () => new Response("") } = {}) {
    const events = new Events();
    const world = {
        requests: [], shown: [], opened: [], mayOpen: true, windows: [], timeouts: [],
        caches: new Caches(),
    };
    const registration = {
        getNotifications: async () => world.shown,
        showNotification: async (title, options) => { world.shown.push({ title, ...options, close() {} }); },
        pushManager: {
            subscribe: async () => ({ toJSON: () => ({ endpoint: "new", keys: { p256dh: "P", auth: "A" } }) }),
        },
    };
    const self = {
        location: new URL(`${home}/worker.js`), registration,
        addEventListener: (name, listener) => events.add(name, listener), skipWaiting: async () => {},
        clients: {
            claim: async () => {}, matchAll: async () => world.windows,
            openWindow: async url => {
                if (!world.mayOpen) throw new Error("not allowed");
                world.opened.push(url);
            },
        },
    };
    class AskedFor extends Request {
        constructor(url, options) { super(new URL(url, home), options); }
    }
    const context = vm.createContext({
        self, caches: world.caches, URL, Response, Headers, Request: AskedFor, console,
        setTimeout: callback => { world.timeouts.push(callback); },
        fetch: async (request, options) => {
            const asked = { url: String(request.url ?? request), ...options };
            world.requests.push(asked);
            return answer(asked);
        },
    });
    vm.runInContext(source, context);
    return { ...context, world, events };
}

/** Objects of the worker are of another realm; this compares what they hold. */
const same = (actual, expected, words) => assert.deepEqual(JSON.parse(JSON.stringify(actual)), expected, words);

function readable(body, headers = {}) {
    const always = { "X-Garden-Offline": "1", Date: "Tue, 02 Mar 2027 00:00:00 GMT" };
    return new Response(body, { headers: { ...always, ...headers } });
}

async function navigate({ events }, path, method = "GET") {
    return events.dispatch("fetch", { request: { url: home + path, method, mode: "navigate" } });
}

test("only pages and assets of our own are ever answered by the worker", () => {
    const { sourceOf } = started();
    const cases = [
        ["GET", "navigate", "/", "page"], ["GET", "navigate", "/plants/1?month=2027-03", "page"],
        ["GET", "no-cors", "/assets/garden.2.css", "asset"], ["GET", "same-origin", "/assets/plants.3.svg", "asset"],
        ["POST", "navigate", "/plants/1/water", "form"], ["POST", "navigate", "/plants/1/review/2027-03-05/deletion", "form"],
        ["POST", "navigate", "/things/1/completion", "form"], ["POST", "navigate", "/things/1/reopening", null],
        ["POST", "navigate", "/sign-out", null], ["POST", "cors", "/plants/1/water", null], ["PUT", "cors", "/assets/garden.2.css", null],
        ["GET", "cors", "/v1/friends", null], ["GET", "navigate", "/v1/account/export?format=csv", null],
        ["GET", "cors", "/plants/1", null], ["GET", "no-cors", "/manifest.webmanifest", null],
        ["GET", "no-cors", "https://elsewhere.example/assets/garden.2.css", null],
        ["GET", "navigate", "https://cherish.example.evil.example/", null],
        ["GET", "navigate", "http://cherish.example/", null],
    ];
    for (const [method, mode, url, expected] of cases) {
        assert.equal(sourceOf(method, mode, new URL(url, home)), expected, `${method} ${mode} ${url}`);
    }
});

test("an answer keeps the page, drops the kept one, leaves it, or makes the worker forget everything", () => {
    const { consequence } = started();
    const offline = { "X-Garden-Offline": "1" };
    const cases = [
        [200, offline, "keep"], [200, {}, "drop"], [200, { "X-Garden-Offline": "0" }, "drop"],
        [0, {}, "drop"], [303, offline, "drop"], [401, {}, "drop"], [404, offline, "drop"], [410, {}, "drop"],
        [429, {}, "leave"], [500, {}, "leave"], [503, offline, "leave"],
        [200, { ...offline, "X-Garden-Forget": "1" }, "forget"], [401, { "X-Garden-Forget": "1" }, "forget"],
    ];
    for (const [status, headers, expected] of cases) {
        assert.equal(consequence(status, new Headers(headers)), expected, `${status} ${JSON.stringify(headers)}`);
    }
});

test("the shell is cached; what other versions cached is dropped, but not pages that this one can show", async () => {
    const { events, world } = started();
    await (await world.caches.open("shell-1")).put("/offline", new Response("old"));
    const pages = await world.caches.open("pages");
    const page = (style, rest) => readable(`<html><link href="/assets/${style}">${rest}`);
    await pages.put(`${home}/old`, page("garden.1.css", '<script src="/assets/garden.2.js">'));
    await pages.put(`${home}/new`, page("garden.2.css", '<img src="/assets/icon.9.png">'));
    await events.dispatch("install");
    same(await world.caches.addedTo("shell-2"), ["/offline", "/assets/garden.2.css", "/assets/garden.2.js"]);
    await events.dispatch("activate");
    same((await world.caches.keys()).sort(), ["pages", "shell-2"]);
    same((await pages.keys()).map(request => request.url), [`${home}/new`]);
});

test("the newest 20 pages are kept, and shown without a network with the time at which they were kept", async () => {
    let isOnline = true;
    const running = started({
        answer: ({ url }) => {
            if (!isOnline) throw new TypeError("no network");
            const page = `<!doctype html>\n<html lang="ko"><p>${url}`;
            return readable(page, { "Content-Security-Policy": "default-src 'none'" });
        },
    });
    await (await running.world.caches.open("shell-2")).put(`${home}/offline`, new Response("nothing here"));
    for (let plant = 1; plant <= 21; plant += 1) await navigate(running, `/plants/${plant}`);
    // Seen again, so it is the newest.
    await navigate(running, "/plants/2");
    await navigate(running, "/plants/22");
    isOnline = false;
    const kept = await navigate(running, "/plants/2");
    assert.equal(
        await kept.text(),
        `<!doctype html>\n<html data-offline-since="2027-03-02T00:00:00.000Z" lang="ko"><p>${home}/plants/2`);
    assert.equal(kept.headers.get("Content-Security-Policy"), "default-src 'none'");
    assert.equal(await (await navigate(running, "/plants/1")).text(), "nothing here");
    assert.equal(await (await navigate(running, "/plants/3")).text(), "nothing here");
    assert.match(await (await navigate(running, "/plants/4")).text(), /plants\/4/);
    assert.equal((await (await running.world.caches.open("pages")).keys()).length, 20);
});

test("a page that takes long is replaced by the kept one, and awaited where none is kept", async () => {
    let finish = () => {};
    let isSlow = false;
    const running = started({
        answer: ({ url }) => isSlow
            ? new Promise(resolve => { finish = () => resolve(readable("<html>new")); }) : readable(`<html>${url}`),
    });
    await navigate(running, "/");
    isSlow = true;
    const early = navigate(running, "/");
    running.world.timeouts.at(-1)();
    // The event lasts until the late answer is kept, so that the server's page can still arrive.
    await new Promise(resolve => setTimeout(resolve));
    finish();
    assert.match(await (await early).text(), /data-offline-since=.*cherish\.example\/$/);
    const stored = await (await running.world.caches.open("pages")).match(`${home}/`);
    assert.equal(await stored.text(), "<html>new");
    const awaited = navigate(running, "/plants/1");
    running.world.timeouts.at(-1)();
    await new Promise(resolve => setTimeout(resolve));
    finish();
    assert.equal(await (await awaited).text(), "<html>new");
});

test("signing out, a message and a header each forget all pages and close the notifications", async () => {
    const ways = {
        "signing out": running => navigate(running, "/sign-out", "POST"),
        "a message": ({ events }) => events.dispatch("message", { data: { forget: true } }),
        "a header": running => navigate(running, "/forgetting"),
    };
    for (const [name, forget] of Object.entries(ways)) {
        const running = started({
            answer: ({ url }) => readable("<html>", url.endsWith("/forgetting") ? { "X-Garden-Forget": "1" } : {}),
        });
        await navigate(running, "/");
        assert.equal(await running.world.caches.has("pages"), true, name);
        let closed = 0;
        running.world.shown.push({ close: () => { closed += 1; } });
        await forget(running);
        assert.equal(await running.world.caches.has("pages"), false, name);
        assert.equal(closed, 1, name);
    }
});

test("a page that was asked for before signing out is not kept afterwards", async () => {
    let finish = () => {};
    const running = started({ answer: () => new Promise(resolve => { finish = () => resolve(readable("<html>")); }) });
    const answer = navigate(running, "/");
    await new Promise(resolve => setTimeout(resolve));
    await running.events.dispatch("message", { data: { forget: true } });
    finish();
    await answer;
    assert.equal(await running.world.caches.has("pages"), false);
});

test("every push of the fixtures is shown as it says", () => {
    const { notice, deed } = started();
    const fixtures = new URL("../../../fixtures/push/", import.meta.url);
    const names = readdirSync(fixtures).filter(name => name.startsWith("webpush-"));
    assert.ok(names.length >= 12);
    for (const name of names) {
        const payload = readFileSync(new URL(name, fixtures), "utf8");
        const { title, body, tag, lang, dir, navigate, data } = JSON.parse(payload).notification;
        const { title: shownTitle, options } = notice(payload);
        same(
            { title: shownTitle, body: options.body, tag: options.tag, lang: options.lang, dir: options.dir },
            { title, body, tag, lang, dir }, name);
        assert.equal(options.data.plantId, data.plantId, name);
        same(deed(options.data, ""), { post: null, open: navigate }, name);
    }
});

test("a push that cannot be read has general words, which a page has given; else the app's name", async () => {
    const words = { lang: "ko", title: "체리시", body: "새 소식이 있어요." };
    const broken = [
        "", "{", "null", "42", '"text"', "[]", "{}", '{"notification":null}', '{"notification":"text"}',
        '{"notification":{"title":""}}', '{"notification":{"title":7,"body":"lost"}}',
        '{"notification":{"body":"alone"}}',
    ];
    for (const payload of broken) {
        const { events, world } = started();
        await events.dispatch("push", { data: { text: () => payload } });
        assert.equal(world.shown[0].title, "Cherish", payload);
        await events.dispatch("message", { data: { words, key: "BK" } });
        await events.dispatch("push", { data: { text: () => payload } });
        const { title, body, lang, tag } = world.shown[1];
        same({ title, body, lang, tag }, { ...words, tag: "general" }, payload);
    }
    const { events, world } = started();
    await events.dispatch("push", { data: null });
    assert.equal(world.shown[0].title, "Cherish");
});

test("what a push says wrongly is left out, and foreign pictures are ours instead", () => {
    const { notice } = started();
    const { title, options } = notice(JSON.stringify({
        web_push: 8030,
        notification: {
            title: "Hana", body: 7, dir: "sideways", lang: null, tag: ["a"], icon: "https://elsewhere.example/i.png",
            badge: "/assets/own.png", data: "text",
            actions: [
                { action: "later", title: "Later", navigate: "/plants/1/later" }, { action: "done" }, null, "x",
                { action: "", title: "Empty" },
            ],
        },
    }));
    assert.equal(title, "Hana");
    same(options, {
        body: "", tag: "", lang: "", dir: "auto", icon: "/assets/icon-192.png", badge: `${home}/assets/own.png`,
        actions: [{ action: "later", title: "Later" }], data: { navigates: { later: "/plants/1/later" } },
    });
});

test("a click leads to our own pages alone", () => {
    const { deed } = started();
    const links = {
        "/plants/1/water": `${home}/plants/1/water`, [`${home}/plants`]: `${home}/plants`,
        "https://elsewhere.example/": `${home}/`, "//elsewhere.example/": `${home}/`, "javascript:alert(1)": `${home}/`,
        "https://cherish.example:8443/": `${home}/`, "https://user@cherish.example/": `${home}/`,
        "http://[": `${home}/`,
    };
    for (const [navigate, expected] of Object.entries(links)) {
        same(deed({ navigate }, ""), { post: null, open: expected }, navigate);
    }
    for (const data of [null, undefined, {}, { navigate: 7 }]) {
        same(deed(data, ""), { post: null, open: `${home}/` });
    }
});

const watering = {
    navigate: `${home}/plants/1/water`, plantId: "1", navigates: { done: "/plants/1/water?done" },
    actions: { later: { url: "/v1/push-actions/T", token: "T" }, foreign: { url: "https://elsewhere.example/v1/" } },
};

/** A notification that was clicked. */
function clicked({ events, world }, action, data = watering) {
    const notification = {
        title: "Hana", body: "", tag: "t", lang: "en", dir: "auto", icon: "", data,
        close: () => { world.closed = (world.closed ?? 0) + 1; },
    };
    return events.dispatch("notificationclick", { notification, action });
}

test("an action is posted with its token, and opens the plant if that fails", async () => {
    const good = started({ answer: () => new Response("", { status: 200 }) });
    await clicked(good, "later");
    same(good.world.requests, [{
        url: `${home}/v1/push-actions/T`, method: "POST", credentials: "same-origin",
        headers: { "Content-Type": "application/json" }, body: '{"token":"T"}',
    }]);
    same(good.world.opened, []);
    assert.equal(good.world.closed, 1);

    const failures = {
        "a refusal": () => new Response("", { status: 410 }),
        "no network": () => { throw new TypeError("no network"); },
    };
    for (const [name, answer] of Object.entries(failures)) {
        const bad = started({ answer });
        await clicked(bad, "later");
        same(bad.world.opened, [`${home}/plants/1`], name);
    }
    const slow = started({ answer: () => new Promise(() => {}) });
    const click = clicked(slow, "later");
    await new Promise(resolve => setTimeout(resolve));
    slow.world.timeouts.at(-1)();
    await click;
    same(slow.world.opened, [`${home}/plants/1`], "no answer in time");
});

test("an action without an address of ours posts nothing, and opens its page", async () => {
    const pages = { done: "/plants/1/water?done", foreign: "/plants/1/water", none: "/plants/1/water" };
    for (const [action, opened] of Object.entries(pages)) {
        const running = started();
        await clicked(running, action);
        same(running.world.requests, [], action);
        same(running.world.opened, [home + opened], action);
    }
});

test("a click takes the window that has the page, else one that shows, else a new one", async () => {
    const window = (url, visibilityState, mayNavigate = true) => {
        const made = {
            url, visibilityState, calls: [], focus: async () => { made.calls.push("focus"); return made; },
            navigate: async to => {
                if (!mayNavigate) throw new TypeError("not controlled");
                made.calls.push(to);
            },
        };
        return made;
    };
    const running = started();
    const [hidden, visible, there] = [
        window(`${home}/`, "hidden"), window(`${home}/me`, "visible"), window(watering.navigate, "hidden"),
    ];
    running.world.windows = [hidden, visible, there];
    await clicked(running, "");
    same([hidden.calls, visible.calls, there.calls], [[], [], ["focus"]]);
    running.world.windows = [hidden, visible];
    await clicked(running, "");
    same([hidden.calls, visible.calls], [[], ["focus", watering.navigate]]);
    running.world.windows = [hidden];
    await clicked(running, "");
    same(hidden.calls, ["focus", watering.navigate]);
    same(running.world.opened, []);
    running.world.windows = [window(`${home}/`, "visible", false)];
    await clicked(running, "");
    same(running.world.opened, [watering.navigate]);
});

test("a click too late to open anything brings the notification back", async () => {
    const running = started();
    running.world.mayOpen = false;
    await clicked(running, "");
    same(running.world.shown.map(({ title, data }) => ({ title, data })), [{ title: "Hana", data: watering }]);
});

test("a subscription that the browser replaces is made again with the old key, and given to the server", async () => {
    const body = '{"platform":"web","token":"new","p256dh":"P","auth":"A"}';
    const keys = [];
    for (const event of [{ oldSubscription: { options: { applicationServerKey: "old" } } }, {}]) {
        const running = started();
        const { pushManager } = running.self.registration;
        const subscribe = pushManager.subscribe;
        pushManager.subscribe = options => { keys.push(options.applicationServerKey); return subscribe(options); };
        await running.events.dispatch("message", { data: { words: {}, key: "told" } });
        await running.events.dispatch("pushsubscriptionchange", event);
        same(running.world.requests.map(({ url, body }) => [url, body]), [["/v1/devices", body]]);
    }
    assert.deepEqual(keys, ["old", "told"]);
});

test("a form that does not reach the server is kept for the queue, and the page without a network comes back", async () => {
    let hasNetwork = true;
    const running = started({
        answer: () => {
            if (!hasNetwork) throw new TypeError("no network");
            return new Response("sent");
        },
    });
    const { world, events } = running;
    await (await world.caches.open("shell-2")).put(`${home}/offline`, new Response("nothing here"));
    const send = body => events.dispatch("fetch", {
        request: { url: `${home}/plants/1/water`, method: "POST", mode: "navigate", clone: () => ({ text: async () => body }) },
    });
    assert.equal(await (await send("id=1&method=call")).text(), "sent");
    assert.equal((await (await world.caches.open("forms")).keys()).length, 0);
    hasNetwork = false;
    assert.equal(await (await send("id=2&method=call")).text(), "nothing here");
    const forms = await world.caches.open("forms");
    const kept = await Promise.all((await forms.keys()).map(async key => (await forms.match(key)).json()));
    same(kept, [{ path: "/plants/1/water", body: "id=2&method=call" }]);
    await events.dispatch("message", { data: { forget: true } });
    assert.equal((await (await world.caches.open("forms")).keys()).length, 0, "who signs out leaves nothing");
});

// The service worker: reads pages of the garden without a network, and shows pushes.

// The server fills in both.
const version = "/* version */";
/** @type {string[]} */
const assets = [/* assets */];

const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));
const home = `${worker.location.origin}/`;
/** @param {URL} url */
const isOwn = url => url.href.startsWith(home);

/** What every page needs, of this version. */
const shell = `shell-${version}`;
/** Pages that may be read offline. */
const pages = "pages";
/** Forms that did not reach the server, for queue.js. */
const forms = "forms";
/** What open pages told us for later. */
const instructions = "instructions";

const keptPages = 20;
/** How long a kept page waits for a newer one from the server, in milliseconds. */
const patience = 5000;
/** How long the server may take for a form that can wait, in milliseconds. */
const formPatience = 15_000;
/** How long an action of a notification may take: browsers let a click open a window for a short time only. */
const actionTime = 4000;

// Reading

/** The forms that queue.js knows. */
const canWait = new RegExp("^/(plants/[^/]+/(water|later|favourite|edit|removal|review/[^/]+(/declination|/deletion)?)"
    + "|things/[^/]+/(completion|favourite|removal))$");

/**
 * What a request is answered from: the cache (asset), the server and else the cache (page), the server and else the queue (form), or
 * the server alone.
 *
 * @param {string} method
 * @param {string} mode
 * @param {URL} url
 * @returns {"asset" | "page" | "form" | null}
 */
function sourceOf(method, mode, url) {
    if (method === "POST" && mode === "navigate" && isOwn(url) && canWait.test(url.pathname)) return "form";
    if (method !== "GET" || !isOwn(url) || url.pathname.startsWith("/v1/")) return null;
    if (url.pathname.startsWith("/assets/")) return "asset";
    return mode === "navigate" ? "page" : null;
}

/**
 * What the server's answer means for the kept copy of the page.
 *
 * @param {number} status 0 for a redirect
 * @param {Headers} headers
 * @returns {"forget" | "keep" | "drop" | "leave"}
 */
function consequence(status, headers) {
    if (headers.get("X-Garden-Forget") === "1") return "forget";
    if (status === 200 && headers.get("X-Garden-Offline") === "1") return "keep";
    // A server that is overloaded or fails says nothing about the page.
    return status < 429 ? "drop" : "leave";
}

/**
 * Whether a page needs styles or scripts that this version does not have.
 *
 * @param {string} page
 * @param {string[]} known
 */
function isOutdated(page, known) {
    return [...page.matchAll(/["'](\/assets\/[^"'?#]+\.(?:css|js))["']/g)].some(([, path]) => !known.includes(path));
}

/**
 * A kept page that says when it was kept; the page's script shows it.
 *
 * @param {string} page
 * @param {string | null} date as in HTTP
 */
function marked(page, date) {
    const moment = new Date(date ?? NaN);
    const since = Number.isNaN(moment.valueOf()) ? "" : moment.toISOString();
    return page.replace(/<html(?=[\s>])/i, `<html data-offline-since="${since}"`);
}

/** How often pages were forgotten: an answer that was asked for before must not be kept afterwards. */
let forgettings = 0;

async function forget() {
    forgettings += 1;
    await caches.delete(pages);
    for (const notification of await worker.registration.getNotifications()) notification.close();
}

/**
 * @param {string} url
 * @param {Response} answer
 * @param {number} asked the value of `forgettings` when it was asked for
 */
async function remember(url, answer, asked) {
    const what = consequence(answer.status, answer.headers);
    if (what === "forget") return forget();
    // Before anything else happens, since the page reads the answer, too.
    const copy = what === "keep" ? answer.clone() : null;
    if (what === "leave" || asked !== forgettings) return;
    // Who forgets from here on deletes this cache, and with it what is put in below.
    const cache = await caches.open(pages);
    await cache.delete(url, { ignoreVary: true });
    if (!copy) return;
    await cache.put(url, copy);
    const oldestFirst = await cache.keys();
    for (const request of oldestFirst.slice(0, -keptPages)) await cache.delete(request, { ignoreVary: true });
}

/** @param {string} url */
async function keptPage(url) {
    const kept = await caches.match(url, { cacheName: pages, ignoreVary: true });
    if (!kept) return null;
    return new Response(marked(await kept.text(), kept.headers.get("Date")), { headers: kept.headers });
}

/**
 * The page from the server; the kept one if that fails, or takes long. Without a kept page, a slow answer is awaited.
 *
 * @param {string} url
 * @param {Promise<Response>} answer
 */
async function page(url, answer) {
    const late = new Promise(resolve => setTimeout(resolve, patience));
    const early = await Promise.race([answer, late]).catch(() => null);
    if (early instanceof Response) return early;
    return await keptPage(url) ?? await answer.catch(offlinePage);
}

const offlinePage = async () =>
    await caches.match("/offline", { cacheName: shell, ignoreVary: true }) ?? Response.error();

/**
 * The server's answer to a form. Without one, the form is kept, and the page without a network queues it.
 *
 * @param {Request} request
 */
async function form(request) {
    const copy = request.clone();
    const late = new Promise((_, reject) => setTimeout(reject, formPatience));
    try {
        return /** @type {Response} */ (await Promise.race([fetch(request), late]));
    } catch {
        const cache = await caches.open(forms);
        const { pathname } = new URL(request.url);
        // In the order of the keys, which is that of time.
        await cache.put(`/forms/${Date.now()}`, new Response(JSON.stringify({ path: pathname, body: await copy.text() })));
        return offlinePage();
    }
}

/** @param {Request} request */
async function asset(request) {
    return await caches.match(request, { cacheName: shell, ignoreVary: true }) ?? fetch(request);
}

async function install() {
    const cache = await caches.open(shell);
    await cache.addAll([new Request("/offline", { cache: "reload" }), ...assets]);
    await worker.skipWaiting();
}

async function activate() {
    for (const name of await caches.keys()) {
        if (![shell, pages, forms, instructions].includes(name)) await caches.delete(name);
    }
    const cache = await caches.open(pages);
    for (const request of await cache.keys()) {
        const kept = await cache.match(request, { ignoreVary: true });
        if (kept && isOutdated(await kept.text(), assets)) await cache.delete(request, { ignoreVary: true });
    }
    await worker.clients.claim();
}

worker.addEventListener("install", event => event.waitUntil(install()));
worker.addEventListener("activate", event => event.waitUntil(activate()));

worker.addEventListener("fetch", event => {
    const { request } = event;
    const url = new URL(request.url);
    if (request.method === "POST" && isOwn(url) && url.pathname === "/sign-out") event.waitUntil(forget());
    const source = sourceOf(request.method, request.mode, url);
    if (source === "asset") event.respondWith(asset(request));
    if (source === "form") event.respondWith(form(request));
    if (source !== "page") return;
    const answer = fetch(request);
    const asked = forgettings;
    event.waitUntil(answer.then(answer => remember(request.url, answer, asked)).catch(() => {}));
    event.respondWith(page(request.url, answer));
});

// What pages say

/** @typedef {{ lang?: string, title?: string, body?: string }} Words */
/** @typedef {{ words?: Words, key?: string }} Instructions */

/** @returns {Promise<Instructions>} */
async function instructed() {
    const stored = await caches.match("/instructions", { cacheName: instructions });
    return stored ? stored.json() : {};
}

/** @param {Instructions} given */
async function instruct({ words, key }) {
    const cache = await caches.open(instructions);
    await cache.put("/instructions", new Response(JSON.stringify({ words, key })));
}

worker.addEventListener("message", event => {
    if (event.data?.forget) event.waitUntil(forget().then(() => caches.delete(forms)));
    if (event.data?.words) event.waitUntil(instruct(event.data));
});

// Pushes

/**
 * The address that a link leads to; null if it is not of our own origin.
 *
 * @param {unknown} link
 */
function ownAddress(link) {
    if (typeof link !== "string" || !link) return null;
    try {
        const url = new URL(link, home);
        return isOwn(url) ? url.href : null;
    } catch {
        return null;
    }
}

/** @param {unknown} value */
const text = value => typeof value === "string" && value.trim() ? value : undefined;

/**
 * The notification for a push: Declarative Web Push in JSON. A browser ends subscriptions whose pushes show nothing, so
 * one that cannot be read has general words, and the name of the app where no page has given any.
 *
 * @param {string} payload
 * @param {Words} [words]
 */
function notice(payload, words) {
    /** @type {any} */
    let given = null;
    try {
        given = JSON.parse(payload).notification;
    } catch {
        // Not JSON: the general words.
    }
    const title = text(given?.title);
    const isReadable = title !== undefined;
    if (!isReadable) given = { ...words, tag: "general" };
    /** @type {{ action: string, title: string, navigate?: unknown }[]} */
    const actions = (Array.isArray(given.actions) ? given.actions : []).filter((/** @type {any} */ action) =>
        text(action?.action) && text(action?.title));
    const data = typeof given.data === "object" ? given.data : null;
    return {
        title: title ?? text(words?.title) ?? "Cherish",
        options: {
            body: text(given.body) ?? "",
            tag: text(given.tag) ?? "",
            lang: text(given.lang) ?? "",
            dir: /** @type {NotificationDirection} */ (["ltr", "rtl"].includes(given.dir) ? given.dir : "auto"),
            icon: ownAddress(given.icon) ?? "/assets/icon-192.png",
            badge: ownAddress(given.badge) ?? "/assets/badge-96.png",
            actions: actions.map(({ action, title }) => ({ action, title })),
            data: {
                ...data,
                navigate: given.navigate,
                // Browsers keep only an action's name and title.
                navigates: Object.fromEntries(actions.map(({ action, navigate }) => [action, navigate])),
            },
        },
    };
}

/** @param {string} payload */
async function show(payload) {
    const { words } = await instructed().catch(() => /** @type {Instructions} */ ({}));
    const { title, options } = notice(payload, words);
    await worker.registration.showNotification(title, options);
}

/**
 * What a click does: it posts to an address, and opens a page if that fails, or if there is nothing to post.
 *
 * @param {any} data of the notification
 * @param {string} action empty for the notification itself
 */
function deed(data, action) {
    const { actions, navigate, navigates, plantId } = data ?? {};
    const act = action ? actions?.[action] : null;
    const address = ownAddress(act?.url);
    if (address && new URL(address).pathname.startsWith("/v1/")) {
        const plant = text(plantId) ? `${home}plants/${encodeURIComponent(plantId)}` : null;
        return { post: { address, token: text(act.token) }, open: plant ?? ownAddress(navigate) ?? home };
    }
    return { post: null, open: ownAddress(action && navigates?.[action]) ?? ownAddress(navigate) ?? home };
}

/**
 * @param {string} address
 * @param {unknown} body
 */
function posted(address, body) {
    return fetch(address, {
        method: "POST", credentials: "same-origin", headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
    });
}

/** @param {{ address: string, token?: string }} post */
async function isPosted({ address, token }) {
    const late = new Promise(resolve => setTimeout(resolve, actionTime));
    const answer = await Promise.race([posted(address, token ? { token } : {}), late]).catch(() => null);
    return answer instanceof Response && answer.ok;
}

/**
 * Shows a page: in the window that has it, else in another one, else in a new one.
 *
 * @param {string} url
 */
async function open(url) {
    const windows = await worker.clients.matchAll({ type: "window" });
    const there = windows.find(client => client.url === url);
    const client = there ?? windows.find(client => client.visibilityState === "visible") ?? windows[0];
    try {
        if (!client) throw new Error();
        const focused = await client.focus();
        if (!there) await focused.navigate(url);
    } catch {
        await worker.clients.openWindow(url);
    }
}

/**
 * @param {Notification} notification
 * @param {string} action
 */
async function click(notification, action) {
    const { post, open: url } = deed(notification.data, action);
    notification.close();
    if (post && await isPosted(post)) return;
    try {
        await open(url);
    } catch {
        // The click is too long ago for the browser; the notification comes back, so that nothing is lost.
        const { title, body, tag, lang, dir, icon, data } = notification;
        await worker.registration.showNotification(title, { body, tag, lang, dir, icon, data });
    }
}

/**
 * Subscribes again, with the key of the former subscription, and gives the new one to the server.
 *
 * @param {{ oldSubscription?: PushSubscription, newSubscription?: PushSubscription }} change
 */
async function renew({ oldSubscription, newSubscription }) {
    const key = oldSubscription?.options.applicationServerKey ?? (await instructed()).key;
    const subscription = newSubscription
        ?? await worker.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
    const { endpoint, keys } = subscription.toJSON();
    await posted("/v1/devices", { platform: "web", token: endpoint, p256dh: keys?.p256dh, auth: keys?.auth });
}

worker.addEventListener("push", event => event.waitUntil(show(event.data?.text() ?? "")));
worker.addEventListener("notificationclick", event => event.waitUntil(click(event.notification, event.action)));
worker.addEventListener("pushsubscriptionchange", event => {
    const change = /** @type {ExtendableEvent & Parameters<typeof renew>[0]} */ (event);
    change.waitUntil(renew(change));
});

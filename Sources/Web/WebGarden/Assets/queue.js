// Forms that did not reach the server: what they would have done goes into the queue. The service worker keeps them (worker.js).

/** @typedef {import("./cherish.js").Garden} Garden */

/** The cache in which the worker keeps forms. */
const cacheName = "forms";

/**
 * What is written in a field; null for blanks.
 *
 * @param {string | null} value
 */
const written = value => value?.trim() ? value : null;

/**
 * The birthday of a form as the API has it; null without month and day.
 *
 * @param {URLSearchParams} form
 */
function birthday(form) {
    const [month, day, year] = ["birthdayMonth", "birthdayDay", "birthdayYear"].map(name => written(form.get(name))?.trim());
    if (!month && !day) return null;
    const text = [month, day].map(part => (part ?? "").padStart(2, "0")).join("-");
    return year ? `${year}-${text}` : text;
}

/**
 * What a form changes of a friend.
 *
 * @param {URLSearchParams} form
 * @param {any} friend as the copy has it; null if it has none
 * @param {{ id: string, name: string }[]} tags
 */
export function friendEdit(form, friend, tags) {
    /** @type {Record<string, any>} */
    const is = {
        nickname: written(form.get("nickname")), birthday: birthday(form), cycleDays: Number(form.get("cycleDays")),
        alarmTime: written(form.get("alarmTime")), pushesEnabled: form.get("pushesEnabled") === "true",
    };
    const parts = Object.fromEntries(Object.entries(is).filter(([name, value]) => friend?.[name] !== value));
    const had = tags.filter(({ id }) => friend?.tagIds.includes(id)).map(({ name }) => name);
    const wanted = form.getAll("tags");
    const [added, removed] = [wanted.filter(tag => !had.includes(tag)), had.filter(tag => !wanted.includes(tag))];
    if (added.length > 0) parts.addTags = added;
    if (removed.length > 0) parts.removeTags = removed;
    return parts;
}

/**
 * What the forms do that can wait, by their path. The worker knows the paths, too.
 *
 * @type {[RegExp, (garden: Garden, ids: string[], form: URLSearchParams) => Promise<unknown>][]}
 */
const deeds = [
    [/^\/plants\/([^/]+)\/water$/, (garden, [id], form) => garden.water(id, {
        id: written(form.get("id")) ?? undefined, method: form.get("method") ?? "",
        wateredOn: written(form.get("wateredOn")) ?? undefined,
    })],
    [/^\/plants\/([^/]+)\/review\/([^/]+)$/, (garden, [id, day], form) => garden.review(id, day, {
        keywords: form.getAll("keywords").filter(written), memo: written(form.get("memo")),
    })],
    [/^\/plants\/([^/]+)\/review\/([^/]+)\/declination$/, (garden, [id, day]) => garden.declineReview(id, day)],
    [/^\/plants\/([^/]+)\/review\/([^/]+)\/deletion$/, (garden, [id, day]) => garden.deleteReview(id, day)],
    [/^\/plants\/([^/]+)\/later$/, (garden, [id], form) => garden.postpone(
        id, Number(form.get("days")), form.get("fromDueOn") ?? "", written(form.get("id")) ?? undefined)],
    [/^\/plants\/([^/]+)\/favourite$/, (garden, [id], form) =>
        garden.edit("friend", id, { favourite: form.get("favourite") === "true" })],
    [/^\/plants\/([^/]+)\/edit$/, async (garden, [id], form) => {
        const parts = friendEdit(form, await garden.item("friend", id), await garden.items("tag"));
        if (Object.keys(parts).length > 0) await garden.edit("friend", id, parts);
    }],
    [/^\/plants\/([^/]+)\/removal$/, (garden, [id]) => garden.remove("friend", id)],
    [/^\/things\/([^/]+)\/completion$/, (garden, [id], form) => garden.complete(
        id, /** @type {"eaten" | "thrown_away" | null} */ (written(form.get("as"))), written(form.get("id")) ?? undefined)],
    [/^\/things\/([^/]+)\/favourite$/, (garden, [id], form) =>
        garden.edit("thing", id, { favourite: form.get("favourite") === "true" })],
    [/^\/things\/([^/]+)\/removal$/, (garden, [id]) => garden.remove("thing", id)],
];

/**
 * Queues what a form would have done.
 *
 * @param {Garden} garden
 * @param {string} path
 * @param {URLSearchParams} form
 */
export async function queue(garden, path, form) {
    for (const [pattern, act] of deeds) {
        const found = pattern.exec(path);
        if (found) return void await act(garden, found.slice(1), form);
    }
    throw new Error(`no form that can wait: ${path}`);
}

/** Forgets the forms that the worker has kept. */
export async function forgetKeptForms() {
    if ("caches" in globalThis) await caches.delete(cacheName);
}

/**
 * Queues the forms that the worker has kept, the oldest first.
 *
 * @param {Garden} garden
 */
export async function queueKeptForms(garden) {
    if (!("caches" in globalThis)) return;
    const cache = await caches.open(cacheName);
    for (const request of await cache.keys()) {
        const kept = await cache.match(request);
        try {
            const { path, body } = await /** @type {Response} */ (kept).json();
            await queue(garden, path, new URLSearchParams(body));
        } catch (error) {
            // Of another version, perhaps: it must not keep the others.
            console.error(error);
        }
        await cache.delete(request);
    }
}

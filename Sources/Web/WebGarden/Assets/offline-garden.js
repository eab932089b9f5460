// The page that every browser keeps: the garden without a network, out of this browser's copy.

import * as sync from "./sync.js";

/** @typedef {import("./cherish.js").Deed} Deed */

/** How many friends and things are shown at most. */
const most = 200;

/**
 * The day of an account, like 2027-03-02. In the night in which clocks change, it may be wrong for an hour; the server decides.
 *
 * @param {string} zone
 * @param {string} dayEndsAt until when it is still the day before, like 03:00
 * @param {Date} now
 */
export function today(zone, dayEndsAt, now = new Date()) {
    const [hours, minutes] = dayEndsAt.split(":").map(Number);
    const parts = new Intl.DateTimeFormat("en-CA", { timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit" });
    return parts.format(now.getTime() - (hours * 60 + minutes) * 60_000);
}

/**
 * Days from one day to another.
 *
 * @param {string} from
 * @param {string} to
 */
export function daysBetween(from, to) {
    return Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000);
}

/**
 * `D-3`, `D-DAY`, `D+2`.
 *
 * @param {number} days that are left
 */
export function label(days) {
    return days > 0 ? `D-${days}` : days === 0 ? "D-DAY" : `D+${-days}`;
}

/**
 * How a plant or a thing is doing. A plant that is paused after its due date stays thirsty.
 *
 * @param {any} item
 * @param {string} day today
 */
function condition(item, day) {
    if (item.dueOn > day) return "thriving";
    return item.dueOn === day || item.withersOn > day ? "thirsty" : "withered";
}

/**
 * What a deed is called on the page.
 *
 * @param {Deed} deed
 */
export function nameOf({ method, path }) {
    const end = path.split("?")[0].split("/").slice(4);
    if (end[0] === "waterings") return end.length === 1 ? "water" : "review";
    if (end[0] === "postponements") return "postpone";
    if (end[0] === "completion") return "complete";
    return method === "DELETE" ? "remove" : "edit";
}

/**
 * With a capital and a full stop: the server's messages have neither in English.
 *
 * @param {string} text
 */
export const sentence = text => text && text[0].toUpperCase() + text.slice(1) + (/[.!?。]$/.test(text) ? "" : ".");

/** @param {string} id */
const template = id => /** @type {HTMLTemplateElement} */ (document.getElementById(id)).content;

/**
 * @param {string} id
 * @param {Node[]} rows
 */
function fill(id, rows) {
    const section = document.getElementById(id);
    section?.querySelector("[data-rows]")?.replaceChildren(...rows);
    if (section) section.hidden = rows.length === 0;
}

/**
 * @param {ParentNode} row
 * @param {string} selector
 * @param {string} text
 */
function write(row, selector, text) {
    const element = row.querySelector(selector);
    if (element) element.textContent = text;
}

/**
 * A row that opens, with what can be done.
 *
 * @param {string} name of its template
 * @param {string} title
 * @param {any} item
 * @param {string} day today
 */
function row(name, title, item, day) {
    const row = /** @type {DocumentFragment} */ (template(name).cloneNode(true));
    const left = daysBetween(day, item.dueOn);
    write(row, "[data-name]", title);
    write(row, "[data-due]", label(left));
    row.querySelector("[data-due]")?.classList.add(condition(item, day));
    const line = /** @type {HTMLElement} */ (row.firstElementChild);
    line.id = item.id;
    for (const form of row.querySelectorAll("form")) {
        if (form.dataset.for && (form.dataset.for === "food") !== (item.kind === "food")) form.remove();
        for (const field of form.elements) {
            if (field instanceof HTMLInputElement && field.name in item && field.type === "text") field.defaultValue = item[field.name];
        }
        form.addEventListener("submit", event => {
            event.preventDefault();
            const data = new FormData(form);
            const button = event.submitter;
            if (button instanceof HTMLButtonElement && button.name) data.append(button.name, button.value);
            act(item.id, form, data);
        });
    }
    return row;
}

/**
 * @param {string} id
 * @param {HTMLFormElement} form
 * @param {FormData} data
 */
async function act(id, form, data) {
    const { garden } = sync;
    if (!garden) return;
    const memo = String(data.get("memo") ?? "").trim();
    const isFriend = form.closest("#friends") !== null;
    if (form.dataset.does === "water") {
        const keywords = data.getAll("keywords").map(String).filter(text => text.trim());
        await garden.water(id, { method: String(data.get("method")), keywords, memo: memo || null });
    } else if (form.dataset.does === "complete") {
        await garden.complete(id, /** @type {"eaten" | "thrown_away" | null} */ (data.get("as")));
    } else if (isFriend) {
        await garden.edit("friend", id, { nickname: String(data.get("nickname")).trim() || null });
    } else {
        await garden.edit("thing", id, { title: String(data.get("title")) });
    }
    form.reset();
    form.closest("details")?.removeAttribute("open");
    await show();
    document.getElementById("waiting-title")?.focus();
    sync.sync();
}

/**
 * @param {Deed} deed
 * @param {Map<string, string>} names of friends and things
 */
function deedRow(deed, names) {
    const row = /** @type {DocumentFragment} */ (template("deed-row").cloneNode(true));
    write(row, "[data-name]", names.get(deed.id) ?? "");
    for (const name of row.querySelectorAll("[data-deed]")) {
        if (name instanceof HTMLElement) name.hidden = name.dataset.deed !== nameOf(deed);
    }
    const time = row.querySelector("time");
    if (time) {
        time.dateTime = deed.madeAt;
        time.textContent = new Date(deed.madeAt).toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
    }
    const [reason, button] = [row.querySelector("[data-reason]"), row.querySelector("[data-dismiss]")];
    if (deed.refusal && reason instanceof HTMLElement && button instanceof HTMLElement) {
        reason.hidden = button.hidden = false;
        reason.textContent = [deed.refusal.detail, deed.refusal.remedy].map(sentence).join(" ");
        button.addEventListener("click", async () => {
            await sync.garden?.dismiss(deed.key);
            await show();
        });
    }
    return row;
}

/** Shows the copy and the queue. What somebody is writing stays. */
async function show() {
    const { garden } = sync;
    const settings = await garden?.settings();
    if (!garden || !settings) return;
    const [friends, things, deeds] = await Promise.all([garden.items("friend"), garden.items("thing"), garden.deeds()]);
    // A copy of the release before does not know when days end.
    const day = today(settings.timeZone, settings.dayEndsAt ?? "00:00");
    /** @type {Map<string, string>} */
    const names = new Map();
    for (const friend of friends) names.set(friend.id, friend.nickname ?? friend.name);
    for (const thing of things) names.set(thing.id, thing.title);
    fill("waiting", deeds.filter(({ state }) => state === "waiting").map(deed => deedRow(deed, names)));
    fill("refused", deeds.filter(({ state }) => state === "refused").map(deed => deedRow(deed, names)));
    if (document.querySelector("main details[open]")) return;
    const living = friends.filter(friend => !friend.archivedAt).sort((left, right) => left.dueOn < right.dueOn ? -1 : 1);
    const done = new Set(deeds.filter(deed => deed.state !== "refused" && nameOf(deed) === "complete").map(({ id }) => id));
    const open = things.filter(thing => thing.state !== "done" && !done.has(thing.id)).sort((left, right) => left.dueOn < right.dueOn ? -1 : 1);
    fill("friends", living.slice(0, most).map(friend => row("friend-row", names.get(friend.id) ?? "", friend, day)));
    fill("things", open.slice(0, most).map(thing => row("thing-row", thing.title, thing, day)));
}

/** Opens what the address is about: the worker answers with this page for any that it does not know. */
function openWhatWasAskedFor() {
    const [, place, id] = location.pathname.split("/");
    if (id) document.getElementById(id)?.querySelector("details")?.setAttribute("open", "");
    document.getElementById(id ?? place)?.scrollIntoView();
}

/** @param {Document} document */
export async function begin(document) {
    if (!document.body.classList.contains("page-offline")) return;
    await sync.isOpen;
    await show();
    openWhatWasAskedFor();
    sync.whenChanged(show);
    // There is a network again: the page that was asked for is there.
    addEventListener("online", () => { if (location.pathname !== "/offline") location.reload(); });
}

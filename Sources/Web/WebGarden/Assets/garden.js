// The entry of all pages: begins what each module does. Every page works without any of it.

import * as contact from "./contact.js";
import * as contacts from "./contacts.js";
import * as counter from "./counter.js";
import * as enter from "./enter.js";
import * as guess from "./guess.js";
import * as keep from "./keep.js";
import * as lock from "./lock.js";
import * as motion from "./motion.js";
import * as offline from "./offline.js";
import * as offlineGarden from "./offline-garden.js";
import * as once from "./once.js";
import * as position from "./position.js";
import * as push from "./push.js";
import * as sheet from "./sheet.js";
import * as sync from "./sync.js";

// The lock comes first, since it covers the page. Kept text is filled in before it is counted.
for (const module of [
    lock, keep, counter, once, contact, motion, enter, guess, sheet, contacts, offline, sync, offlineGarden, push, position,
]) {
    try {
        module.begin(document);
    } catch (error) {
        // A browser that lacks something loses one module, not those after it.
        console.error(error);
    }
}

// What was just done is told once, not at every reload.
const address = new URL(location.href);
if (address.searchParams.has("done")) {
    for (const name of ["done", "points", "kept", "removed", "count", "refused"]) address.searchParams.delete(name);
    history.replaceState(history.state, "", address);
}

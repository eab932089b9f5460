// Counters of what a reader sees, by rule 5.2: the same count as the server's.

// Characters that cannot be seen and shape no neighbour. Joiners, variation selectors, tags and the fillers of old
// Hangul do, and stay.
const dropped =
    /(?![\u200C\u200D\uFE00-\uFE0F\u{E0020}-\u{E007F}\u115F\u1160])\p{Default_Ignorable_Code_Point}/gu;
const blank = /[\p{White_Space}\p{Control}]+/gu;
const showsNothing = /^[ \p{Default_Ignorable_Code_Point}]*$/u;
// For browsers without Intl.Segmenter: flags; emoji and those joined to them; syllables of old Hangul; all other
// characters; each with the marks upon it. Of joined Indic letters, it counts each.
const characters = new RegExp(
    "(?:\\p{Regional_Indicator}{2}"
    + "|\\p{Extended_Pictographic}(?:[\\p{Mark}\\p{Emoji_Modifier}]*\\u200D\\p{Extended_Pictographic})*"
    + "|[\\u1100-\\u115F\\uA960-\\uA97C]*[\\uAC00-\\uD7A3\\u1160-\\u11A7\\uD7B0-\\uD7C6]"
    + "[\\u1160-\\u11A7\\uD7B0-\\uD7C6]*[\\u11A8-\\u11FF\\uD7CB-\\uD7FB]*"
    + "|[\\u1100-\\u115F\\uA960-\\uA97C]+|[\\u11A8-\\u11FF\\uD7CB-\\uD7FB]+"
    + "|.)[\\p{Mark}\\p{Emoji_Modifier}\\u0E33\\u0EB3\\u200C\\u200D\\u{E0020}-\\u{E007F}]*", "gsu");

// A character may carry any number of marks, so it counts once for this many bytes (rule 1.5).
const bytesPerCharacter = 64;

/**
 * Text as the server stores it: in NFC, trimmed, inner white space folded, without what cannot be seen.
 *
 * @param {string} text
 */
export function tidied(text) {
    const folded = text.replace(dropped, "").normalize("NFC").replace(blank, " ").replace(/^ | $/g, "");
    return showsNothing.test(folded) ? "" : folded;
}

/** @param {string} text in NFC */
function graphemes(text) {
    if (typeof Intl.Segmenter !== "function") return text.match(characters)?.length ?? 0;
    return [...new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text)].length;
}

/**
 * How many characters of a limit a text takes.
 *
 * @param {string} text as typed
 */
export function length(text) {
    const tidy = tidied(text);
    return Math.max(graphemes(tidy), Math.ceil(new TextEncoder().encode(tidy).length / bytesPerCharacter));
}

/**
 * @param {HTMLInputElement | HTMLTextAreaElement} field
 * @param {boolean} isTyped whether the field has just been changed; else an error that the server found there stays
 */
function count(field, isTyped) {
    const limit = Number(field.dataset.count);
    const taken = length(field.value);
    const isOver = taken > limit;
    if (isOver) field.setAttribute("aria-invalid", "true");
    else if (isTyped) field.removeAttribute("aria-invalid");
    for (const id of (field.getAttribute("aria-describedby") ?? "").split(/\s+/)) {
        const counter = field.ownerDocument.getElementById(id);
        if (!counter?.classList.contains("count")) continue;
        const words = `${taken}/${limit}`;
        // Screen readers speak every change, so there is none without need.
        if (counter.textContent !== words) counter.textContent = words;
        counter.classList.toggle("is-over", isOver);
    }
}

/** @param {Document} document */
export function begin(document) {
    /** @returns {NodeListOf<HTMLInputElement | HTMLTextAreaElement>} */
    const fields = () => document.querySelectorAll("input[data-count], textarea[data-count]");
    document.addEventListener("input", event => {
        for (const field of fields()) if (field === event.target) count(field, true);
    });
    // Browsers fill fields in again on the way back, some only after the page was read.
    addEventListener("pageshow", () => fields().forEach(field => count(field, false)));
    fields().forEach(field => count(field, false));
}

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { length, tidied } from "../../../Sources/Web/WebGarden/Assets/counter.js";

// What `TidyText` in the module CherishCore says.
const { cases, scalars } = JSON.parse(readFileSync(new URL("counting/counting.json", import.meta.url), "utf8"));

test("5.2: text is tidied and counted as the server does", () => {
    for (const { name, text, tidy, length: expected } of cases) {
        assert.equal(tidied(text), tidy, name);
        assert.equal(length(text), expected, `${name}: ${JSON.stringify(text)}`);
    }
});

test("5.2: the same characters are white space, and the same are invisible", () => {
    const [blank, dropped] = [[], []];
    for (let value = 0; value <= 0x10FFFF; value += 1) {
        if (value >= 0xD800 && value <= 0xDFFF) continue;
        const tidy = tidied(`a${String.fromCodePoint(value)}b`);
        if (tidy === "a b") blank.push(value);
        if (tidy === "ab") dropped.push(value);
    }
    assert.deepEqual(blank, scalars.blank);
    assert.deepEqual(dropped, scalars.dropped);
});

test("half of a surrogate pair is counted and breaks nothing", () => {
    assert.equal(length("a\uD83D"), 2);
});

test("5.2: without Intl.Segmenter, all but joined Indic letters and leading marks are counted alike", t => {
    const { Segmenter } = Intl;
    t.after(() => { Intl.Segmenter = Segmenter; });
    Intl.Segmenter = undefined;
    const others = ["Devanagari", "Devanagari conjunct", "prepended mark"];
    for (const { name, text, length: expected } of cases) {
        if (others.includes(name)) continue;
        assert.equal(length(text), expected, `${name}: ${JSON.stringify(text)}`);
    }
});

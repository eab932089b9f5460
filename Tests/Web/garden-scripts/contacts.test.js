import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";

import { folded, vCards } from "../../../Sources/Web/WebGarden/Assets/contacts.js";

const contacts = [
    { name: ["김하나"], tel: ["+82 10-1234-5678", "02-123-4567"] },
    { name: ["Ruth, Grandma; \\ of\nBerlin"], tel: [] },
    { name: ["👨‍👩‍👧‍👦".repeat(20)], tel: ["+49 30 123456"] },
    { name: ["가".repeat(60) + "x"], tel: [" 010 "] },
    { name: ["", "Second"], tel: ["1"] },
    { name: [], tel: ["+82 10-0000-0000"] },
    { tel: ["+82 10-0000-0001;ext=5"] },
    { name: [" "], tel: [""] },
    {},
];

test("a vCard has a name, the numbers and nothing else, with lines of at most 75 octets", () => {
    assert.equal(
        vCards(contacts.slice(0, 1)),
        "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:김하나\r\nTEL:+82 10-1234-5678\r\nTEL:02-123-4567\r\nEND:VCARD\r\n");
    assert.match(vCards([{ name: ["a\\b;c,d\r\ne\nf"] }]), /^FN:a\\\\b\\;c\\,d\\ne\\nf\r$/m);
    const text = vCards(contacts);
    assert.equal(text.match(/BEGIN:VCARD/g).length, 7);
    for (const line of text.split("\r\n")) {
        assert.ok(Buffer.byteLength(line) <= 75, line);
        assert.doesNotMatch(line, /[\r\n\uFFFD]/);
        assert.ok(line.isWellFormed?.() ?? true);
    }
});

test("a line of 75 octets is not folded, and no character is cut", () => {
    assert.equal(folded("a".repeat(75)), "a".repeat(75));
    assert.equal(folded("a".repeat(76)), `${"a".repeat(75)}\r\n a`);
    assert.equal(folded("a".repeat(73) + "가"), `${"a".repeat(73)}\r\n 가`);
    assert.equal(folded("a".repeat(75 + 74 + 1)), `${"a".repeat(75)}\r\n ${"a".repeat(74)}\r\n a`);
});

const python = process.env.CHERISH_PYTHON;
test("vobject reads the cards back", { skip: python ? false : "CHERISH_PYTHON is not set" }, () => {
    const program = `
import json, sys, vobject
cards = vobject.readComponents(sys.stdin.buffer.read().decode(), allowQP=False)
print(json.dumps([[card.fn.value, [tel.value for tel in card.contents.get("tel", [])]] for card in cards]))`;
    const read = JSON.parse(execFileSync(python, ["-c", program], { input: vCards(contacts) }));
    assert.deepEqual(read, [
        ["김하나", ["+82 10-1234-5678", "02-123-4567"]], ["Ruth, Grandma; \\ of\nBerlin", []],
        ["👨‍👩‍👧‍👦".repeat(20), ["+49 30 123456"]], ["가".repeat(60) + "x", ["010"]], ["Second", ["1"]],
        ["+82 10-0000-0000", ["+82 10-0000-0000"]],
        ["+82 10-0000-0001;ext=5", ["+82 10-0000-0001;ext=5"]],
    ]);
});

import assert from "node:assert/strict";
import { test } from "node:test";

import { keptTexts, textsToFillIn } from "../../../Sources/Web/WebGarden/Assets/keep.js";

const field = (name, defaultValue, value = defaultValue) => ({ name, defaultValue, value });

test("fields are kept as soon as one differs from how the page came", () => {
    assert.equal(keptTexts([field("keyword", ""), field("memo", "a")]), null);
    assert.deepEqual(keptTexts([field("keyword", ""), field("memo", "a", "ab")]), [
        { name: "keyword", was: "", is: "" }, { name: "memo", was: "a", is: "ab" },
    ]);
});

test("text is filled in where the page comes as it was when it was typed", () => {
    const kept = keptTexts([field("keyword", "", "one"), field("keyword", "", "two"), field("memo", "old", "")]);
    const fields = [field("keyword", ""), field("keyword", ""), field("memo", "old")];
    assert.deepEqual(textsToFillIn(fields, kept), ["one", "two", ""]);
});

test("what the server says instead, what has been typed since, and other forms are left alone", () => {
    const kept = keptTexts([field("memo", "", "mine")]);
    assert.deepEqual(textsToFillIn([field("memo", "refused")], kept), [null]);
    assert.deepEqual(textsToFillIn([field("memo", "", "typed")], kept), [null]);
    assert.deepEqual(textsToFillIn([field("name", "")], kept), [null]);
    assert.deepEqual(textsToFillIn([field("memo", ""), field("memo", "")], kept), ["mine", null]);
    for (const broken of [[], [null], [7], [{ name: "memo", was: "", is: 7 }]]) {
        assert.deepEqual(textsToFillIn([field("memo", "")], broken), [null]);
    }
});

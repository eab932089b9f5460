import assert from "node:assert/strict";
import { test } from "node:test";

import { bestGuess, timeZoneGuess } from "../../../Sources/Web/WebGarden/Assets/guess.js";

test("the first language of the browser that there is", () => {
    assert.equal(bestGuess(["de", "ko", "en"], ["en", "ko"]), "ko");
    assert.equal(bestGuess(["de"], ["en", "ko"]), null);
});

test("a time zone is found by its present and by its former name", t => {
    const former = process.env.TZ;
    t.after(() => { process.env.TZ = former ?? "UTC"; });
    const options = ["", "Nowhere/Atall", "Europe/Berlin", "Asia/Kolkata", "Asia/Seoul"];
    for (const [own, expected] of [
        ["Asia/Seoul", "Asia/Seoul"], ["Asia/Calcutta", "Asia/Kolkata"], ["Asia/Kolkata", "Asia/Kolkata"],
        ["Asia/Tokyo", null],
    ]) {
        process.env.TZ = own;
        assert.equal(timeZoneGuess(options), expected, own);
    }
});

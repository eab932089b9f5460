import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";

import { clock, codeIn, hash, mustAsk, waitingTime } from "../../../Sources/Web/WebGarden/Assets/lock.js";

test("from the fifth wrong code on, each makes the wait twice as long, up to an hour", () => {
    const waits = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 1000].map(wrong => waitingTime(wrong) / 1000);
    assert.deepEqual(waits, [0, 0, 0, 0, 0, 30, 60, 120, 240, 480, 960, 1920, 3600, 3600, 3600]);
});

test("the code is asked for in a new tab, after five minutes in the background, and if the clock was put back", () => {
    const minute = 60_000;
    assert.equal(mustAsk(null, 0), true);
    assert.equal(mustAsk(0, 5 * minute), false);
    assert.equal(mustAsk(0, 5 * minute + 1), true);
    assert.equal(mustAsk(1, 0), true);
});

test("a code has 4 to 12 digits, of whatever keyboard width", () => {
    for (const text of ["1234", " 123456789012 ", "0000"]) assert.equal(codeIn(text), text.trim());
    assert.equal(codeIn("１２３４"), "1234");
    for (const text of ["", "123", "1234567890123", "12a4", "12 34", "-1234", "1.23"]) {
        assert.equal(codeIn(text), null, text);
    }
});

test("the time left is rounded up to seconds", () => {
    const times = [0, 1, 1000, 59_001, 61_000, 3_600_000].map(clock);
    assert.deepEqual(times, ["0:00", "0:01", "0:01", "1:00", "1:01", "60:00"]);
});

test("the hash is PBKDF2 with SHA-256, as Python has it", async () => {
    const salt = Array.from({ length: 16 }, (_, index) => index * 16);
    const program = `
import hashlib
print(hashlib.pbkdf2_hmac("sha256", b"0042", bytes(range(0, 256, 16)), 1000).hex())`;
    const expected = execFileSync("python3", ["-c", program]).toString().trim();
    assert.equal(Buffer.from(await hash("0042", salt, 1000)).toString("hex"), expected);
});

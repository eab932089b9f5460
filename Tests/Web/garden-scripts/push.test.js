import assert from "node:assert/strict";
import { test } from "node:test";

import { base64url, deviceBody, stateOf } from "../../../Sources/Web/WebGarden/Assets/push.js";

test("pushes are in one state; a phone of Apple first goes to the Home Screen, and nobody is asked twice", () => {
    const usual = {
        mustInstall: false, isSupported: true, permission: "default", hasDeclined: false, isSubscribed: false,
    };
    const cases = [
        [{}, "ask"], [{ permission: "granted" }, "ask"], [{ permission: "granted", isSubscribed: true }, "on"],
        [{ permission: "denied" }, "denied"], [{ permission: "denied", isSubscribed: true }, "denied"],
        [{ isSubscribed: true }, "ask"], [{ hasDeclined: true }, "denied"],
        [{ hasDeclined: true, permission: "granted", isSubscribed: true }, "on"],
        [{ isSupported: false }, "unsupported"], [{ isSupported: false, hasDeclined: true }, "unsupported"],
        [{ isSupported: false, mustInstall: true }, "install"], [{ mustInstall: true }, "install"],
    ];
    for (const [facts, state] of cases) assert.equal(stateOf({ ...usual, ...facts }), state, JSON.stringify(facts));
});

test("the body of POST /v1/devices has the names that the server reads, and no others", () => {
    const subscription = { endpoint: "https://push.example/1", expirationTime: null, keys: { p256dh: "P", auth: "A" } };
    assert.deepEqual(deviceBody(subscription), {
        platform: "web", token: "https://push.example/1", p256dh: "P", auth: "A",
    });
});

test("a key is compared in Base64url without padding", () => {
    const bytes = Uint8Array.from({ length: 65 }, (_, index) => (index * 251) % 256);
    assert.equal(base64url(bytes.buffer), Buffer.from(bytes).toString("base64url"));
    assert.equal(base64url(null), "");
});

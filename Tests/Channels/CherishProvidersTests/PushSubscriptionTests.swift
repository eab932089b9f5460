import CherishCore
import CherishTestSupport
import Testing

@Suite("Subscriptions of browsers")
struct PushSubscriptionTests {
    private static let p256dh =
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    private static let auth = "BTBZMqHH6r4Tts7J_aSIgg"

    @Test("have keys of 65 and 16 bytes in Base64url, as browsers write them")
    func keys() throws {
        let keys = try #require(PushSubscription.Keys(p256dh: Self.p256dh, auth: Self.auth))
        #expect(Base64URL.encode(keys.p256dh) == Self.p256dh)
        #expect(Base64URL.encode(keys.auth) == Self.auth)
        #expect(keys.p256dh.count == 65)
        #expect(keys.auth.count == 16)
    }

    private static let others: [(String, String)] = [
        ("", auth), (p256dh, ""), (p256dh, String(auth.dropLast())), (p256dh, auth + "AA"),
        (String(p256dh.dropLast(2)), auth), (p256dh + "A", auth), (p256dh + "=", auth), (p256dh, auth + "=="),
        (p256dh.replacing("_", with: "/"), auth), (p256dh.replacing("-", with: "+"), auth), (" " + p256dh, auth),
        (auth, p256dh),
        // Of a form that does not exist, and compressed.
        ("BQ" + p256dh.dropFirst(2), auth), ("AyVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcx", auth),
    ]

    @Test("have no other keys", arguments: others)
    func otherKeys(p256dh: String, auth: String) {
        #expect(PushSubscription.Keys(p256dh: p256dh, auth: auth) == nil)
    }

    @Test("do not end up in a log")
    func description() throws {
        let keys = try #require(PushSubscription.Keys(p256dh: Self.p256dh, auth: Self.auth))
        let subscription = PushSubscription(endpoint: "https://push.example.com/secret", keys: keys)
        #expect("\(subscription) \(keys)" == "a browser's subscription a browser's keys")
    }
}

import CherishCore
import CherishTestSupport
import Foundation
import Synchronization
import Testing

@testable import SignInProviders

@Suite("Keys of a provider", .timeLimit(.minutes(10)))
struct ProviderKeysTests {
    private func token(of key: TestKey?) throws -> String {
        try #require(key).token(googleClaims())
    }

    // MARK: - When they are read

    @Test("are read once, however many wait for them")
    func once() async throws {
        try await TestIssuer.run { issuer in
            let isHeld = Atomic<Bool>(true)
            try issuer.publish([#require(TestKey.first).jwk()], heldWhile: { isHeld.load(ordering: .relaxed) })
            let token = try token(of: .first)
            async let results = concurrently(100) { _ in try await issuer.verify(token) }
            try await eventually("the keys were not read") { issuer.server.requestCount > 0 }
            // Long enough for most of the others to come.
            try await Task.sleep(for: .milliseconds(100))
            isHeld.store(false, ordering: .relaxed)
            for result in await results { #expect(throws: Never.self) { try result.get() } }
            #expect(issuer.server.requestCount == 1)
        }
    }

    @Test("are kept for as long as the provider allows, and then read again")
    func lifetime() async throws {
        try await TestIssuer.run { issuer in
            let token = try token(of: .first)
            _ = try await issuer.verify(token)
            issuer.clock.advance(by: .seconds(3_599))
            _ = try await issuer.verify(token)
            #expect(issuer.server.requestCount == 1)
            issuer.clock.advance(by: .seconds(1))
            _ = try await issuer.verify(token)
            #expect(issuer.server.requestCount == 2)
            // A key that the provider has withdrawn is no longer there.
            try issuer.publish([#require(TestKey.second).jwk()])
            issuer.clock.advance(by: .seconds(3_600))
            let refusal = await issuer.refusal(token)
            #expect(refusal == .invalidToken(.keyUnknown))
            #expect(issuer.server.requestCount == 3)
        }
    }

    @Test(
        "are kept for 5 minutes to 24 hours, 5 minutes if the provider does not say",
        arguments: [
            ("public, max-age=19845, must-revalidate, no-transform", 19_845), ("MAX-AGE=600", 600),
            ("max-age=\"600\"", 600), ("max-age=300", 300), ("max-age=299", 300), ("max-age=0", 300),
            ("max-age=86400", 86_400), ("max-age=86401", 86_400), ("max-age=99999999999999999999999999", 86_400),
            ("no-store", 300), ("", 300), ("s-maxage=7000", 300), ("max-age=-7000", 300), ("max-age=7e3", 300),
            ("max-age", 300), ("max-age=600, max-age=700", 600),
        ])
    func lifetimes(header: String, seconds: Int) {
        let directives = header.split(separator: ",").map { $0.drop { $0 == " " } }
        #expect(KeyDownload.lifetime(cacheControl: directives) == .seconds(seconds))
    }

    @Test("are read at once for an id that is new, so rotations work")
    func rotation() async throws {
        try await TestIssuer.run { issuer in
            _ = try await issuer.verify(try token(of: .first))
            try issuer.publish([#require(TestKey.second).jwk()])
            // What is kept still holds.
            _ = try await issuer.verify(try token(of: .first))
            _ = try await issuer.verify(try token(of: .second))
            let refusal = await issuer.refusal(try token(of: .first))
            #expect(refusal == .invalidToken(.keyUnknown))
            #expect(issuer.server.requestCount == 2)
        }
    }

    @Test("are read at most once a minute for unknown ids")
    func unknown() async throws {
        try await TestIssuer.run { issuer in
            _ = try await issuer.verify(try token(of: .first))
            let forged = try (0..<3).map { number in
                try #require(TestKey.forger).token(header: ["kid": "\(number)"], googleClaims())
            }
            for forged in forged + forged {
                let refusal = await issuer.refusal(forged)
                #expect(refusal == .invalidToken(.keyUnknown))
            }
            #expect(issuer.server.requestCount == 2)
            // Whoever has a known id waits for nothing.
            _ = try await issuer.verify(try token(of: .first))
            issuer.clock.advance(by: .seconds(59))
            _ = await issuer.refusal(forged[0])
            #expect(issuer.server.requestCount == 2)
            issuer.clock.advance(by: .seconds(1))
            _ = await issuer.refusal(forged[0])
            #expect(issuer.server.requestCount == 3)
        }
    }

    @Test("are read once for many who come with a new id at once, and serve them all")
    func rotationForMany() async throws {
        try await TestIssuer.run { issuer in
            _ = try await issuer.verify(try token(of: .first))
            let isHeld = Atomic<Bool>(true)
            try issuer.publish([#require(TestKey.second).jwk()], heldWhile: { isHeld.load(ordering: .relaxed) })
            let token = try token(of: .second)
            async let results = concurrently(50) { _ in try await issuer.verify(token) }
            try await eventually("the keys were not read") { issuer.server.requestCount == 2 }
            try await Task.sleep(for: .milliseconds(100))
            isHeld.store(false, ordering: .relaxed)
            for result in await results { #expect(throws: Never.self) { try result.get() } }
            #expect(issuer.server.requestCount == 2)
        }
    }

    // MARK: - A provider that is away

    @Test(
        "cannot be had from a provider that answers otherwise",
        arguments: [
            (PushServer.Answer(status: 500), KeyTrouble.status(500)),
            (PushServer.Answer(status: 404, body: Array("{}".utf8)), .status(404)),
            (PushServer.Answer(status: 204), .status(204)),
            (PushServer.Answer(body: Array("<html>sign in to this network</html>".utf8)), .noKeys),
            (PushServer.Answer(body: []), .noKeys), (PushServer.Answer(body: Array("[]".utf8)), .noKeys),
            (PushServer.Answer(body: Array(#"{"keys":{}}"#.utf8)), .noKeys),
            (PushServer.Answer(body: Array(#"{"keys":[]}"#.utf8)), .noKeys),
            (PushServer.Answer(body: Array(#"{"keys":[1,null,{"kty":7},"first"]}"#.utf8)), .noKeys),
            (PushServer.Answer(body: Array("{}".utf8), ending: .reset), .unreachable),
            (PushServer.Answer(body: Array(#"{"keys":[]}"#.utf8), ending: .cutBody), .unreachable),
        ])
    func trouble(answer: PushServer.Answer, expected: KeyTrouble) async throws {
        try await TestIssuer.run { issuer in
            issuer.answer(answer)
            let refusal = await issuer.refusal(try token(of: .first))
            #expect(refusal == .providerAway(.google, expected))
            #expect(
                issuer.log.all == [
                    "warning the keys of a sign-in provider could not be read provider=google reason=\(expected)"
                ])
            #expect(issuer.server.requestCount == 1)
        }
    }

    @Test("may take 64 KiB, and no byte more", arguments: [(65_536, nil), (65_537, KeyTrouble.tooLarge)])
    func length(bytes: Int, trouble: KeyTrouble?) async throws {
        try await TestIssuer.run { issuer in
            let keys = try json(["keys": [try #require(TestKey.first).jwk()]])
            let body = keys + String(repeating: " ", count: bytes - keys.utf8.count)
            issuer.answer(PushServer.Answer(body: Array(body.utf8)))
            let refusal = await issuer.refusal(try token(of: .first))
            #expect(refusal == trouble.map { .providerAway(.google, $0) })
        }
    }

    @Test(
        "may take five seconds, whatever the provider does meanwhile",
        arguments: [PushServer.Answer.Ending.silence, .silentBody, .slowBody])
    func deadline(ending: PushServer.Answer.Ending) async throws {
        try await TestIssuer.run { issuer in
            // Byte by byte, this takes ten minutes.
            issuer.answer(PushServer.Answer(body: Array(repeating: 32, count: 60_000), ending: ending))
            let token = try token(of: .first)
            async let refusal = issuer.refusal(token)
            try await eventually("the keys were not read") {
                issuer.server.requestCount == 1 && issuer.clock.sleeperCount == 1
            }
            issuer.clock.advance(by: .milliseconds(4_999))
            #expect(issuer.clock.sleeperCount == 1)
            issuer.clock.advance(by: .milliseconds(1))
            #expect(await refusal == .providerAway(.google, .timeout))
        }
    }

    @Test("cannot be had from a server that is down")
    func down() async throws {
        try await TestIssuer.run { issuer in
            await issuer.server.stop()
            let refusal = await issuer.refusal(try token(of: .first))
            #expect(refusal == .providerAway(.google, .unreachable))
        }
    }

    @Test("cannot be had from a server whose certificate nobody trusts")
    func certificate() async throws {
        try await TestIssuer.run(trusted: false) { issuer in
            let refusal = await issuer.refusal(try token(of: .first))
            #expect(refusal == .providerAway(.google, .unreachable))
            #expect(issuer.server.requestCount == 0)
        }
    }

    @Test("are not looked for where a redirect leads", arguments: [301, 302, 303, 307, 308])
    func redirect(status: Int) async throws {
        try await TestIssuer.run { other in
            try await TestIssuer.run { issuer in
                issuer.answer(PushServer.Answer(status: status, headers: [("location", other.server.url + "/keys")]))
                let refusal = await issuer.refusal(try token(of: .first))
                #expect(refusal == .providerAway(.google, .status(status)))
                #expect(other.paths.isEmpty)
                #expect(issuer.paths == ["/keys"])
            }
        }
    }

    @Test("hold for another day while the provider is away, which is asked every ten seconds")
    func grace() async throws {
        try await TestIssuer.run { issuer in
            let token = try token(of: .first)
            _ = try await issuer.verify(token)
            issuer.answer(PushServer.Answer(status: 503))
            issuer.clock.advance(by: .seconds(3_600))
            _ = try await issuer.verify(token)
            #expect(issuer.server.requestCount == 2)
            issuer.clock.advance(by: .milliseconds(9_999))
            _ = try await issuer.verify(token)
            #expect(issuer.server.requestCount == 2)
            issuer.clock.advance(by: .milliseconds(1))
            _ = try await issuer.verify(token)
            #expect(issuer.server.requestCount == 3)
            // An unknown id may be new.
            let unknown = await issuer.refusal(try self.token(of: .second))
            #expect(unknown == .providerAway(.google, .status(503)))
            issuer.clock.advance(by: .seconds(86_400) - .seconds(11))
            _ = try await issuer.verify(token)
            issuer.clock.advance(by: .seconds(1))
            let refusal = await issuer.refusal(token)
            #expect(refusal == .providerAway(.google, .status(503)))
            // It is back.
            try issuer.publish([#require(TestKey.first).jwk()])
            issuer.clock.advance(by: .seconds(10))
            _ = try await issuer.verify(token)
            let forged = await issuer.refusal(try self.token(of: .second))
            #expect(forged == .invalidToken(.keyUnknown))
        }
    }

    @Test("hold for their lifetime if a request for an unknown id fails")
    func failureForUnknown() async throws {
        try await TestIssuer.run { issuer in
            _ = try await issuer.verify(try token(of: .first))
            issuer.answer(PushServer.Answer(body: Array(#"{"keys":[]}"#.utf8)))
            let unknown = await issuer.refusal(try token(of: .second))
            #expect(unknown == .providerAway(.google, .noKeys))
            issuer.clock.advance(by: .seconds(3_599))
            _ = try await issuer.verify(try token(of: .first))
            #expect(issuer.server.requestCount == 2)
        }
    }

    // MARK: - Which are used

    @Test(
        "are used if they are RSA keys for signatures by RS256 of 2048 bits or more",
        arguments: [
            [:], ["use": nil], ["alg": nil], ["use": nil, "alg": nil, "x5t": "x"],
        ] as [[String: String?]])
    func used(changes: [String: String?]) async throws {
        try await TestIssuer.run { issuer in
            try issuer.publish([#require(TestKey.first).jwk(changes)])
            let refusal = await issuer.refusal(try token(of: .first))
            #expect(refusal == nil)
        }
    }

    @Test(
        "are ignored if they are anything else, and do not hide others",
        arguments: [
            ["use": "enc"], ["use": ""], ["alg": "RS512"], ["alg": "PS256"], ["alg": "HS256"], ["kty": "EC"],
            ["kty": "oct", "k": "c2VjcmV0"], ["kty": "rsa"], ["kty": nil], ["kid": nil], ["n": nil], ["e": nil],
            ["n": ""], ["e": ""], ["n": "AQ"], ["n": "?"], ["e": "AQ"], ["e": "AA"], ["e": "Ag"],
        ] as [[String: String?]])
    func ignored(changes: [String: String?]) async throws {
        try await TestIssuer.run { issuer in
            let odd = try #require(TestKey.first).jwk(changes)
            try issuer.publish([odd, #require(TestKey.second).jwk(), odd])
            _ = try await issuer.verify(try token(of: .second))
            let refusal = await issuer.refusal(try token(of: .first))
            #expect(refusal == .invalidToken(.keyUnknown))
        }
    }

    @Test("are ignored if they are short")
    func short() async throws {
        try await TestIssuer.run { issuer in
            try issuer.publish([#require(TestKey.short).jwk()])
            let refusal = await issuer.refusal(try token(of: .short))
            #expect(refusal == .providerAway(.google, .noKeys))
        }
    }

    @Test("of two providers are kept apart")
    func apart() async throws {
        try await TestIssuer.run { issuer in
            _ = try await issuer.verify(try token(of: .first))
            try issuer.publish([#require(TestKey.second).jwk()])
            let token = try #require(TestKey.first).token(appleClaims())
            let refusal = await issuer.refusal(token, .apple)
            #expect(refusal == .invalidToken(.keyUnknown))
            _ = try await issuer.verify(try self.token(of: .first))
        }
    }
}

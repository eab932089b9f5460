import CherishTestSupport
import Foundation
import Secrets
import Testing

/// Judged by a tag that libargon2's program made, and by a test vector of SHA-256.
@Suite("Secrets")
struct PasswordHasherTests {
    @Test("Argon2id makes the tags that libargon2's own program makes")
    func tags() async throws {
        // printf 'lilac-7-umbrella' | argon2 0123456789abcdef -id -t 2 -k 19456 -p 1 -l 32 -r
        let expected = "791de6335833f78014d62a567a2d3793f47723239d5866ee357fd07deeb8648c"
        let tag = try await PasswordHasher().tag(
            of: Array("lilac-7-umbrella".utf8), salt: Array("0123456789abcdef".utf8))
        #expect(tag.count == PasswordHasher.tagLength)
        #expect(hexadecimal(tag) == expected)
    }

    @Test("another password, salt or cost makes another tag")
    func differences() async throws {
        let hasher = PasswordHasher()
        let cost = PasswordCost(memoryKiB: 64, passes: 1)
        var tags: Set<[UInt8]> = []
        for password in ["a", "b", ""] {
            for salt in ["0123456789abcdef", "0123456789abcdee"] {
                for cost in [cost, PasswordCost(memoryKiB: 72, passes: 1), PasswordCost(memoryKiB: 64, passes: 2)] {
                    tags.insert(
                        try await hasher.tag(of: Array(password.utf8), salt: Array(salt.utf8), cost: cost))
                }
            }
        }
        #expect(tags.count == 18)
    }

    @Test("whoever finds the line full is told so, and the others get their tags")
    func fullLine() async throws {
        let hasher = PasswordHasher(threads: 1, limit: 3)
        let outcomes = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 1...40 {
                group.addTask {
                    do {
                        _ = try await hasher.tag(of: [1], salt: Array(repeating: 0, count: 16))
                        return true
                    } catch is PasswordHasherBusy {
                        return false
                    }
                }
            }
            return try await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        #expect(outcomes.contains(true))
        #expect(outcomes.contains(false))
    }

    @Test("HMAC tells apart where a part ends")
    func parts() {
        let key = RandomBytes.make(32)
        #expect(SecretHash.hmac([[1, 2], [3]], key: key) != SecretHash.hmac([[1], [2, 3]], key: key))
        #expect(SecretHash.hmac([[1], []], key: key) != SecretHash.hmac([[1]], key: key))
        #expect(SecretHash.hmac([[1]], key: key) != SecretHash.hmac([[1]], key: RandomBytes.make(32)))
        #expect(
            hexadecimal(SecretHash.sha256("abc"))
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}

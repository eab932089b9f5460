import Foundation
import Secrets
import Testing

/// Judged by keys that OpenSSL made.
@Suite("Keys of P-256")
struct VAPIDKeyTests {
    private static let pkcs8 = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg4TxHH99briWvWL1z
        Vtgi7cjU9lgR9x0Uy5qH8ADS1gahRANCAAQs+bjX6vH8Erao3uoQTobdRml2Tved
        WoqXiuIW4vJ2E9e8WBw3Smk3IaneSdzblXEX/LmCuDvX0b05dGhsF//7
        -----END PRIVATE KEY-----
        """
    private static let sec1 = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIOE8Rx/fW64lr1i9c1bYIu3I1PZYEfcdFMuah/AA0tYGoAoGCCqGSM49
        AwEHoUQDQgAELPm41+rx/BK2qN7qEE6G3UZpdk73nVqKl4riFuLydhPXvFgcN0pp
        NyGp3knc25VxF/y5grg719G9OXRobBf/+w==
        -----END EC PRIVATE KEY-----
        """
    /// `openssl pkey -pubout -outform DER | tail -c 65 | base64`
    private static let publicKey =
        "BCz5uNfq8fwStqje6hBOht1GaXZO951aipeK4hbi8nYT17xYHDdKaTchqd5J3NuVcRf8uYK4O9fRvTl0aGwX//s="

    @Test("are read from PEM in both of its forms", arguments: [pkcs8, sec1, pkcs8 + "\n"])
    func read(pem: String) throws {
        let key = try #require(VAPIDKey(pem: pem))
        #expect(Data(key.publicKey).base64EncodedString() == Self.publicKey)
        #expect(key.publicKey.count == 65)
    }

    @Test("are new each time, and come back from their PEM")
    func made() throws {
        let (first, second) = (VAPIDKey(), VAPIDKey())
        #expect(first.publicKey != second.publicKey)
        #expect(first.pem.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        let again = try #require(VAPIDKey(pem: first.pem))
        #expect(again.publicKey == first.publicKey)
        #expect(try first.signature(of: [1, 2, 3]).count == 64)
        #expect("\(first)" == "a VAPID key")
    }

    private static let otherCurve = """
        -----BEGIN PRIVATE KEY-----
        MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDDX/JLFesFEAe4y4mTP
        hLEj2Czpx1vJSCFO0qcm6retvD9XTn90K48OHjeJJdNmVIKhZANiAAR0+/nS5idY
        bl1clzf95U7hxXlvzGaCwZLK8cLSwdLrWmU9r0leFuLcEmi/pZ72OPsF1e/WdP/F
        EHNN7cD3bYCmMBxmeOYIeN4iAnhThT5dLSqUXAGOIsDGJiAeKM6boNY=
        -----END PRIVATE KEY-----
        """

    @Test(
        "are nothing else",
        arguments: [
            "", "secret", "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----",
            otherCurve, String(pkcs8.dropLast(60)),
        ])
    func unreadable(text: String) {
        #expect(VAPIDKey(pem: text) == nil)
    }

    @Test("have public points on the curve, uncompressed")
    func points() throws {
        let point = VAPIDKey().publicKey
        #expect(P256Point.isValid(point))
        for place in [0, 1, 40, 64] {
            var changed = point
            changed[place] ^= 1
            #expect(!P256Point.isValid(changed), "byte \(place)")
        }
        #expect(!P256Point.isValid([]))
        #expect(!P256Point.isValid(point + [0]))
        #expect(!P256Point.isValid([4] + [UInt8](repeating: 0, count: 64)))
        let compressed = [2 + point[64] % 2] + point[1...32]
        #expect(!P256Point.isValid(compressed))
    }
}

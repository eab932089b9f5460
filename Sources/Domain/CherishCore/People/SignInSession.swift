import Foundation

/// Somebody who is signed in on a device (rule 12.3).
public struct SignInSession: Hashable, Sendable {
    public typealias ID = Identifier<SignInSession>

    /// After how many days without use a session ends, and an account without an e-mail.
    public static let daysUnused = 180
    /// How recent a sign-in must be for what cannot be undone, such as leaving.
    private static let freshMinutes = 10

    /// Where a session is found.
    public struct Place: Hashable, Sendable {
        public let lane: Lane
        public let id: ID

        public init(lane: Lane, id: ID) {
            (self.lane, self.id) = (lane, id)
        }
    }

    public let id: ID
    public let accountID: Account.ID
    /// What the app calls the device, 1–64 characters.
    public let deviceName: String
    /// When the password was last given, or a provider vouched for the person.
    public let signedInAt: Instant
    /// When the session was last used, to the hour.
    public let usedAt: Instant

    public init(id: ID, accountID: Account.ID, deviceName: String, signedInAt: Instant, usedAt: Instant) {
        self.id = id
        self.accountID = accountID
        self.deviceName = deviceName
        self.signedInAt = signedInAt
        self.usedAt = usedAt
    }

    /// Whether a sign-in is recent enough for what cannot be undone (rule 12.8).
    public static func isFresh(signedInAt: Instant, at now: Instant) -> Bool {
        now <= signedInAt.adding(minutes: freshMinutes)
    }
}

/// The secret that proves a session: a version, the lane, the session's id and 256 random bits, in base64url.
///
/// The lane and the id find the session by one probe; the database keeps a hash of the random bits.
public struct SessionToken: Sendable {
    public static let secretLength = 32
    private static let version: UInt8 = 1

    public let lane: Lane
    public let sessionID: SignInSession.ID
    /// 32 random bytes.
    public let secret: [UInt8]

    public init(lane: Lane, sessionID: SignInSession.ID, secret: [UInt8]) {
        precondition(secret.count == SessionToken.secretLength, "a token has 256 random bits")
        (self.lane, self.sessionID, self.secret) = (lane, sessionID, secret)
    }

    /// Reads a token; nil for any text that ``text`` never makes.
    public init?(_ text: some StringProtocol) {
        guard let bytes = Base64URL.decode(text), bytes.count == 18 + SessionToken.secretLength,
            bytes[0] == SessionToken.version
        else { return nil }
        lane = Lane(bytes[1])
        sessionID = SignInSession.ID(bytes: bytes[2..<18])
        secret = Array(bytes[18...])
    }

    /// What the client sends.
    public var text: String {
        Base64URL.encode([SessionToken.version, lane.number] + sessionID.bytes + secret)
    }
}

// Neither logs nor messages may show a token.
extension SessionToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "a token of session \(sessionID)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

extension Identifier {
    /// - Parameter bytes: 16.
    init(bytes: ArraySlice<UInt8>) {
        self.init(UUID(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }))
    }

    /// The 16 bytes.
    public var bytes: [UInt8] { withUnsafeBytes(of: uuid.uuid) { Array($0) } }
}

/// Base64 with `-` and `_`, without padding (RFC 4648, section 5).
public enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let values: [UInt8: UInt32] = Dictionary(
        uniqueKeysWithValues: zip(alphabet, 0...))

    public static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 4 + 2) / 3)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits: UInt32 = 0
            for byte in group { bits = bits << 8 | UInt32(byte) }
            bits <<= UInt32(8 * (3 - group.count))
            for index in 0...group.count { text.append(alphabet[Int(bits >> UInt32(18 - 6 * index) & 63)]) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns nil for other characters, an impossible length, or bits that should be zero: each value has one text.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for character in text.utf8 {
            guard let value = values[character] else { return nil }
            bits = bits << 6 | value
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
                bits &= (1 << UInt32(count)) - 1
            }
        }
        return bits == 0 && count < 6 ? bytes : nil
    }
}

/// A secret that allows something to whoever has it, without a session: an action of a notification, a shared reminder, a
/// calendar. It names the lane of what it is about. The database keeps the hash of the secret only.
public struct CapabilityToken: Hashable, Sendable {
    private static let version: UInt8 = 1
    private static let secretLength = 32

    public let lane: Lane
    /// 32 random bytes: nobody guesses them.
    public let secret: [UInt8]

    /// Makes a new one.
    public init(in lane: Lane) {
        self.lane = lane
        var random = SystemRandomNumberGenerator()
        secret = (0..<Self.secretLength).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    }

    /// Reads a token; nil for any text that ``text`` never makes.
    public init?(_ text: some StringProtocol) {
        guard let bytes = Base64URL.decode(text), bytes.count == 2 + Self.secretLength, bytes[0] == Self.version else {
            return nil
        }
        lane = Lane(bytes[1])
        secret = Array(bytes[2...])
    }

    /// What notifications and links carry.
    public var text: String { Base64URL.encode([Self.version, lane.number] + secret) }
}

// Neither logs nor messages may show a token.
extension CapabilityToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "a secret token" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

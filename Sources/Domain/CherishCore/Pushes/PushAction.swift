import Foundation

/// What somebody may do from a notification on a browser, besides opening the page that it is about.
public struct PushAction: Hashable, Sendable {
    public let name: String
    private let korean, english: String
    /// The page that it opens, below the subject in its collection, where nothing can be done at once.
    public let page: String
    /// Whether it is done at once, by a token that works once; one action of a topic at most.
    public let isDoneAtOnce: Bool

    public init(_ name: String, korean: String, english: String, page: String, isDoneAtOnce: Bool = false) {
        (self.name, self.korean, self.english, self.page) = (name, korean, english, page)
        self.isDoneAtOnce = isDoneAtOnce
    }

    /// What the button says.
    public func title(in language: Language) -> String { language == .korean ? korean : english }
}

/// The secret that allows one action of one notification: a version, the lane and 256 random bits, in base64url. The
/// database keeps a hash of the random bits.
public struct PushActionToken: Hashable, Sendable {
    private static let version: UInt8 = 1
    private static let secretLength = 32

    public let lane: Lane
    /// 32 random bytes.
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

    /// What the browser sends.
    public var text: String { Base64URL.encode([Self.version, lane.number] + secret) }
}

// Neither logs nor messages may show a token.
extension PushActionToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "a token of a notification" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

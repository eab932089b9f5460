/// The code that proves that somebody reads an e-mail address or a phone (rule 12.4): 6 digits, of which the first may
/// be 0.
public struct VerificationCode: Hashable, Sendable {
    /// The number of digits (rule 12.4).
    public static let length = 6
    /// How long a code is valid (rule 12.4): 10 minutes, in seconds.
    public static let lifetimeSeconds = 600
    /// How many wrong tries end a code (rule 12.4).
    public static let maximumTries = 5
    /// The most codes that one receiver gets within an hour (rule 12.4).
    public static let maximumPerHour = 3
    /// The most codes that one receiver gets within a day (rule 12.4).
    public static let maximumPerDay = 10

    /// The digits, for the message to the receiver. Not `description`, so that they do not end up in a log by accident.
    public let text: String

    /// Parses a code as people copy it: `012345`, `012 345` or `012-345`, with white space around it. The digits must
    /// be ASCII; nil for anything else.
    public init?(_ text: String) {
        // Nobody writes this much around six digits.
        guard text.utf8.count <= 64 else { return nil }
        let written = text.drop(while: \.isWhitespace)
        var digits = written[..<(written.lastIndex { !$0.isWhitespace }.map(written.index(after:)) ?? written.endIndex)]
        let middle = digits.index(digits.startIndex, offsetBy: VerificationCode.length / 2, limitedBy: digits.endIndex)
        if let middle, middle < digits.endIndex, digits[middle] == " " || digits[middle] == "-" {
            digits.remove(at: middle)
        }
        guard digits.utf8.count == VerificationCode.length,
            digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        self.text = String(digits)
    }

    private init(number: Int) {
        var bytes: [UInt8] = []
        bytes.append(decimal: number, width: VerificationCode.length)
        text = String(decoding: bytes, as: UTF8.self)
    }

    /// Draws a code; all million are equally likely. Only a generator that nobody can predict makes a secret, such as
    /// `SystemRandomNumberGenerator`.
    public static func random(using generator: inout some RandomNumberGenerator) -> VerificationCode {
        VerificationCode(number: Int.random(in: 0..<1_000_000, using: &generator))
    }
}

// Neither logs nor messages may show a code.
extension VerificationCode: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "a verification code" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

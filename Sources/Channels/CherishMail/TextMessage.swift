import CherishCore
import Foundation

/// A text message (SMS) to one phone.
public struct TextMessage: Sendable {
    /// The same for every attempt, so that a webhook that receives it twice can tell.
    public let id: UUID
    /// When it was written.
    public let date: Instant
    public let to: PhoneNumber
    public let text: String

    /// Describes a text message.
    ///
    /// - Parameters:
    ///   - id: Different for each message, the same for every attempt.
    ///   - date: When it was written.
    public init(id: UUID, date: Instant, to: PhoneNumber, text: String) {
        self.id = id
        self.date = date
        self.to = to
        self.text = text
    }
}

/// Printed messages end up in logs, and they contain codes.
extension TextMessage: CustomStringConvertible, CustomDebugStringConvertible {
    /// The id; never the number or the text.
    public var description: String { "TextMessage(id: \(id))" }
    /// Same as ``description``: a debug log is still a log.
    public var debugDescription: String { description }
}

import Foundation

/// The key that signs pushes to a webhook, in the format of Standard Webhooks: `whsec_` and 24 to 64 bytes in Base64.
public struct WebhookSecret: Hashable, Sendable {
    private static let prefix = "whsec_"

    public let bytes: [UInt8]

    /// nil for fewer than 24 or more than 64 bytes.
    public init?(bytes: [UInt8]) {
        guard (24...64).contains(bytes.count) else { return nil }
        self.bytes = bytes
    }

    /// Parses `whsec_…`; nil for anything else.
    public init?(_ text: String) {
        guard text.hasPrefix(WebhookSecret.prefix),
            let data = Data(base64Encoded: String(text.dropFirst(WebhookSecret.prefix.count)))
        else { return nil }
        self.init(bytes: Array(data))
    }

    /// The text for the receiver. Not `description`, so that it does not end up in a log by accident.
    public var text: String { WebhookSecret.prefix + Data(bytes).base64EncodedString() }
}

extension WebhookSecret: CustomStringConvertible {
    /// A placeholder that does not reveal the secret.
    public var description: String { "a webhook's secret" }
}

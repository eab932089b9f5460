import Foundation

/// With what the pushes to a webhook are signed, as Standard Webhooks write it: `whsec_` and 24 to 64 bytes in Base64.
public struct WebhookSecret: Hashable, Sendable {
    private static let prefix = "whsec_"

    public let bytes: [UInt8]

    /// nil when there are fewer than 24 or more than 64 bytes.
    public init?(bytes: [UInt8]) {
        guard (24...64).contains(bytes.count) else { return nil }
        self.bytes = bytes
    }

    /// Reads `whsec_…`; nil for anything else.
    public init?(_ text: String) {
        guard text.hasPrefix(WebhookSecret.prefix),
            let data = Data(base64Encoded: String(text.dropFirst(WebhookSecret.prefix.count)))
        else { return nil }
        self.init(bytes: Array(data))
    }

    /// What the receiver is to be given. Not `description`, so that it does not get into a log by accident.
    public var text: String { WebhookSecret.prefix + Data(bytes).base64EncodedString() }
}

extension WebhookSecret: CustomStringConvertible {
    /// Does not tell the secret.
    public var description: String { "a webhook's secret" }
}

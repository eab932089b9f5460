import CherishCore
import Foundation

/// Whom a push service may contact about our pushes (RFC 8292, section 2.1): a `mailto:` or an https URL.
public struct VAPIDSubject: Hashable, Sendable {
    public let text: String

    /// nil for anything else. Apple answers 403 to a host without a dot, such as `localhost`, and to spaces and angle
    /// brackets.
    public init?(_ text: String) {
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !text.contains(where: { "<>\"\\".contains($0) })
        else { return nil }
        let host: String?
        if text.hasPrefix("mailto:") {
            let address = try? EmailAddress(String(text.dropFirst("mailto:".count)))
            host = address?.description.split(separator: "@").last.map(String.init)
        } else {
            host = text.hasPrefix("https://") ? URL(string: text)?.host : nil
        }
        guard let host, host.dropFirst().dropLast().contains(".") else { return nil }
        self.text = text
    }
}

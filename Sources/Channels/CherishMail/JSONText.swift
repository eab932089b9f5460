import Foundation

extension Encodable {
    /// The value as JSON on one line, with sorted keys.
    func jsonText() throws(MailError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let json = try? encoder.encode(self) else {
            throw MailError(.permanent, .message, "the message cannot be written as JSON")
        }
        return String(decoding: json, as: UTF8.self)
    }
}

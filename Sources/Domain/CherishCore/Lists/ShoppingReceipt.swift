/// What a helper shows of what the shopping has cost: a picture or a PDF, in which nothing but its contents is left
/// (rule 11.6).
public struct ShoppingReceipt: Hashable, Sendable {
    /// Its kind, by its media type.
    public enum Format: String, Sendable {
        case jpeg = "image/jpeg"
        case pdf = "application/pdf"

        fileprivate var firstBytes: [UInt8] {
            switch self {
            case .jpeg: [0xff, 0xd8, 0xff]
            case .pdf: Array("%PDF-".utf8)
            }
        }
    }

    public let format: Format
    public let bytes: [UInt8]

    /// - Parameter bytes: nil is returned for those of another kind, whatever their name was.
    public init?(_ bytes: [UInt8]) {
        guard let format = [Format.jpeg, .pdf].first(where: { bytes.starts(with: $0.firstBytes) }) else { return nil }
        (self.format, self.bytes) = (format, bytes)
    }
}

import AddressBook
import Testing

/// The contact of a vCard with these lines.
///
/// - Parameter version: nil for a vCard without a version.
func contact(version: String?, _ lines: String...) throws -> ContactCard {
    let versionLines = version.map { ["VERSION:\($0)"] } ?? []
    let text = (["BEGIN:VCARD"] + versionLines + lines + ["END:VCARD", ""]).joined(separator: "\r\n")
    let book = try readBook(text)
    #expect(book.unreadable.isEmpty)
    return try #require(book.cards.first)
}

/// Bytes in quoted-printable, with every byte encoded.
func quotedPrintable(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { byte in
        let digits = String(byte, radix: 16, uppercase: true)
        return digits.count == 1 ? "=0\(digits)" : "=\(digits)"
    }.joined()
}

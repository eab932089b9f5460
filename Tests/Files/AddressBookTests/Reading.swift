import AddressBook
import Foundation

/// Everything that a reading yielded.
struct Book {
    var cards: [ContactCard] = []
    var unreadable: [UnreadableContact] = []

    /// The first lines of the unreadable contacts.
    var unreadableLines: [Int] { unreadable.map(\.line) }
}

/// Reads the file at a path.
func readBook(path: String, columns: ColumnMap = .none) throws -> Book {
    var book = Book()
    var reader = try AddressBookReader(.file(path), columns: columns)
    while let contact = try reader.next() {
        switch contact {
        case .success(let card): book.cards.append(card)
        case .failure(let unreadable): book.unreadable.append(unreadable)
        }
    }
    return book
}

/// Reads bytes through a file.
func readBook(bytes: [UInt8]) throws -> Book {
    try withFile(bytes) { try readBook(path: $0) }
}

/// Reads a text through a file.
func readBook(_ text: String) throws -> Book {
    try readBook(bytes: Array(text.utf8))
}

/// Why a file with these bytes is refused, or nil if it is readable.
func refusal(ofBytes bytes: [UInt8]) throws -> String? {
    do {
        _ = try readBook(bytes: bytes)
        return nil
    } catch let error as UnreadableFile {
        return error.reason
    }
}

/// Runs `body` with the path of a temporary file.
func withFile<Value>(_ bytes: [UInt8], _ body: (String) throws -> Value) throws -> Value {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("address-book-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(bytes).write(to: file)
    return try body(file.path)
}

/// The path of one of the fictional address books.
func fixture(_ name: String) -> String {
    URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent()
        .deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("fixtures/address-books/\(name)")
        .path
}

/// A standard-conforming vCard 3.0 of these lines.
func vCard(_ lines: String...) -> String {
    (["BEGIN:VCARD", "VERSION:3.0"] + lines + ["END:VCARD", ""]).joined(separator: "\r\n")
}

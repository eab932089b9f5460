import AddressBook
import CherishTestSupport
import Foundation
import SeededChance
import Testing

/// The short form of `scripts/fuzz`, which checks the same invariants with inputs of its own.
@Suite("Damaged address books")
struct MutatedFixtureTests {
    private struct Book {
        let name: String
        let bytes: [UInt8]
    }

    @Test("keep the invariants of reading", arguments: 1...UInt64(repetitions(20, inDebug: 5)))
    func promises(seed: UInt64) throws {
        var damage = Damage(seed: seed)
        let books = try Self.books()
        var contactCount = 0
        for (index, book) in books.enumerated() {
            let other = books[(index + Int(seed)) % books.count]
            let bytes = damage.damaged(book.bytes, beside: other.bytes)
            let reading = try contacts(in: bytes)
            let broken = brokenPromises(of: reading, mostLines: mostLines(in: bytes))
            #expect(broken == [], "\(book.name), seed \(seed)")
            if bytes.count.isMultiple(of: 16) {
                let again = try contacts(in: bytes)
                #expect(again == reading, "\(book.name), seed \(seed)")
            }
            contactCount += reading.count
        }
        // Without contacts, nothing would have been checked.
        #expect(contactCount > books.count)
    }

    private static func books() throws -> [Book] {
        let names = try FileManager.default.contentsOfDirectory(atPath: fixture("")).sorted()
        return try names.filter { name in [".vcf", ".csv", ".jsonl"].contains { name.hasSuffix($0) } }.map { name in
            Book(name: name, bytes: Array(try Data(contentsOf: URL(fileURLWithPath: fixture(name)))))
        }
    }

    /// All contacts until the end of the file, or until it is refused.
    private func contacts(in bytes: [UInt8]) throws -> [Result<ContactCard, UnreadableContact>] {
        try withFile(bytes) { path in
            var contacts: [Result<ContactCard, UnreadableContact>] = []
            do {
                var reader = try AddressBookReader(.file(path))
                while let contact = try reader.next() { contacts.append(contact) }
            } catch is UnreadableFile {
                // Damage may make the file unreadable; any other error is our bug.
            }
            return contacts
        }
    }
}

// MARK: - Promises

/// The invariants that a reading violates.
///
/// - Parameter mostLines: the maximum number of lines in the file.
private func brokenPromises(of reading: [Result<ContactCard, UnreadableContact>], mostLines: Int) -> [String] {
    var broken: [String] = []
    var previousLine = 0
    for contact in reading {
        let line = contact.line
        if line <= previousLine { broken.append("line \(line) comes after line \(previousLine)") }
        if line > mostLines { broken.append("there is no line \(line): the file has \(mostLines) at most") }
        if case .success(let card) = contact { broken += card.brokenPromises }
        previousLine = line
    }
    return broken
}

extension Result<ContactCard, UnreadableContact> {
    fileprivate var line: Int {
        switch self {
        case .success(let card): card.line
        case .failure(let unreadable): unreadable.line
        }
    }
}

extension ContactCard {
    fileprivate var brokenPromises: [String] {
        let fields: [String?] = [name, nickname, birthday, cycleDays, alarm, account]
        let texts = fields.compactMap { $0 } + phones + tags
        let numbers = phones.compactMap { PhoneNumberParser.e164($0, region: "KR") }
        let birthdays = [false, true].compactMap { dayFirst in
            birthday.flatMap { BirthdayReader.birthday($0, calendar: birthdayCalendar, dayFirst: dayFirst) }
        }
        var broken: [String] = []
        if texts.contains(where: { $0.allSatisfy(\.isWhitespace) }) { broken.append("line \(line) has a blank text") }
        if phones.count > Self.mostPhones { broken.append("line \(line) has \(phones.count) phones") }
        if tags.count > Self.mostTags { broken.append("line \(line) has \(tags.count) tags") }
        broken += numbers.filter { !isE164($0) }.map { "\($0) is not E.164" }
        broken += birthdays.filter { !$0.isPossible }.map { "\($0) is no birthday" }
        return broken
    }
}

extension ContactBirthday {
    fileprivate var isPossible: Bool {
        let lastDay = calendar == .solar ? 31 : 30
        return (1...9999).contains(year ?? 1) && (1...12).contains(month) && (1...lastDay).contains(day)
    }
}

/// Whether it is a number as rule 1.5 stores it: a plus sign and 5 to 15 digits, the first of which is not 0.
private func isE164(_ number: String) -> Bool {
    let digits = number.utf8.dropFirst()
    return number.utf8.first == UInt8(ascii: "+") && (5...15).contains(digits.count)
        && digits.first != UInt8(ascii: "0") && digits.allSatisfy { (48...57).contains($0) }
}

/// The maximum number of lines in a file of these bytes. In UTF-16, each CR LF counts twice.
private func mostLines(in bytes: [UInt8]) -> Int {
    let (carriageReturn, lineFeed) = (UInt8(ascii: "\r"), UInt8(ascii: "\n"))
    let newlines = zip([0] + bytes, bytes).count { previous, byte in
        byte == carriageReturn || (byte == lineFeed && previous != carriageReturn)
    }
    return newlines + 1
}

// MARK: - Damage

/// Damages bytes as transfers, editors and attackers would, deterministically by seed.
private struct Damage {
    /// Tokens with a meaning to one or more of the readers.
    private static let words = [
        "BEGIN:VCARD\n", "END:VCARD\n", "VERSION:2.1\n", "AGENT:\n", "\r\n ", "=\r\n", "=EA", "TEL;TYPE=CELL:",
        "TEL;TYPE=FAX:", ";ENCODING=QUOTED-PRINTABLE;CHARSET=EUC-KR:", "item1.", "tel:%2B", "BDAY;X-LUNAR=1:",
        "X-ALTBDAY;CALSCALE=chinese:", "X-ANDROID-CUSTOM:vnd.android.cursor.item/contact_event;", "\"", "\"\"", ",",
        ";", "\t", "\r", "\n", "\\", " ::: ", "* ", "\u{FEFF}", "\0", "\n{\"phones\":[\" \"],\"name\":\"", "}", "음력",
        "윤", "내선 1", "--0229", "0000-00-00",
    ].map { Array($0.utf8) }

    private var generator: SplitMix64

    init(seed: UInt64) {
        generator = SplitMix64(seed: seed)
    }

    /// The bytes with one to four injuries.
    mutating func damaged(_ bytes: [UInt8], beside other: [UInt8]) -> [UInt8] {
        var damaged = bytes
        for _ in 0..<Int.random(in: 1...4, using: &generator) { injure(&damaged, beside: other) }
        return damaged
    }

    private mutating func injure(_ bytes: inout [UInt8], beside other: [UInt8]) {
        let place = piece(of: bytes)
        switch Int.random(in: 0..<6, using: &generator) {
        case 0:
            for index in place.prefix(4) { bytes[index] = UInt8.random(in: .min ... .max, using: &generator) }
        case 1:
            bytes.removeSubrange(place)
        case 2:
            bytes.removeSubrange(place.upperBound...)
        case 3:
            let repeated = Array(repeatElement(bytes[place], count: 5).joined())
            bytes.insert(contentsOf: repeated, at: place.upperBound)
        case 4:
            bytes.replaceSubrange(place, with: other[piece(of: other)])
        default:
            let word = Self.words[Int.random(in: Self.words.indices, using: &generator)]
            bytes.insert(contentsOf: word, at: place.lowerBound)
        }
    }

    /// The range of a piece of up to 64 bytes, possibly empty.
    private mutating func piece(of bytes: [UInt8]) -> Range<Int> {
        let start = Int.random(in: 0...bytes.count, using: &generator)
        return start..<Int.random(in: start...min(start + 64, bytes.count), using: &generator)
    }
}

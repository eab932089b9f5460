import AddressBook

/// Everything that one pass over a file yields.
struct Reading: Equatable {
    private(set) var contacts: [Result<ContactCard, UnreadableContact>] = []
    /// Why the file cannot be read to its end; nil if it can.
    private(set) var refusal: UnreadableFile?

    init(path: String, columns: ColumnMap = .none) {
        do {
            var reader = try AddressBookReader(.file(path), columns: columns)
            while let contact = try reader.next() { contacts.append(contact) }
        } catch let error as UnreadableFile {
            refusal = error
        } catch {
            fatalError("a file is refused by UnreadableFile alone, and not by \(error)")
        }
    }
}

// MutatedFixtureTests checks the same.
extension Reading {
    /// The violated invariants, which must hold for any file.
    ///
    /// - Parameter mostLines: The maximum number of lines of the file.
    func brokenPromises(mostLines: Int) -> [String] {
        var broken: [String] = []
        var previousLine = 0
        for contact in contacts {
            let line = contact.line
            if line <= previousLine { broken.append("line \(line) comes after line \(previousLine)") }
            if line > mostLines { broken.append("there is no line \(line): the file has \(mostLines) at most") }
            if case .success(let card) = contact { broken += card.brokenPromises }
            previousLine = line
        }
        return broken
    }
}

extension Result<ContactCard, UnreadableContact> {
    var line: Int {
        switch self {
        case .success(let card): card.line
        case .failure(let unreadable): unreadable.line
        }
    }
}

extension ContactCard {
    var brokenPromises: [String] {
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

/// Whether a number has the form of rule 1.5: a plus sign and 5 to 15 digits, of which the first is not 0.
private func isE164(_ number: String) -> Bool {
    let digits = number.utf8.dropFirst()
    return number.utf8.first == UInt8(ascii: "+") && (5...15).contains(digits.count)
        && digits.first != UInt8(ascii: "0") && digits.allSatisfy { (48...57).contains($0) }
}

/// The maximum number of lines of a file with these bytes. In UTF-16, each CR LF counts twice.
func mostLines(in bytes: [UInt8]) -> Int {
    let (carriageReturn, lineFeed) = (UInt8(ascii: "\r"), UInt8(ascii: "\n"))
    let newlines = zip([0] + bytes, bytes).count { previous, byte in
        byte == carriageReturn || (byte == lineFeed && previous != carriageReturn)
    }
    return newlines + 1
}

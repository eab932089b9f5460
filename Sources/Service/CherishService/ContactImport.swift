import AddressBook
import CherishCore
import CherishRuntime
import CherishStore
import Foundation
import SystemTimeZones

/// The options for reading and importing an address book.
public struct ContactImport: Sendable {
    public var options: ImportOptions
    /// The fields of table columns whose titles are not recognized.
    public var columns = ColumnMap.none
    /// Whether `05/06/1994` means the fifth of June.
    public var readsDayFirst = false
    /// Tags for every contact of the file.
    public var tags: [TagName] = []
    /// Whether to only report what would happen.
    public var isDryRun = false
    /// Where the contacts begin that are wanted: lines, and ranges of them that have a contact each; nil for all.
    public var lines: [ClosedRange<Int>]?

    /// The maximum number of contacts in one address book. The import processes all of them together, in memory.
    public static let mostContacts = 100_000

    /// An import with these options.
    public init(_ options: ImportOptions) {
        self.options = options
    }
}

/// What to do about a problem, worded for any program.
public struct Remedy: Hashable, Sendable, ExpressibleByStringInterpolation {
    /// Something that each program offers in its own way, for example with an option.
    public enum Means: Hashable, Sendable {
        /// To add missing accounts.
        case addingAccounts
        /// To add a phone to an account.
        case addingDevices
        /// To bring back removed friends with an import.
        case bringingBack
        /// To merge contacts of one person with an import.
        case merging
    }

    public let sentence: String
    /// nil if the remedy needs nothing from the program.
    public let means: Means?

    init(_ sentence: String, _ means: Means?) {
        self.sentence = sentence
        self.means = means
    }

    /// A remedy without means.
    public init(stringLiteral sentence: String) {
        self.init(sentence, nil)
    }
}

/// The result of one contact of a file.
public struct ImportedContact: Sendable {
    /// What is wrong with a contact, and what to do about it.
    public struct Problem: Error, Hashable, Sendable {
        public let code: String
        public let why: String
        public let how: Remedy
    }

    /// The line of the file on which the contact begins.
    public let line: Int
    /// The contact as in the file; nil if it cannot be read at all.
    public let card: ContactCard?
    public let result: Result<ImportOutcome, Problem>
    /// The parts of the contact that were left out; the friend was imported without them.
    public let warnings: [Problem]
}

/// Everything that an import did or would do.
public struct ImportReport: Sendable {
    public let rows: [ImportedContact]
    public let result: ImportResult
}

extension SystemTimeZones {
    /// Parses a phone number as people write it, in the country of the account's time zone (`docs/command-line.md`).
    ///
    /// - Throws: ``CareError/invalidPhone(_:)``.
    func phoneNumber(_ text: String, in timeZone: String) throws(CareError) -> PhoneNumber {
        guard let e164 = PhoneNumberParser.e164(text, region: country(of: timeZone)) else {
            throw .invalidPhone(text)
        }
        return try PhoneNumber(e164: e164)
    }
}

extension GardenService {
    /// Registers the contacts of an address book as friends. Refuses contacts individually and reports each.
    ///
    /// - Parameter progress: called periodically with the number of contacts read and the fraction of the source that
    ///   has been read, 0–1; nil if unknown.
    /// - Throws: ``UnreadableFile`` if the address book cannot be read at all; ``NoContact`` for a wanted line, or range of
    ///   lines, without a contact; errors of the source.
    public func importContacts(
        from source: ByteSource, _ wanted: ContactImport, progress: (Int, Double?) -> Void = { _, _ in }
    ) async throws -> ImportReport {
        let seen = try await garden.viewpoint()
        let reader = ContactReader(
            zones: engine.zones, today: try today(seen), timeZone: seen.account.timeZone,
            readsDayFirst: wanted.readsDayFirst, tags: wanted.tags)
        var book = try AddressBookReader(source, columns: wanted.columns)
        let lines = wanted.lines.map { $0.reduce(into: IndexSet()) { $0.insert(integersIn: $1) } }
        func isWanted(_ line: Int) -> Bool { lines?.contains(line) ?? true }
        var contacts: [Result<ContactCard, UnreadableContact>] = []
        var count = 0
        while let contact = try book.next() {
            if count.isMultiple(of: 1000) {
                progress(count, book.fractionRead)
                // Whoever waits for it may have given up.
                try Task.checkCancellation()
            }
            guard count < ContactImport.mostContacts else { throw ContactImport.tooLong(source.name) }
            count += 1
            if isWanted(contact.line) { contacts.append(contact) }
        }
        try wanted.lines.map { try requireContacts(contacts.map(\.line), in: $0) }
        progress(count, 1)
        let read = await reader.read(contacts)
        let friends = read.compactMap { try? $0.friend.get() }
        // Whoever reads on a thread of low priority must not keep the lane locked for as long.
        let result = try await withTaskExecutorPreference(globalConcurrentExecutor) {
            try await garden.importFriends(
                friends, wanted.options, fileName: source.fileName, isDryRun: wanted.isDryRun)
        }
        return ImportReport(rows: ImportedContact.rows(read, result.outcomes), result: result)
    }
}

/// No contact begins on a line that was asked for.
public struct NoContact: ExplainedError, ExplainedInKorean {
    public let line: Int

    public init(line: Int) {
        self.line = line
    }

    public var code: String { "no_contact" }
    public var exitStatus: Int32 { 65 }
    public var httpStatus: Int { 422 }
    public var description: String {
        "no contact begins on line \(line) of the file; take the lines from the dry run of the same file"
    }
    public var korean: (problem: String, remedy: String) {
        ("파일의 \(line)번째 줄에서 시작하는 연락처가 없어요.", "같은 파일을 미리 읽은 결과에서 줄 번호를 골라 주세요.")
    }
}

private func requireContacts(_ found: [Int], in lines: [ClosedRange<Int>]) throws {
    let found = IndexSet(found)
    for range in lines where !found.intersects(integersIn: range) { throw NoContact(line: range.lowerBound) }
}

extension Result<ContactCard, UnreadableContact> {
    /// The line on which the contact begins.
    fileprivate var line: Int {
        switch self {
        case .success(let card): card.line
        case .failure(let contact): contact.line
        }
    }
}

extension GardenService {
    /// The account's imports, newest first.
    public func imports() async throws -> [ImportBatch] { try await garden.imports() }

    /// Reverts an import, skipping plants changed since.
    ///
    /// - Parameter prefix: the import's id, or a prefix of at least 8 digits.
    /// - Throws: ``CareError/notFound(_:)``, ``CareError/ambiguousID(_:)``, ``CareError/importUndone``.
    public func undoImport(_ prefix: String) async throws -> UndoneImport {
        try await garden.undoImport(try await garden.importBatch(prefix))
    }
}

extension ContactImport {
    fileprivate static func tooLong(_ name: String) -> UnreadableFile {
        UnreadableFile(
            reason:
                "\(name) has more than \(mostContacts) contacts, which is no address book: split it into several files")
    }
}

extension ImportedContact {
    /// Combines all contacts with the outcomes of those that describe a friend.
    fileprivate static func rows(_ read: [ReadContact], _ outcomes: [ImportOutcome]) -> [ImportedContact] {
        // Outcomes refer to earlier friends by index; map these to indices of contacts.
        let places = read.indices.filter { (try? read[$0].friend.get()) != nil }
        var next = 0
        return read.map { contact in
            let result = contact.friend.map { _ in
                defer { next += 1 }
                return outcomes[next].renumbered { places[$0] }
            }
            return ImportedContact(line: contact.line, card: contact.card, result: result, warnings: contact.warnings)
        }
    }
}

extension ImportOutcome {
    /// The same outcome, with the index of the earlier contact mapped.
    fileprivate func renumbered(_ number: (Int) -> Int) -> ImportOutcome {
        switch self {
        case .repeated(let earlier): .repeated(of: number(earlier))
        case .merged(let earlier): .merged(into: number(earlier))
        default: self
        }
    }
}

/// A contact of a file, and the friend that it describes or why it describes none.
struct ReadContact: Sendable {
    /// The line of the file on which the contact begins.
    let line: Int
    let card: ContactCard?
    let friend: Result<FriendContact, ImportedContact.Problem>
    /// The parts of the contact that were left out.
    let warnings: [ImportedContact.Problem]
}

/// Validates the contacts of a file and converts them to ``FriendContact``.
struct ContactReader: Sendable {
    private let region: String?
    private let today: CivilDay
    private let readsDayFirst: Bool
    private let tags: [TagName]

    init(zones: SystemTimeZones, today: CivilDay, timeZone: String, readsDayFirst: Bool, tags: [TagName]) {
        region = zones.country(of: timeZone)
        self.today = today
        self.readsDayFirst = readsDayFirst
        self.tags = tags
    }

    /// Reads contacts on all cores, in their order: phone numbers take most of an import's time in the program.
    func read(_ contacts: [Result<ContactCard, UnreadableContact>]) async -> [ReadContact] {
        let size = max(1000, contacts.count / (2 * ProcessInfo.processInfo.activeProcessorCount) + 1)
        return await withTaskGroup(of: (start: Int, read: [ReadContact]).self) { group in
            for start in stride(from: 0, to: contacts.count, by: size) {
                let piece = contacts[start..<min(start + size, contacts.count)]
                group.addTask { (start, piece.map(read)) }
            }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.start < $1.start }.flatMap(\.read)
        }
    }

    func read(_ contact: Result<ContactCard, UnreadableContact>) -> ReadContact {
        switch contact {
        case .failure(let unreadable):
            return ReadContact(
                line: unreadable.line, card: nil, friend: .failure(.unreadable(unreadable)), warnings: [])
        case .success(let card):
            return read(card)
        }
    }

    func read(_ card: ContactCard) -> ReadContact {
        var warnings: [ImportedContact.Problem] = []
        let friend = Result { () throws(ImportedContact.Problem) in try self.friend(card, &warnings) }
        return ReadContact(line: card.line, card: card, friend: friend, warnings: warnings)
    }

    private func friend(_ card: ContactCard, _ warnings: inout [ImportedContact.Problem]) throws(ImportedContact
        .Problem)
        -> FriendContact
    {
        guard let name = try? ContactName(card.name ?? "") else { throw .name(card.name) }
        let phones = card.phones.compactMap { text in
            PhoneNumberParser.e164(text, region: region).flatMap { try? PhoneNumber(e164: $0) }
        }
        guard !phones.isEmpty else { throw .phone(card.phones) }
        var friend = FriendContact(name: name, phones: phones, isFavourite: card.isFavourite)
        friend.cycle = try cycle(card)
        friend.alarmTime = try alarm(card)
        if let text = card.nickname {
            friend.nickname = try? Nickname(text, for: name)
            if friend.nickname == nil { warnings.append(.nickname) }
        }
        friend.birthday = birthday(card, &warnings)
        friend.tags = tagNames(card, &warnings)
        return friend
    }

    private func cycle(_ card: ContactCard) throws(ImportedContact.Problem) -> Cycle? {
        guard let text = card.cycleDays else { return nil }
        guard let days = Int(text.trimmingCharacters(in: .whitespaces)), let cycle = try? Cycle(days: days) else {
            throw .cycle(text)
        }
        return cycle
    }

    private func alarm(_ card: ContactCard) throws(ImportedContact.Problem) -> TimeOfDay? {
        guard let text = card.alarm else { return nil }
        guard let time = try? TimeOfDay(alarm: text.trimmingCharacters(in: .whitespaces)) else { throw .alarm(text) }
        return time
    }

    private func tagNames(_ card: ContactCard, _ warnings: inout [ImportedContact.Problem]) -> [TagName] {
        var names = tags
        // One excess tag is enough for the warning; comparing all tags with each other would be quadratic.
        for text in card.tags where names.count <= Tag.maximumPerFriend {
            guard let name = try? TagName(text) else {
                warnings.append(.tag(text))
                continue
            }
            if !names.contains(name) { names.append(name) }
        }
        if names.count > Tag.maximumPerFriend { warnings.append(.tooManyTags) }
        return Array(names.prefix(Tag.maximumPerFriend))
    }
}

// MARK: - Birthdays

extension ContactReader {
    /// The birthday in the solar calendar. Reports an invalid one; the friend is then imported without it.
    private func birthday(_ card: ContactCard, _ warnings: inout [ImportedContact.Problem]) -> Birthday? {
        guard let text = card.birthday else { return nil }
        if let calendar = card.unknownCalendar {
            warnings.append(.birthdayCalendar(calendar))
            return nil
        }
        let read = BirthdayReader.birthday(text, calendar: card.birthdayCalendar, dayFirst: readsDayFirst)
        guard let read, let birthday = solar(read, text, &warnings) else {
            warnings.append(.birthday(text))
            return nil
        }
        return birthday
    }

    private func solar(_ read: ContactBirthday, _ text: String, _ warnings: inout [ImportedContact.Problem])
        -> Birthday?
    {
        guard case .lunar(let isLeapMonth) = read.calendar else {
            return Birthday(year: read.year, month: read.month, day: read.day)
        }
        if let year = read.year {
            let day = LunarCalendar.solarDay(year: year, month: read.month, day: read.day, isLeapMonth: isLeapMonth)
            return day.flatMap { Birthday(year: $0.year, month: $0.month, day: $0.day) }
        }
        let day = LunarCalendar.nextSolarDay(
            month: read.month, day: read.day, isLeapMonth: isLeapMonth, onOrAfter: today.components)
        guard let day, let birthday = Birthday(year: nil, month: day.month, day: day.day) else { return nil }
        warnings.append(.lunarWithoutYear(text, birthday))
        return birthday
    }
}

// MARK: - Problems

extension ImportedContact.Problem {
    /// A cell as a message may quote it: at most four digits, with punctuation. Anything else may be a phone or a memo
    /// in the wrong column.
    private static func quoted(_ text: String) -> String {
        let digits = text.utf8.count { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        let isShort =
            digits <= 4 && text.utf8.count <= 8 && text.utf8.allSatisfy { "0123456789-/.: ".utf8.contains($0) }
        return isShort ? "\"\(text)\"" : "what the contact has there"
    }

    static func unreadable(_ contact: UnreadableContact) -> Self {
        Self(
            code: "unreadable_contact", why: contact.reason, how: "mend that place of the file, or export it once more")
    }

    fileprivate static func name(_ name: String?) -> Self {
        let isMissing = name?.trimmingCharacters(in: .whitespaces).isEmpty ?? true
        return Self(
            code: "invalid_name",
            why: isMissing ? "the contact has no name" : "the name is too long or holds control characters",
            how: "write a name of 1 to \(TextLimit.name) characters")
    }

    fileprivate static func phone(_ texts: [String]) -> Self {
        Self(
            code: "invalid_phone",
            why: texts.isEmpty ? "the contact has no phone number" : "no phone number of the contact is possible",
            how: "write one with its country code, like +82 10 1234 5678")
    }

    fileprivate static func cycle(_ text: String) -> Self {
        Self(
            code: "invalid_cycle", why: "\(quoted(text)) is no cycle",
            how: "write a number of days from \(Cycle.range.lowerBound) to \(Cycle.range.upperBound), or leave it empty"
        )
    }

    fileprivate static func alarm(_ text: String) -> Self {
        Self(
            code: "invalid_alarm", why: "\(quoted(text)) is no time of day",
            how: "write hours and minutes like 09:00, or leave it empty")
    }

    fileprivate static let nickname = Self(
        code: "invalid_nickname", why: "the nickname is too long; the name stands for it",
        how: "write one of 1 to \(TextLimit.nickname) characters")

    fileprivate static func birthday(_ text: String) -> Self {
        Self(
            code: "invalid_birthday", why: "\(quoted(text)) is no birthday; the friend comes without one",
            how: Remedy("write 1994-05-21, or 05-21 without a year, and import once more, merging", .merging))
    }

    fileprivate static func birthdayCalendar(_ text: String) -> Self {
        Self(
            code: "invalid_birthday",
            why: "\(quoted(text)) names no calendar; the friend comes without a birthday",
            how: Remedy(
                "write solar, lunar or lunar-leap, in Korean 양력, 음력 or 윤달, and import once more, merging", .merging))
    }

    fileprivate static func lunarWithoutYear(_ text: String, _ birthday: Birthday) -> Self {
        Self(
            code: "lunar_birthday",
            why:
                "\"\(text.prefix(40))\" has no year, so it falls on another solar day each year; taken is the next, \(birthday)",
            how: "write the year of birth if you know it")
    }

    fileprivate static func tag(_ text: String) -> Self {
        Self(
            code: "invalid_tag", why: "\(quoted(text)) is no tag; it is left out",
            how: Remedy("shorten it to \(TextLimit.tag) characters and import once more, merging", .merging))
    }

    fileprivate static let tooManyTags = Self(
        code: "too_many_tags", why: "the contact has more than \(Tag.maximumPerFriend) tags; the first ones are taken",
        how: "remove some")
}

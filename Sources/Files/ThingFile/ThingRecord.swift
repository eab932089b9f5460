import AddressBook
import CherishCore
import Foundation

/// What a file says of one thing.
public struct ThingRecord: Sendable {
    public var draft: ThingDraft
    public var tags: [TagName] = []
    /// Whether the file gives a number of days from the import instead of a due day.
    public var isDueRelative = false
    /// What was left out or taken otherwise, in sentences.
    public var warnings: [String] = []

    init(_ draft: ThingDraft) {
        self.draft = draft
    }
}

/// Why a thing of a file is not taken.
public enum ThingRefusal: Error, Sendable, Equatable {
    /// It needs none: it is done, or never expires.
    case skipped(String)
    /// It breaks a rule, with its code.
    case refused(code: String, String)

    static func unreadable(_ sentence: String) -> ThingRefusal { .refused(code: "unreadable_thing", sentence) }

    init(_ error: ThingError) {
        self = .refused(code: error.code, error.description)
    }

    init(_ error: CareError) {
        self = .refused(code: error.code, error.description)
    }
}

/// What a file is read with.
public struct ThingFileOptions: Sendable {
    /// Today in the account's zone.
    public let today: CivilDay
    /// The account's zone, to which instants and times of other zones are converted.
    public let zone: TimeZoneRules
    /// Finds a zone by its name; nil for an unknown one.
    public let zoneNamed: @Sendable (String) -> TimeZoneRules?
    /// The kind of things that name none.
    public var kind = Thing.Kind.reminder
    /// The titles of columns by what they hold, one of ``ThingField``.
    public var columns: [ThingField: String] = [:]

    public init(
        today: CivilDay, zone: TimeZoneRules, zoneNamed: @escaping @Sendable (String) -> TimeZoneRules? = { _ in nil }
    ) {
        (self.today, self.zone, self.zoneNamed) = (today, zone, zoneNamed)
    }
}

/// What a column of a table may hold.
public enum ThingField: String, CaseIterable, Sendable {
    case kind, title, note, category, alerts, notice, every, from, until, tags, favourite
    case dueOn = "due_on"
    case dueTime = "due_time"
    case boughtOn = "bought_on"
    case orderNumber = "order_number"

    /// Parses `title=제목,due_on=기한`.
    ///
    /// - Throws: ``InvalidColumnMap``.
    public static func columns(_ text: String) throws -> [ThingField: String] {
        let pairs = try ColumnMap.pairs(text, fields: allCases.map(\.rawValue))
        return Dictionary(
            uniqueKeysWithValues: pairs.compactMap { pair in ThingField(rawValue: pair.field).map { ($0, pair.title) } }
        )
    }

    /// What a title means, in any case and with any separators; nil for others.
    static func meaning(of title: String) -> ThingField? {
        let key = title.lowercased().filter { $0.isLetter || $0.isNumber }
        return names[key] ?? allCases.first { $0.rawValue.filter { $0 != "_" } == key }
    }

    private static let names: [String: ThingField] = [
        "종류": .kind, "name": .title, "task": .title, "item": .title, "product": .title, "제목": .title, "이름": .title,
        "due": .dueOn, "duedate": .dueOn, "bestbefore": .dueOn, "bestbeforedate": .dueOn, "expires": .dueOn,
        "expirydate": .dueOn, "기한": .dueOn, "유통기한": .dueOn, "소비기한": .dueOn, "마감일": .dueOn, "time": .dueTime,
        "시각": .dueTime, "notes": .note, "description": .note, "메모": .note, "분류": .category, "bought": .boughtOn,
        "purchased": .boughtOn, "purchaseddate": .boughtOn, "산날": .boughtOn, "구입일": .boughtOn, "order": .orderNumber,
        "주문번호": .orderNumber, "labels": .tags, "태그": .tags, "favorite": .favourite, "즐겨찾기": .favourite, "알림": .alerts,
    ]
}

/// The texts of a thing, not validated yet.
struct ThingTexts {
    var texts: [ThingField: String] = [:]

    subscript(_ field: ThingField) -> String? {
        get { texts[field].flatMap { $0.isEmpty ? nil : $0 } }
        set { texts[field] = newValue }
    }

    private static let kinds: [String: Thing.Kind] = [
        "찾아올 것": .pickup, "반품할 것": .giveBack, "반품": .giveBack, "할 일": .reminder, "식품": .food, "음식": .food,
    ]

    /// - Throws: ``ThingRefusal``.
    func record(_ options: ThingFileOptions) throws(ThingRefusal) -> ThingRecord {
        do {
            return try validated(options)
        } catch let error as ThingError {
            throw ThingRefusal(error)
        } catch let error as CareError {
            throw ThingRefusal(error)
        } catch let refusal as ThingRefusal {
            throw refusal
        } catch {
            throw .unreadable("the thing cannot be read: write it anew")
        }
    }

    private func validated(_ options: ThingFileOptions) throws -> ThingRecord {
        var draft = ThingDraft(kind: try kind(options), title: try ThingTitle(self[.title] ?? ""))
        // A day may come with its time, as programs write both.
        let due = (self[.dueOn] ?? "").split(maxSplits: 1) { $0 == "T" || $0 == " " }.map(String.init)
        guard let text = due.first else {
            throw ThingRefusal.refused(code: "due_unknown", "there is no due day: write one like 2027-03-05")
        }
        draft.dueOn = try Self.day(text)
        if let time = self[.dueTime] ?? (due.count > 1 ? String(due[1].prefix(5)) : nil) {
            draft.dueTime = try TimeOfDay(alarm: time)
        }
        draft.note = try self[.note].flatMap { text throws(ThingError) in try ThingNote(text) }
        draft.category = try self[.category].map { text throws(ThingError) in try FoodCategory(text) }
        draft.orderNumber = try self[.orderNumber].map { text throws(ThingError) in try OrderNumber(text) }
        draft.boughtOn = try self[.boughtOn].map { try Self.day($0) }
        draft.alerts = try alerts()
        if let notice = self[.notice] {
            guard let repetition = AlertRepetition(rawValue: notice) else {
                throw ThingRefusal.unreadable(
                    "\"\(notice.prefix(20))\" is no notice: write once, hourly, daily or weekly")
            }
            draft.repetition = repetition
        }
        draft.recurrence = try recurrence()
        draft.isFavourite = ["true", "yes", "y", "1", "예", "o"].contains(self[.favourite]?.lowercased())
        var record = ThingRecord(draft)
        record.tags = try tags()
        return record
    }

    private func kind(_ options: ThingFileOptions) throws(ThingRefusal) -> Thing.Kind {
        guard let text = self[.kind] else { return options.kind }
        guard let kind = Thing.Kind(rawValue: text.lowercased()) ?? Self.kinds[text] else {
            throw .unreadable("\"\(text.prefix(20))\" is no kind: write pickup, return, reminder or food")
        }
        return kind
    }

    private static func day(_ text: String) throws(ThingRefusal) -> CivilDay {
        let text = text.replacing("/", with: "-").replacing(".", with: "-")
        guard let day = CivilDay(text) else {
            throw .refused(code: "unreadable_day", "\"\(text.prefix(20))\" is no day: write one like 2027-03-05")
        }
        return day
    }

    private func alerts() throws(ThingError) -> [ThingAlert]? {
        guard let text = self[.alerts] else { return nil }
        if text == "none" { return [] }
        var alerts: [ThingAlert] = []
        for part in text.split(whereSeparator: { $0 == " " || $0 == "," || $0 == ";" }) {
            alerts.append(try ThingAlert(part))
        }
        return alerts
    }

    private func recurrence() throws -> Recurrence? {
        guard let every = self[.every] else { return nil }
        return try Recurrence(
            every: every, from: self[.from].flatMap { Recurrence.Base(rawValue: $0) } ?? .due,
            until: try self[.until].map { try Self.day($0) })
    }

    private func tags() throws(CareError) -> [TagName] {
        var tags: [TagName] = []
        for text in (self[.tags] ?? "").split(whereSeparator: { $0 == "," || $0 == ";" }) {
            let tag = try TagName(String(text))
            if !tags.contains(tag) { tags.append(tag) }
        }
        guard tags.count <= Tag.maximumPerFriend else { throw .tooManyTags(limit: Tag.maximumPerFriend) }
        return tags
    }
}

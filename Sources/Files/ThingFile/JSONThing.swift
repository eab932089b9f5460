import AddressBook
import CherishCore
import DocumentEncoding
import Foundation

/// Things in JSON: with the names of our own documents, or Grocy's stock and products.
enum JSONThing {
    /// Whether a line is a JSON object by itself, so that the file is JSON Lines.
    static func isWhole(_ line: PhysicalLine) -> Bool {
        guard let object = try? JSONDecoder().decode(JSONValue.self, from: Data(line.bytes)) else { return false }
        return object["things"] == nil
    }

    /// The thing of one line; nil for a blank one.
    static func row(in line: PhysicalLine, _ options: ThingFileOptions) -> ThingFileReader.Row? {
        if line.bytes.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) { return nil }
        guard let object = try? JSONDecoder().decode(JSONValue.self, from: Data(line.bytes)) else {
            return (line.number, .failure(unreadable))
        }
        return (line.number, record(object, options))
    }

    /// The things of a document: a list, or our own list of things.
    ///
    /// - Throws: ``UnreadableFile``.
    static func rows(of document: [UInt8], _ options: ThingFileOptions) throws -> [ThingFileReader.Row] {
        let value = try? JSONDecoder().decode(JSONValue.self, from: Data(document))
        guard case .array(let items)? = value?["things"] ?? value else {
            throw UnreadableFile(reason: "the file is no list in JSON: write things as [{\"title\": …, \"dueOn\": …}]")
        }
        return items.enumerated().map { ($0 + 1, record($1, options)) }
    }

    private static let unreadable = ThingRefusal.unreadable(
        "the line is no JSON object: write each thing in one line, like {\"title\": \"Milk\", \"dueOn\": \"2027-03-05\"}"
    )

    private static func record(_ object: JSONValue, _ options: ThingFileOptions) -> Result<ThingRecord, ThingRefusal> {
        guard case .object(let fields) = object else { return .failure(unreadable) }
        return Result { () throws(ThingRefusal) in
            if fields["best_before_date"] != nil { return try grocyStock(object, options) }
            if fields["default_best_before_days"] != nil { return try grocyProduct(object, options) }
            if case .string? = object["completedAt"] { throw ThingRefusal.skipped("it is done") }
            return try texts(object).record(options)
        }
    }

    private static let names: [(String, ThingField)] = [
        ("kind", .kind), ("title", .title), ("dueOn", .dueOn), ("dueTime", .dueTime), ("note", .note),
        ("category", .category), ("boughtOn", .boughtOn), ("orderNumber", .orderNumber), ("notice", .notice),
    ]

    private static func texts(_ object: JSONValue) -> ThingTexts {
        var texts = ThingTexts()
        for (name, field) in names { texts[field] = text(object[name]) }
        texts[.favourite] = object["favourite"] == .boolean(true) ? "true" : nil
        if case .array(let tags)? = object["tags"] { texts[.tags] = tags.compactMap(text).joined(separator: ",") }
        if let recurrence = object["recurrence"], recurrence != .null {
            texts[.every] = "\(text(recurrence["every"]) ?? "") \(text(recurrence["unit"]) ?? "")"
            texts[.from] = text(recurrence["from"])
            texts[.until] = text(recurrence["until"])
        } else {
            texts[.every] = text(object["every"])
        }
        if case .array(let alerts)? = object["alerts"], object["alertsChosen"] != .boolean(false) {
            texts[.alerts] = alerts.isEmpty ? "none" : alerts.map(alert).joined(separator: " ")
        }
        return texts
    }

    private static func alert(_ value: JSONValue) -> String {
        if let minutes = text(value["minutesBefore"]) { return "\(minutes)m" }
        guard let days = text(value["daysBefore"]) else { return text(value) ?? "?" }
        return "\(days)d" + (text(value["time"]).map { "@\($0)" } ?? "")
    }

    private static func text(_ value: JSONValue?) -> String? {
        switch value {
        case .string(let text)?: text
        case .integer(let number)?: String(number)
        case .number(let number)?: String(number)
        default: nil
        }
    }

    // MARK: Grocy

    /// A row of Grocy's `/api/stock`. Grocy writes numbers as text in some versions.
    private static func grocyStock(
        _ object: JSONValue, _ options: ThingFileOptions
    ) throws(ThingRefusal) -> ThingRecord {
        guard let day = text(object["best_before_date"]) else {
            throw .unreadable("the row has no best-before date: import what Grocy answers to /api/stock")
        }
        guard let name = text(object["product"]?["name"]) ?? text(object["product_name"]) else {
            throw .unreadable("the row names no product: import what Grocy answers to /api/stock")
        }
        if day.hasPrefix("2999") { throw .skipped("it never expires") }
        var texts = ThingTexts()
        texts[.kind] = Thing.Kind.food.rawValue
        texts[.title] = name
        texts[.dueOn] = day
        texts[.boughtOn] = text(object["purchased_date"])
        texts[.note] = text(object["amount"]).flatMap { $0 == "1" ? nil : "× \($0)" }
        return try texts.record(options)
    }

    /// A row of Grocy's `/api/objects/products`. It says how many days the product keeps, counted here from today, as if
    /// it had been bought today.
    private static func grocyProduct(
        _ object: JSONValue, _ options: ThingFileOptions
    ) throws(ThingRefusal) -> ThingRecord {
        guard let name = text(object["name"]) else {
            throw .unreadable("the row names no product: import what Grocy answers to /api/objects/products")
        }
        if text(object["active"]) == "0" { throw .skipped("Grocy does not use it any more") }
        guard let days = text(object["default_best_before_days"]).flatMap({ Int($0) }), days != 0 else {
            throw .unreadable(
                "Grocy does not know how long it keeps: set its default best-before days there, or import /api/stock")
        }
        // -1 in Grocy.
        if days < 0 { throw .skipped("it never expires") }
        guard days <= Thing.dueDays.upperBound - options.today else { throw .unreadable("it keeps beyond 2099") }
        var texts = ThingTexts()
        texts[.kind] = Thing.Kind.food.rawValue
        texts[.title] = name
        texts[.dueOn] = (options.today + days).description
        texts[.note] = text(object["description"])
        var record = try texts.record(options)
        record.isDueRelative = true
        record.warnings.append("Grocy says that it keeps for \(days) days; counted from today")
        return record
    }
}

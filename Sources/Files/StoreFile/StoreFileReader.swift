import AddressBook
import CherishCore
import Foundation

/// Reads an operator's catalogue of stores (rule 10.9): a table with a row for each place, or JSON Lines with an object
/// for each store. The content tells which.
public struct StoreFileReader {
    /// A record that cannot be read.
    public struct Problem: Error, Sendable, Equatable {
        /// Counted from 1.
        public let line: Int
        /// A sentence that says what is wrong and what to write.
        public let reason: String
    }

    private enum Format {
        case table(TableReader, StoreTable?)
        case jsonLines
    }

    private var lines: LineReader
    private var format: Format
    private var line: PhysicalLine?

    /// - Throws: ``UnreadableFile`` if the source cannot be read or is empty; any error of the source.
    public init(_ source: ByteSource) throws {
        var lines = try LineReader(source)
        guard let first = try lines.nextNonBlankLine() else {
            throw UnreadableFile(reason: "\(source.name) is empty: name a file with stores")
        }
        self.lines = lines
        line = first
        format = JSONContactParser.begins(with: first) ? .jsonLines : .table(TableReader(headerLine: first), nil)
    }

    /// How much of the file has been read, 0–1; nil if the size is unknown, as for a pipe.
    public var fractionRead: Double? { lines.fractionRead }

    /// Returns the next record and its line, or why it is unreadable; nil at the end.
    ///
    /// - Throws: ``UnreadableFile`` if the file as a whole cannot be read.
    public mutating func next() throws -> (line: Int, record: Result<StoreRecord, Problem>)? {
        while let current = line {
            let read = try take(current)
            line = try lines.nextLine()
            if let read { return read }
        }
        guard case .table(let table, _) = format, let open = try table.finish() else { return nil }
        format = .jsonLines
        return (open.line, .failure(Problem(line: open.line, reason: open.reason)))
    }

    private mutating func take(_ line: PhysicalLine) throws -> (Int, Result<StoreRecord, Problem>)? {
        switch format {
        case .jsonLines:
            return JSONStore.record(in: line).map { (line.number, $0) }
        case .table(var table, let known):
            let row = try table.take(line)
            let columns = try known ?? table.titles.map(StoreTable.init)
            format = .table(table, columns)
            guard let row, let columns else { return nil }
            switch row {
            case .failure(let problem):
                return (problem.line, .failure(Problem(line: problem.line, reason: problem.reason)))
            case .success(let row): return (row.line, columns.record(row))
            }
        }
    }
}

/// The texts of a record, not validated yet.
struct StoreFields {
    struct PlaceFields {
        var address = ""
        var latitude, longitude: Double?
    }

    var id, name, country, policy: String?
    var returnDays, pickupDays: Int?
    var places: [PlaceFields]?

    /// - Throws: a sentence that says what is wrong and what to write.
    func record() throws(Refusal) -> StoreRecord {
        guard let name = StoreName(name ?? "") else {
            throw Refusal("the store has no name, or one that is too long: write 1 to 100 characters")
        }
        guard let country = Country(country ?? "") else {
            throw Refusal("the country is missing or unknown: write two letters like KR")
        }
        var record = StoreRecord(name: name, country: country)
        if let id {
            guard let uuid = UUID(uuidString: id) else {
                throw Refusal("the id is no UUID: write the one that 'cherish store list' shows, or leave it out")
            }
            record.id = Store.ID(uuid)
        }
        if let policy {
            guard let url = PolicyURL(policy) else {
                throw Refusal(
                    "the address of the return policy is none of a page: write one that begins with https://, or nothing"
                )
            }
            record.returnPolicyURL = url
        }
        record.returnDays = try days(returnDays, of: "returning")
        record.pickupDays = try days(pickupDays, of: "picking up")
        record.places = try places?.map { place throws(Refusal) in try self.place(place) }
        return record
    }

    private func days(_ days: Int?, of what: String) throws(Refusal) -> Int? {
        guard let days else { return nil }
        guard Store.policyDays.contains(days) else {
            throw Refusal(
                "the days for \(what) are out of range: write 0 to \(Store.policyDays.upperBound), or nothing")
        }
        return days
    }

    private func place(_ fields: PlaceFields) throws(Refusal) -> (address: PlaceAddress, position: Position) {
        guard let address = PlaceAddress(fields.address) else {
            throw Refusal(
                "a place has no address, or one that is too long: write 1 to \(PlaceAddress.longest) characters")
        }
        guard let latitude = fields.latitude, let longitude = fields.longitude,
            let position = Position(latitude: latitude, longitude: longitude)
        else {
            throw Refusal(
                "a place has no position on the earth: write degrees like 37.5665 for the latitude, 126.978 for the longitude"
            )
        }
        return (address, position)
    }

    struct Refusal: Error {
        let reason: String

        init(_ reason: String) {
            self.reason = reason
        }
    }
}

/// The columns of a table of stores.
struct StoreTable {
    private enum Column: String, CaseIterable {
        case id, name, country
        case policy = "return_policy_url"
        case returnDays = "return_days"
        case pickupDays = "pickup_days"
        case address, latitude, longitude
    }

    private let columns: [Column: Int]

    /// - Throws: ``UnreadableFile`` if a column is missing, unknown or there twice.
    init(titles: [String]) throws {
        var columns: [Column: Int] = [:]
        for (index, title) in titles.enumerated() where !title.isEmpty {
            let key = title.lowercased().filter { $0 != "_" && $0 != " " }
            guard let column = Column.allCases.first(where: { $0.rawValue.filter { $0 != "_" } == key }) else {
                throw Self.problem("the title \"\(title.prefix(40))\" is unknown")
            }
            guard columns.updateValue(index, forKey: column) == nil else {
                throw Self.problem("the title \"\(title.prefix(40))\" is there twice")
            }
        }
        guard columns[.name] != nil, columns[.country] != nil else {
            throw Self.problem("there is no column for the name or for the country")
        }
        let ofPlaces = [Column.address, .latitude, .longitude].filter { columns[$0] != nil }
        guard ofPlaces.isEmpty || ofPlaces.count == 3 else {
            throw Self.problem("places need an address, a latitude and a longitude")
        }
        self.columns = columns
    }

    private static func problem(_ reason: String) -> UnreadableFile {
        UnreadableFile(
            reason: "\(reason): the titles are \(Column.allCases.map(\.rawValue).joined(separator: ", "))")
    }

    func record(_ row: TableRow) -> Result<StoreRecord, StoreFileReader.Problem> {
        func text(_ column: Column) -> String? {
            columns[column].map { row.cells[$0] }.flatMap { $0.isEmpty ? nil : $0 }
        }
        func number<Number: LosslessStringConvertible>(_ column: Column) throws(StoreFields.Refusal) -> Number? {
            guard let text = text(column) else { return nil }
            guard let number = Number(text) else {
                throw StoreFields.Refusal("\(column.rawValue) is no number: write one like 30, or nothing")
            }
            return number
        }
        do throws(StoreFields.Refusal) {
            var fields = StoreFields()
            fields.id = text(.id)
            fields.name = text(.name)
            fields.country = text(.country)
            fields.policy = text(.policy)
            fields.returnDays = try number(.returnDays)
            fields.pickupDays = try number(.pickupDays)
            if columns[.address] != nil {
                let (latitude, longitude): (Double?, Double?) = (try number(.latitude), try number(.longitude))
                let isThere = text(.address) != nil || latitude != nil || longitude != nil
                fields.places =
                    isThere
                    ? [.init(address: text(.address) ?? "", latitude: latitude, longitude: longitude)] : []
            }
            return .success(try fields.record())
        } catch {
            return .failure(StoreFileReader.Problem(line: row.line, reason: error.reason))
        }
    }
}

/// A store in one line of JSON, with the names of the API's document.
private struct JSONStore: Decodable {
    struct Place: Decodable {
        let address: String
        let latitude, longitude: Double
    }

    let id: String?
    let name, country: String
    let returnPolicyUrl: String?
    let returnDays, pickupDays: Int?
    let places: [Place]?

    /// nil for a blank line.
    static func record(in line: PhysicalLine) -> Result<StoreRecord, StoreFileReader.Problem>? {
        if line.bytes.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) { return nil }
        do {
            return .success(try JSONDecoder().decode(JSONStore.self, from: Data(line.bytes)).fields.record())
        } catch {
            return .failure(StoreFileReader.Problem(line: line.number, reason: reason(error)))
        }
    }

    private var fields: StoreFields {
        var fields = StoreFields()
        (fields.id, fields.name, fields.country, fields.policy) = (id, name, country, returnPolicyUrl)
        (fields.returnDays, fields.pickupDays) = (returnDays, pickupDays)
        fields.places = places?.map { .init(address: $0.address, latitude: $0.latitude, longitude: $0.longitude) }
        return fields
    }

    private static func reason(_ error: any Error) -> String {
        let example = """
            {"name": "Store", "country": "KR", "returnDays": 30, \
            "places": [{"address": "1 Street", "latitude": 37.5665, "longitude": 126.978}]}
            """
        switch error {
        case let refusal as StoreFields.Refusal: return refusal.reason
        case DecodingError.keyNotFound(let key, _): return "\(key.stringValue) is missing: write a line like \(example)"
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
            let path = context.codingPath.map { $0.intValue.map { "\($0 + 1)" } ?? $0.stringValue }
            return "\(path.joined(separator: " ")) has another form: write a line like \(example)"
        default: return "the line is no JSON object: write each store in one line, like \(example)"
        }
    }
}

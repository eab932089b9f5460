import CherishCore
import Foundation
import Postgres

// Operators name plants, imports and devices by id alone. Each lookup finds the account; all else uses its garden.

extension CareStore {
    /// Returns the plant of any account whose id begins with `prefix`, at least 8 hexadecimal digits.
    ///
    /// - Throws: ``CareError/notFound(_:)``, ``CareError/ambiguousID(_:)``.
    public func plant(_ prefix: String) async throws -> Plant {
        let rows = try await find(PlantRow.columns, in: "plant", prefix, orElse: .plant)
        return try PlantRow.decode(rows)
    }

    /// Returns the import whose id begins with `prefix`, at least 8 hexadecimal digits, and the account it belongs to.
    ///
    /// - Throws: ``CareError/notFound(_:)``, ``CareError/ambiguousID(_:)``.
    public func importBatch(_ prefix: String) async throws -> (id: ImportBatch.ID, accountID: Account.ID) {
        let row = try await find("id, account_id", in: "import_batch", prefix, orElse: .importBatch)
        return (try row.decode(0), try row.decode(1))
    }

    /// Returns the account of the pause whose id begins with `prefix`, at least 8 hexadecimal digits.
    ///
    /// - Throws: ``CareError/notFound(_:)``, ``CareError/ambiguousID(_:)``.
    public func owner(ofPause prefix: String) async throws -> Account.ID {
        try await find("account_id", in: "pause", prefix, orElse: .pause).decode(0)
    }

    /// Returns the account that has a device.
    ///
    /// - Throws: ``CareError/notFound(_:)``.
    public func owner(of device: Device.ID) async throws -> Account.ID {
        let found = try await pool.withConnection { connection in
            try await connection.query("SELECT account_id FROM device WHERE id = $1", [device])
        }
        guard let row = found.first else { throw CareError.notFound(.device) }
        return try row.decode(0)
    }

    func find(_ columns: SQL, in table: SQL, _ prefix: String, orElse thing: CareError.Subject)
        async throws
        -> Row
    {
        guard let range = UUID.range(beginningWith: prefix) else { throw CareError.notFound(thing) }
        let rows = try await pool.withConnection { connection in
            // Naming all lanes lets the query use the primary key.
            try await connection.query(
                "SELECT \(columns) FROM \(table) WHERE lane = ANY ($1) AND id BETWEEN $2 AND $3 LIMIT 2",
                [Lane.all, range.lowerBound, range.upperBound])
        }
        return try rows.only(beginningWith: prefix, orElse: thing)
    }
}

extension Rows {
    /// Returns the single row that an id prefix matched.
    ///
    /// - Throws: ``CareError/notFound(_:)``, ``CareError/ambiguousID(_:)``.
    func only(beginningWith prefix: String, orElse thing: CareError.Subject) throws(CareError) -> Row {
        if count > 1 { throw .ambiguousID(prefix) }
        guard let row = first else { throw .notFound(thing) }
        return row
    }
}

extension UUID {
    /// Returns the range of ids that begin with 8 to 32 hexadecimal digits; nil for any other prefix.
    static func range(beginningWith prefix: String) -> (lowerBound: UUID, upperBound: UUID)? {
        let digits = prefix.lowercased().filter { $0 != "-" }
        guard (8...32).contains(digits.count), digits.allSatisfy(\.isHexDigit),
            let lowest = UUID(hexadecimal: digits, filledWith: "0"),
            let highest = UUID(hexadecimal: digits, filledWith: "f")
        else { return nil }
        return (lowest, highest)
    }

    /// Creates a UUID from leading digits, padded with one repeated digit.
    init?(hexadecimal digits: String, filledWith digit: Character) {
        let all = Array(digits + String(repeating: digit, count: max(0, 32 - digits.count)))
        let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(all[$0]) }
        self.init(uuidString: groups.joined(separator: "-"))
    }
}

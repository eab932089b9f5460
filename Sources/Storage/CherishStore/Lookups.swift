import CherishCore
import Foundation
import Postgres

// Operators name plants, imports and devices by their ids alone. Each lookup finds the account, and everything
// else goes through its garden.

extension CareStore {
    /// The plant of any account whose id begins with `prefix`, at least 8 hexadecimal digits.
    ///
    /// - Throws: ``CareError/notFound(_:)``, ``CareError/ambiguousID(_:)``.
    public func plant(_ prefix: String) async throws -> Plant {
        let rows = try await find(PlantRow.columns, in: "plant", prefix, orElse: .plant)
        return try PlantRow.decode(rows)
    }

    /// The import of any account whose id begins with `prefix`, at least 8 hexadecimal digits, and that account.
    ///
    /// - Throws: ``CareError/notFound(_:)``, ``CareError/ambiguousID(_:)``.
    public func importBatch(_ prefix: String) async throws -> (id: ImportBatch.ID, accountID: Account.ID) {
        let row = try await find("id, account_id", in: "import_batch", prefix, orElse: .importBatch)
        return (try row.decode(0), try row.decode(1))
    }

    /// The account that has a device.
    ///
    /// - Throws: ``CareError/notFound(_:)``.
    public func owner(of device: Device.ID) async throws -> Account.ID {
        let found = try await pool.withConnection { connection in
            try await connection.query("SELECT account_id FROM device WHERE id = $1", [device])
        }
        guard let row = found.first else { throw CareError.notFound(.device) }
        return try row.decode(0)
    }

    private func find(_ columns: SQL, in table: SQL, _ prefix: String, orElse thing: CareError.Subject)
        async throws
        -> Row
    {
        guard let range = UUID.range(beginningWith: prefix) else { throw CareError.notFound(thing) }
        let rows = try await pool.withConnection { connection in
            // Naming the lanes lets the search use the primary key.
            try await connection.query(
                "SELECT \(columns) FROM \(table) WHERE lane = ANY ($1) AND id BETWEEN $2 AND $3 LIMIT 2",
                [Lane.all, range.lowerBound, range.upperBound])
        }
        return try rows.only(beginningWith: prefix, orElse: thing)
    }
}

extension Rows {
    /// The one row that a prefix of an id found.
    ///
    /// - Throws: ``CareError/notFound(_:)``, ``CareError/ambiguousID(_:)``.
    func only(beginningWith prefix: String, orElse thing: CareError.Subject) throws(CareError) -> Row {
        if count > 1 { throw .ambiguousID(prefix) }
        guard let row = first else { throw .notFound(thing) }
        return row
    }
}

extension UUID {
    /// The ids that begin with 8 to 32 hexadecimal digits; nil for anything else.
    static func range(beginningWith prefix: String) -> (lowerBound: UUID, upperBound: UUID)? {
        let digits = prefix.lowercased().filter { $0 != "-" }
        guard (8...32).contains(digits.count), digits.allSatisfy(\.isHexDigit),
            let lowest = UUID(hexadecimal: digits, filledWith: "0"),
            let highest = UUID(hexadecimal: digits, filledWith: "f")
        else { return nil }
        return (lowest, highest)
    }

    /// A UUID that begins with the given digits and repeats one digit for the rest.
    init?(hexadecimal digits: String, filledWith digit: Character) {
        let all = Array(digits + String(repeating: digit, count: max(0, 32 - digits.count)))
        let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(all[$0]) }
        self.init(uuidString: groups.joined(separator: "-"))
    }
}

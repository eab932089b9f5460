import CherishCore
import Postgres

/// The centre of a postcode, as an import found it.
public struct PostcodeCentre: Sendable {
    public let country: Country
    /// The code in capitals, without blanks and hyphens.
    public let key: String
    public let position: Position

    public init(country: Country, key: String, position: Position) {
        (self.country, self.key, self.position) = (country, key, position)
    }
}

/// What an import of postcodes changed.
public struct PostcodeImportCounts: Hashable, Sendable {
    public let countries: Int
    /// How many codes those countries had before, and have now.
    public let before, after: Int
}

extension CareStore {
    /// Replaces the postcodes of all countries that the import names, in one transaction (rule 11.8).
    ///
    /// - Parameter centres: each code of a country once.
    public func importPostcodes(_ centres: [PostcodeCentre], isDryRun: Bool = false) async throws
        -> PostcodeImportCounts
    {
        struct DryRun: Error { let counts: PostcodeImportCounts }
        let countries = Set(centres.lazy.map(\.country.description)).sorted()
        do {
            return try await pool.withTransaction { connection in
                let rows = try await connection.query(
                    "SELECT count(*) FROM postcode WHERE country = ANY ($1)", [countries])
                var before = rows.first?.reader
                let countBefore = try before?.nextCount() ?? 0
                try await connection.execute("DELETE FROM postcode WHERE country = ANY ($1)", [countries])
                let count = try await connection.copyIn(
                    "COPY postcode (country, key, latitude, longitude) FROM STDIN (FORMAT binary)"
                ) { rows in
                    for centre in centres {
                        try rows.append(
                            centre.country.description, centre.key, centre.position.latitude, centre.position.longitude)
                    }
                }
                let counts = PostcodeImportCounts(countries: countries.count, before: countBefore, after: count)
                if isDryRun { throw DryRun(counts: counts) }
                return counts
            }
        } catch let dryRun as DryRun {
            return dryRun.counts
        }
    }
}

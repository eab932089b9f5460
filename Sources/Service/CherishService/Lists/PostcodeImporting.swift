import AddressBook
import CherishCore
import CherishStore
import StoreFile

/// Everything that an import of postcodes did or would do.
public struct PostcodeImportReport: Sendable {
    public let counts: PostcodeImportCounts
    /// The lines of the file that were left out, at most ``CareService/mostRefusedPostcodes``.
    public let refused: [PostcodeFileReader.Problem]
    public let refusedCount: Int
    public let isDryRun: Bool

    public var document: PostcodeImportDocument { PostcodeImportDocument(self) }
}

extension CareService {
    /// How many refused lines a report names.
    public static let mostRefusedPostcodes = 100

    /// Replaces the postcodes of all countries that a file names (rule 11.8). Several lines of one code are one postcode, in
    /// the middle of them.
    ///
    /// - Parameter progress: called periodically with the number of lines read and the fraction of the source that has been
    ///   read, 0–1; nil if unknown.
    /// - Throws: ``UnreadableFile``, and errors of the source. Then nothing was done.
    public func importPostcodes(
        from source: ByteSource, isDryRun: Bool = false, progress: (Int, Double?) -> Void = { _, _ in }
    ) async throws -> PostcodeImportReport {
        var file = try PostcodeFileReader(source)
        var refused: [PostcodeFileReader.Problem] = []
        var (refusedCount, count) = (0, 0)
        while let problem = try file.readNext() {
            if count.isMultiple(of: 10_000) { progress(count, file.fractionRead) }
            count += 1
            guard case .failure(let problem) = problem else { continue }
            refusedCount += 1
            if refused.count < CareService.mostRefusedPostcodes { refused.append(problem) }
        }
        let counts = try await engine.store.importPostcodes(file.centres, isDryRun: isDryRun)
        return PostcodeImportReport(
            counts: counts, refused: refused, refusedCount: refusedCount, isDryRun: isDryRun)
    }
}

extension PostcodeFileReader {
    /// The postcodes that were read, sorted by code, as the database keeps them.
    fileprivate var centres: [PostcodeCentre] {
        codes.compactMap { code, centre in
            guard let country = Country(String(code.prefix(2))) else { return nil }
            return PostcodeCentre(country: country, key: String(code.dropFirst(2)), position: centre)
        }.sorted { ($0.key, $0.country.description) < ($1.key, $1.country.description) }
    }
}

/// What an import of postcodes did or would do.
public struct PostcodeImportDocument: Codable, Sendable {
    struct Row: Codable, Sendable {
        let line: Int
        let problem: String
    }

    let dryRun: Bool
    let countries, postcodesBefore, postcodesAfter, refusedCount: Int
    /// The first of them.
    let refused: [Row]

    init(_ report: PostcodeImportReport) {
        dryRun = report.isDryRun
        countries = report.counts.countries
        (postcodesBefore, postcodesAfter) = (report.counts.before, report.counts.after)
        refusedCount = report.refusedCount
        refused = report.refused.map { Row(line: $0.line, problem: $0.reason) }
    }
}

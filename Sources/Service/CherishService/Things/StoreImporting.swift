import AddressBook
import CherishCore
import CherishStore
import StoreFile

/// Everything that an import of stores did or would do.
public struct StoreImportReport: Sendable {
    /// A record that was left out.
    public struct Refused: Sendable {
        /// The line of the file on which it begins.
        public let line: Int
        /// A sentence that says what is wrong and what to do.
        public let reason: String
    }

    public let counts: StoreImportCounts
    public let refused: [Refused]
    public let isDryRun: Bool

    public var document: StoreImportDocument { StoreImportDocument(self) }
}

extension CareService {
    /// Imports a catalogue of stores (rule 10.9). Refuses records individually and reports each.
    ///
    /// - Parameter progress: called periodically with the number of records read and the fraction of the source that has
    ///   been read, 0–1; nil if unknown.
    /// - Throws: ``UnreadableFile`` if the file cannot be read at all; errors of the source. Then nothing was done.
    public func importStores(
        from source: ByteSource, isDryRun: Bool = false, progress: (Int, Double?) -> Void = { _, _ in }
    ) async throws -> StoreImportReport {
        var file = try StoreFileReader(source)
        var refused: [StoreImportReport.Refused] = []
        let counts = try await engine.store.importStores(isDryRun: isDryRun) { importing in
            var count = 0
            while let (line, record) = try file.next() {
                if count.isMultiple(of: 1000) { progress(count, file.fractionRead) }
                count += 1
                do {
                    try await importing.take(try record.get())
                } catch let problem as StoreFileReader.Problem {
                    refused.append(StoreImportReport.Refused(line: line, reason: problem.reason))
                } catch let refusal as StoreRefusal {
                    refused.append(StoreImportReport.Refused(line: line, reason: refusal.sentence))
                }
            }
        }
        return StoreImportReport(counts: counts, refused: refused, isDryRun: isDryRun)
    }
}

extension StoreRefusal {
    fileprivate var sentence: String {
        switch self {
        case .contradiction:
            "an earlier line says something else of this store: say the same, or leave all but name and country empty"
        case .nameTaken: "another store of this country has the name: give it another, or leave the id out"
        case .positionTaken(let address):
            "another place of this store is where \"\(address)\" is: name each position once"
        }
    }
}

/// What an import of stores did or would do.
public struct StoreImportDocument: Codable, Sendable {
    struct Counts: Codable, Sendable {
        let new, corrected, unchanged, removed: Int

        init(_ kind: StoreImportCounts.Kind) {
            (new, corrected, unchanged, removed) = (kind.new, kind.corrected, kind.unchanged, kind.removed)
        }
    }

    struct Row: Codable, Sendable {
        let line: Int
        let problem: String
    }

    let dryRun: Bool
    let stores, places: Counts
    let refused: [Row]

    init(_ report: StoreImportReport) {
        dryRun = report.isDryRun
        stores = Counts(report.counts.stores)
        places = Counts(report.counts.places)
        refused = report.refused.map { Row(line: $0.line, problem: $0.reason) }
    }
}

import CherishCore
import Foundation
import Testing

@testable import GardenArchive

/// The bytes of one of the files in `fixtures/archives`.
func fixture(_ name: String) throws -> [UInt8] {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("fixtures/archives/\(name)")
    return Array(try Data(contentsOf: file))
}

/// The account of `fixtures/archives/account.json`.
func minji() throws -> AccountExport {
    let entry = try ExportDocument.decode(try fixture("account.json"))
    guard case .archive(let export) = entry else { throw Unexpected(what: "the fixture holds no export") }
    return export
}

/// 2 March 2027, when the fixtures were written.
func today() throws -> CivilDay {
    try #require(CivilDay("2027-03-02"))
}

/// 09:30 in Seoul on that day.
func now() throws -> Instant {
    try #require(Instant("2027-03-02T00:30:00Z"))
}

/// Bytes as text, which shows differences better.
func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self)
}

/// The problem for which a document is refused.
func problem(in document: String) throws -> ExportProblem {
    do {
        _ = try ExportDocument.decode(Array(document.utf8))
    } catch let problem as ExportProblem {
        return problem
    }
    throw Unexpected(what: "the document was read")
}

struct Unexpected: Error {
    let what: String
}

extension ICalendarWriter {
    /// The calendar of some plants, written at once.
    static func write(
        _ plants: [PlantHistory], for account: Account, today: CivilDay, at now: Instant, horizonDays: Int = 365
    ) -> [UInt8] {
        var writer = ICalendarWriter(for: account, today: today, at: now, horizonDays: horizonDays)
        return writer.begin() + writer.add(plants) + writer.finish()
    }
}

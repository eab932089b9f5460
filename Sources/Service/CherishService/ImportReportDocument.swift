import CherishCore
import CherishStore

/// The report of an import: counts, and what became of each contact.
public struct ImportReportDocument: Codable, Sendable {
    /// A contact of the file, or a detail that was left out.
    public struct Row: Codable, Sendable {
        public let line: Int
        public let name, plantId, dueOn: Nullable<String>
        public let result: String
        public let code, message, remedy: Nullable<String>
    }

    public let dryRun: Bool
    public let importId: Nullable<String>
    public let planted, renamed, merged, restored, unchanged, skipped, refused, warnings: Int
    public let spread: Bool
    public let newTags: [String]
    public let rows: [Row]
    /// Tags beyond the account's limit; not part of the document.
    public private(set) var tagsLeftOut: [String] = []

    private enum CodingKeys: String, CodingKey {
        case dryRun, importId, planted, renamed, merged, restored, unchanged, skipped, refused, warnings, spread,
            newTags, rows
    }

    /// Creates the document from a report and the import's options.
    ///
    /// - Parameter remedy: words a remedy in terms of the program's own means.
    public init(_ report: ImportReport, of wanted: ContactImport, remedy: (Remedy) -> String) {
        dryRun = wanted.isDryRun
        importId = Nullable(report.result.batchID?.description)
        spread = report.result.isSpread
        newTags = report.result.newTags.map(\.name.description)
        tagsLeftOut = report.result.tagsLeftOut.map(\.description)
        let lines = report.rows.map(\.line)
        rows = report.rows.flatMap { Self.rows($0, lines: lines, isMerging: wanted.options.merging, remedy: remedy) }
        let results = report.rows.map { Self.result($0.result) }
        func count(_ result: String) -> Int { results.count { $0 == result } }
        planted = count("planted")
        renamed = count("renamed")
        merged = count("merged")
        restored = count("restored")
        unchanged = count("unchanged")
        skipped = count("skipped")
        refused = count("refused")
        warnings = report.rows.reduce(0) { $0 + $1.warnings.count }
    }

    /// The row of a contact, and one for each detail that was left out.
    private static func rows(
        _ contact: ImportedContact, lines: [Int], isMerging: Bool, remedy: (Remedy) -> String
    ) -> [Row] {
        let plant = plant(contact.result)
        func row(_ result: String, dueOn: CivilDay?, _ code: String?, _ why: String?, _ how: Remedy?) -> Row {
            Row(
                line: contact.line, name: Nullable(contact.card?.name), plantId: Nullable(plant?.id.description),
                dueOn: Nullable(dueOn?.description), result: result, code: Nullable(code), message: Nullable(why),
                remedy: Nullable(how.map(remedy)))
        }
        let first: Row
        switch contact.result {
        case .success(let outcome):
            let note = note(outcome, lines: lines, isMerging: isMerging)
            first = row(result(contact.result), dueOn: plant?.dueOn, nil, note?.why, note?.how)
        case .failure(let problem):
            first = row("refused", dueOn: nil, problem.code, problem.why, problem.how)
        }
        return [first] + contact.warnings.map { row("warning", dueOn: nil, $0.code, $0.why, $0.how) }
    }

    private static func result(_ result: Result<ImportOutcome, ImportedContact.Problem>) -> String {
        switch result {
        case .success(.planted): "planted"
        case .success(.updated(_, _, let isFilled)): isFilled ? "merged" : "renamed"
        case .success(.merged): "merged"
        case .success(.restored): "restored"
        case .success(.unchanged): "unchanged"
        case .success(.removedBefore), .success(.otherNumber), .success(.repeated): "skipped"
        case .failure: "refused"
        }
    }

    private static func plant(_ result: Result<ImportOutcome, ImportedContact.Problem>) -> Plant? {
        switch result {
        case .success(.planted(let plant)), .success(.updated(let plant, _, _)), .success(.restored(let plant)),
            .success(.unchanged(let plant)), .success(.removedBefore(let plant)), .success(.otherNumber(let plant)):
            plant
        case .success(.repeated), .success(.merged), .failure: nil
        }
    }

    private static func note(_ outcome: ImportOutcome, lines: [Int], isMerging: Bool) -> (why: String, how: Remedy?)? {
        switch outcome {
        case .planted, .restored, .unchanged: nil
        case .updated(_, let isRenamed, let isFilled):
            (
                isRenamed
                    ? isFilled ? "the name was corrected, and more was added" : "the name was corrected"
                    : "what was unknown was added", nil
            )
        case .removedBefore:
            ("this friend was removed", Remedy("import once more and bring removed friends back", .bringingBack))
        case .otherNumber(let plant):
            (
                "\(plant.name) is planted with another of these numbers",
                Remedy("import once more, merging, if the contact is the same person", .merging)
            )
        case .repeated(let earlier):
            (
                "the contact in line \(lines[earlier]) is the same person",
                isMerging ? nil : Remedy("import once more, merging, to put them together", .merging)
            )
        case .merged(let earlier): ("put together with the contact in line \(lines[earlier])", nil)
        }
    }
}

/// The report of a seed: counts, and the first problems.
public struct SeedDocument: Codable, Sendable {
    /// A line or detail that was refused or left out.
    public struct Problem: Codable, Sendable {
        public let line: Int
        public let name: Nullable<String>
        public let code, message, remedy: String
    }

    /// The maximum number of problems listed; a file may have a million.
    public static let mostProblems = 100

    public let accounts, knownAccounts, friends, knownFriends, tagsLeftOut, problemCount: Int
    public let problems: [Problem]

    /// Creates the document from the result and the first problems.
    ///
    /// - Parameter remedy: words a remedy in terms of the program's own means.
    public init(_ result: SeedResult, _ problems: [SeedProblem], remedy: (Remedy) -> String) {
        accounts = result.writtenAccounts
        knownAccounts = result.knownAccounts
        friends = result.friends.plantedCount
        knownFriends = result.friends.knownCount
        tagsLeftOut = result.friends.tagsLeftOutCount
        problemCount = result.problemCount
        self.problems = problems.prefix(Self.mostProblems).map {
            Problem(
                line: $0.line, name: Nullable($0.card?.name), code: $0.problem.code, message: $0.problem.why,
                remedy: remedy($0.problem.how))
        }
    }

    /// Whether nothing in the file could be read.
    public var isUnreadable: Bool {
        accounts + knownAccounts + friends + knownFriends == 0 && problemCount > 0 && problemCount == problems.count
            && problems.allSatisfy { $0.code.hasPrefix("unreadable_") }
    }
}

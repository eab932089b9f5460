import CherishCore

@testable import CherishStore
@testable import Postgres

/// Reads an input as a row from a hostile or damaged server, does everything with the value that the programs do, and
/// aborts on a violated invariant. Called by libFuzzer.
///
/// - Parameters:
///   - data: The input: a byte that chooses the type to read, then the fields of the row.
///   - count: Its length in bytes.
/// - Returns: 0, which libFuzzer requires.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzStoreRows(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 0 else { return 0 }
    let kind = RowKind.allCases[Int(data[0]) % RowKind.allCases.count]
    guard let rows = Rows.twice(Field.all(of: UnsafeRawBufferPointer(start: data + 1, count: count - 1))) else {
        return 0
    }
    do {
        try kind.read(rows)
    } catch let error where !isRefusal(error) {
        fatalError("a row is refused as what cannot be read or what no rule allows, and not by \(error)")
    } catch {
        // Most inputs end here.
    }
    return 0
}

/// Whether a row may be refused with this error.
private func isRefusal(_ error: any Error) -> Bool {
    switch error {
    case let error as PostgresError: error.code == .decoding
    case is UnreadableRow: true
    case let error as CareError: careErrors.contains(error.code)
    default: false
    }
}

/// The refusals of phones, cycles, birthdays and reviews.
private let careErrors: Set<String> = [
    "invalid_phone", "invalid_cycle", "invalid_birthday", "too_many_keywords", "keyword_empty", "keyword_too_long",
    "keyword_repeated", "memo_too_long", "review_empty",
]

/// The types to read a row as, in the order of the seeds in `scripts/fuzz`.
private enum RowKind: CaseIterable {
    case account, plant, watering, device, tag, importChange, push, postponement, dueDateChange, affection
    case delivery, job, position, health, candidateAccounts, devices, groupMembers, sentPushes, refused
    case report, partition
}

extension RowKind {
    func read(_ rows: Rows) throws {
        guard let row = rows.first else { return }
        var reader = row.reader
        switch self {
        case .account: ask(try AccountRow.decode(row))
        case .plant: ask(try PlantRow.decode(row))
        case .watering: ask(try WateringRow.decode(&reader))
        case .device: ask(try DeviceRow.decode(&reader))
        case .tag: ask(try TagRow.decode(row))
        case .importChange: ask(try ImportRow.change(&reader))
        case .push: ask(Sample.history(pushes: [try ExportedPush(&reader, .all)]))
        case .postponement:
            ask(Sample.history(postponements: [try HistoryTable<ExportedPostponement>.postponements.decode(&reader)]))
        case .dueDateChange:
            ask(Sample.history(dueDateChanges: [try HistoryTable<DueDateChange>.dueDateChanges.decode(&reader)]))
        case .affection:
            ask(Sample.history(ledger: [try HistoryTable<ExportedAffection>.ledger.decode(&reader)]))
        case .delivery:
            let found = try FoundJob(row, in: Lane(7), .all)
            // The log removes a retry without a job.
            guard let job = found.job else { return }
            ask(found.delivery(try Sample.context(of: job.occurrence.accountID), .all, { _, _ in }))
            ask(found.delivery(BatchContext(), .all, { _, _ in }))
        case .job: ask(try PushJobRow.decode(&reader, in: Lane(7), .all))
        case .position: ask(try LaneScheduler.Position(Lane(7), &reader))
        case .health: ask(try EngineHealth(&reader))
        case .candidateAccounts: ask(try AccountCandidate.decode(rows, zones: Sample.zones).readable)
        case .devices: try DeviceRow.byAccount(rows, { _, _ in }).values.joined().forEach { ask($0) }
        case .groupMembers:
            for domain in DueDomains.all.domains(of: Topic.ofPlants) {
                _ = try GroupMembers.worthSending(rows, of: domain, .all, Sample.states(row), at: Sample.now)
            }
        case .sentPushes: _ = try SentPushes.byAccount(rows)
        case .refused: _ = try Refused.byJob(rows)
        case .report: ask(try Sample.report(rows).values(at: 0))
        case .partition: if let period = Period(partition: try row.decode(0)) { ask(period) }
        }
    }
}

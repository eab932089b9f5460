import CherishCore
import Testing

/// Invariants of every plant, judged by its history alone.
@Suite("Histories of generated gardens")
struct HistoryTests {
    @Test("section 4: affection is the sum of the ledger and never more than 100")
    func affection() throws {
        for growing in try Gardens.plants() {
            let rows = growing.history.ledger
            let sum = rows.reduce(0) { $0 + $1.entry.points }
            #expect(sum == growing.plant.affection.points && sum <= 100)
            #expect(rows.allSatisfy { (1...8).contains($0.entry.points) })
            // Only the row that completes affection earns less than 8.
            #expect(rows.dropLast().allSatisfy { $0.entry.points == 8 })
            #expect(rows.map(\.gainedAt) == rows.map(\.gainedAt).sorted())
            for row in rows {
                let watering = growing.history.waterings[row.entry.wateringNumber - 1]
                #expect(row.gainedAt >= watering.recordedAt && row.gainedAt <= Gardens.now)
            }
        }
    }

    @Test("rule 3.5: only the first watering of a civil day earns, and each does until affection is full")
    func oncePerDay() throws {
        for growing in try Gardens.plants() {
            let waterings = growing.history.waterings
            let first = Dictionary(waterings.map { ($0.wateredOn, $0.number) }, uniquingKeysWith: { min($0, $1) })
            let earning = growing.history.ledger.filter { $0.entry.reason == .contact }.map(\.entry.wateringNumber)
            #expect(Set(earning).count == earning.count)
            for number in earning { #expect(first[waterings[number - 1].wateredOn] == number) }
            if !growing.plant.affection.isFull { #expect(earning.count == first.count) }
        }
    }

    @Test("counts match the lists, and numbers start at 1")
    func counts() throws {
        for growing in try Gardens.plants() {
            let history = growing.history
            #expect(growing.plant.wateringCount == history.waterings.count)
            #expect(growing.plant.postponementCount == history.postponements.count)
            let numbers = history.waterings.map(\.number)
            #expect(numbers == Array(1..<(numbers.count + 1)))
            let postponements = history.postponements.map(\.postponement.number)
            #expect(postponements == Array(1..<(postponements.count + 1)))
            let isAscending = zip(history.waterings, history.waterings.dropFirst()).allSatisfy {
                $0.recordedAt < $1.recordedAt
            }
            #expect(isAscending)
            #expect(growing.plant.lastWateredOn == history.waterings.map(\.wateredOn).max())
        }
    }

    @Test("nothing happened before planting or after now")
    func withinTime() throws {
        for growing in try Gardens.plants() {
            let history = growing.history
            let instants =
                history.waterings.map(\.recordedAt) + history.postponements.map(\.postponedAt)
                + history.dueDateChanges.map(\.changedAt) + [growing.plant.archivedAt].compactMap { $0 }
            #expect(instants.allSatisfy { $0 >= history.createdAt && $0 <= Gardens.now })
            #expect(history.createdAt > growing.account.createdAt)
            #expect(growing.plant.plantedOn == growing.zone.day(at: history.createdAt))
            for watering in history.waterings {
                let day = growing.zone.day(at: watering.recordedAt)
                #expect(watering.wateredOn >= growing.plant.plantedOn)
                #expect((0...7).contains(day - watering.wateredOn))
                #expect(watering.isBackdated == (watering.wateredOn < day))
            }
        }
        for export in try Gardens.accounts.get() {
            let added = export.devices.map(\.addedAt)
            #expect(added.allSatisfy { $0 >= export.createdAt && $0 <= Gardens.now })
        }
    }

    @Test("the due date follows from its source, at the end and at every step")
    func dueDates() throws {
        for growing in try Gardens.plants() {
            let dueDates = DueDates(growing.history)
            let last = try #require(dueDates.entries.last)
            #expect(growing.plant.dueOn == last.dueOn && growing.plant.dueSource == last.source)
            #expect(growing.plant.cycle == growing.history.dueDateChanges.last?.cycle)
            for watering in growing.history.waterings where watering.dueOn != nil {
                let cycle = try #require(growing.cycle(at: watering.recordedAt))
                #expect(watering.dueOn == watering.wateredOn + cycle.days)
            }
            for postponed in growing.history.postponements {
                let before = dueDates.entry(before: postponed.postponedAt)
                #expect(postponed.postponement.fromDueOn == before?.dueOn)
                #expect(postponed.postponement.fromDueOn == growing.zone.day(at: postponed.postponedAt))
            }
            for change in growing.history.dueDateChanges { #expect(change.dueOn == growing.dueOn(after: change)) }
        }
    }
}

extension Growing {
    /// The cycle in force at an instant.
    fileprivate func cycle(at instant: Instant) -> Cycle? {
        history.dueDateChanges.last { $0.changedAt <= instant }?.cycle
    }

    /// The due date after a registration, a return or a changed cycle, by rules 1.4 and 1.7.
    fileprivate func dueOn(after change: DueDateChange) -> CivilDay {
        let day = zone.day(at: change.changedAt)
        guard change.source == .edit else { return day + change.cycle.days }
        let watered = history.waterings.filter { $0.recordedAt < change.changedAt }.map(\.wateredOn).max()
        return max((watered ?? plant.plantedOn) + change.cycle.days, day)
    }
}

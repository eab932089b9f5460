import CherishCore
import Testing

/// Section 7, as far as an export shows it.
@Suite("Pushes of generated gardens")
struct PushTests {
    /// A push that has ended, and its plant.
    private struct Ended {
        let growing: Growing
        let occurrence: Occurrence
        let end: ExportedPush.End
    }

    private func ended() throws -> [Ended] {
        let plants = Dictionary(uniqueKeysWithValues: try Gardens.plants().map { ($0.plant.id, $0) })
        var all: [Ended] = []
        for push in try Gardens.accounts.get().flatMap(\.pushes) {
            guard let end = push.end else { continue }
            let growing = try #require(plants[Plant.ID(push.occurrence.subjectID)])
            all.append(Ended(growing: growing, occurrence: push.occurrence, end: end))
        }
        return all
    }

    @Test("every occurrence appears once, in calendar order, and has ended if its time has come")
    func oneEnd() throws {
        for export in try Gardens.accounts.get() {
            let occurrences = export.pushes.map(\.occurrence)
            #expect(Set(occurrences).count == occurrences.count)
            #expect(occurrences.map(\.at) == occurrences.map(\.at).sorted())
            for push in export.pushes {
                #expect((push.end != nil) == (push.occurrence.at <= Gardens.now))
                guard let end = push.end else { continue }
                #expect(end.finishedAt >= push.occurrence.at && end.finishedAt <= Gardens.now)
                #expect(PushReason.all.contains(PushReason(rawValue: end.reason)), "\(end.reason)")
            }
        }
    }

    /// The occurrences that a plant points at.
    private func occurrences(of plant: Plant) -> [Occurrence] {
        Topic.ofPlants.compactMap { topic in plant.plans[topic].map { plant.occurrence(topic, $0) } }
    }

    @Test("pending occurrences are exactly those that plants point at, including removed plants")
    func pending() throws {
        for export in try Gardens.accounts.get() {
            let toCome = Set(export.pushes.filter { $0.end == nil }.map(\.occurrence))
            let pointedAt = export.plants.map(\.plant).flatMap(occurrences(of:))
            #expect(toCome == Set(pointedAt.filter { $0.at > Gardens.now }))
            #expect(Set(export.pushes.map(\.occurrence)).isSuperset(of: pointedAt))
        }
        let removed = try Gardens.plants().map(\.plant).filter { $0.archivedAt != nil }
        let isToCome = removed.flatMap(occurrences(of:)).contains { $0.at > Gardens.now }
        #expect(isToCome, "no removed plant has a pending occurrence")
    }

    @Test("rule 7.6: delivered pushes were pointed at, switched on, and of plants not removed")
    func delivered() throws {
        for push in try ended() where push.end.outcome == .delivered {
            let (growing, occurrence) = (push.growing, push.occurrence)
            #expect(push.end.reason == "sent")
            #expect(growing.account.account.switches.allows(occurrence.topic))
            #expect(!growing.isRemoved(at: occurrence.at))
            #expect(growing.isPointedAt(occurrence), "\(occurrence)")
        }
    }

    @Test("superseded pushes have a reason that matches the history")
    func superseded() throws {
        for push in try ended() where push.end.outcome == .superseded {
            let (growing, occurrence) = (push.growing, push.occurrence)
            let last = DueDates(growing.history).entry(at: occurrence.at)
            let due = last.map { Int($0.dueOn.daysSinceEpoch) }
            switch push.end.reason {
            case "watered": #expect(last?.source == .watering && due != occurrence.ref)
            case "postponed": #expect(last?.source == .postponement && due != occurrence.ref)
            case "archived": #expect(growing.isRemoved(at: occurrence.at))
            case "newer_watering": #expect(growing.history.waterings.count > occurrence.ref)
            case "reviewed": #expect(growing.history.waterings[occurrence.ref - 1].review != nil)
            case "declined": #expect(growing.history.waterings[occurrence.ref - 1].isReviewDeclined)
            default: #expect(push.end.reason == "edited")
            }
        }
    }

    @Test("pushes about every topic are delivered, superseded and suppressed for many reasons")
    func variety() throws {
        let all = try ended()
        for topic in Topic.ofPlants {
            #expect(all.contains { $0.occurrence.topic == topic && $0.end.outcome == .delivered }, "no \(topic)")
        }
        for reason in ["watered", "postponed", "edited", "reviewed", "declined", "archived"] {
            #expect(all.contains { $0.end.outcome == .superseded && $0.end.reason == reason }, "none \(reason)")
        }
        for reason in ["account_pushes_off", "plant_pushes_off"] {
            #expect(all.contains { $0.end.outcome == .suppressed && $0.end.reason == reason }, "none \(reason)")
        }
    }
}

extension Growing {
    /// Whether the plant pointed at an occurrence when its time came, judged by the history alone.
    fileprivate func isPointedAt(_ occurrence: Occurrence) -> Bool {
        let day = Int(zone.day(at: occurrence.at).daysSinceEpoch)
        let due = DueDates(history).entry(at: occurrence.at).map { Int($0.dueOn.daysSinceEpoch) }
        switch occurrence.topic {
        case .wateringDue: return due == occurrence.ref && day == occurrence.ref
        case .withered: return due == occurrence.ref && day == occurrence.ref + 1
        case .birthday:
            let year = zone.day(at: occurrence.at).components.year
            let kept = plant.birthday?.day(in: year).map { Int($0.daysSinceEpoch) }
            return day == occurrence.ref && kept == occurrence.ref
        case .reviewMissing: return isReminded(occurrence)
        default: return false
        }
    }

    /// Rule 7.3: for the newest watering, half an hour later, outside quiet hours.
    private func isReminded(_ occurrence: Occurrence) -> Bool {
        let watering = history.waterings[occurrence.ref - 1]
        let hour = zone.timeOfDay(at: occurrence.at).minuteOfDay / 60
        let isNewest = !history.waterings.dropFirst(occurrence.ref).contains {
            $0.dueOn != nil && $0.recordedAt <= occurrence.at
        }
        return isNewest && !watering.isBackdated && (8..<22).contains(hour)
            && watering.recordedAt.adding(minutes: 30) <= occurrence.at
    }
}

import CherishCore
import CherishRuntime
import CherishStore

extension GardenService {
    /// Explains a plant's affection and due date, and what comes next.
    ///
    /// - Parameters:
    ///   - id: the plant's id, or a prefix of at least 8 digits.
    ///   - day: explained as of its end; nil means today, as of now.
    public func explainFriend(_ id: String, on day: CivilDay?) async throws -> FriendExplanation {
        let (plantID, seen) = (try await plantID(id), try await garden.viewpoint())
        let (account, now, zone) = (seen.account, seen.now, try engine.zones.clock(of: seen.account))
        let day = day ?? zone.day(at: now)
        let history = try await garden.history(of: plantID)
        return FriendExplanation(
            PlantExplanation(of: history, for: account, on: day, at: now, in: zone), of: history.plant,
            account: account, tags: try await garden.tags().tags(of: plantID), clock: WallClock(zone: zone),
            pushes: try await garden.pushes(of: plantID.subject).filter {
                abs(zone.day(at: $0.plannedAt) - day) <= PlantExplanation.reach
            }, calendarAheadUntil: try await garden.calendarAhead())
    }

    /// Explains why a plant's pushes came or did not come on a day, and what comes next.
    ///
    /// - Parameters:
    ///   - id: the plant's id, or a prefix of at least 8 digits.
    ///   - day: nil means today.
    public func explainPushes(_ id: String, on day: CivilDay?) async throws -> PushExplanation {
        let (plantID, seen) = (try await plantID(id), try await garden.viewpoint())
        let (account, now, zone) = (seen.account, seen.now, try engine.zones.clock(of: seen.account))
        let day = day ?? zone.day(at: now)
        let plant = PlantPushExplanation(
            try await garden.history(of: plantID), of: account, on: day, at: now, in: zone)
        return try await explainPushes(of: account, about: plantID.subject, plant, on: day, at: now, in: zone)
    }

    /// Explains the pushes about a subject of any domain.
    ///
    /// - Parameter subject: what the domain says about it.
    func explainPushes(
        of account: Account, about subjectID: Subject.ID, _ subject: any SubjectExplanation, on day: CivilDay,
        at now: Instant, in zone: TimeZoneRules
    ) async throws -> PushExplanation {
        PushExplanation(
            account: account, subjectID: subjectID, subject: subject, clock: WallClock(zone: zone), now: now, day: day,
            pushes: try await garden.pushes(of: subjectID).filter {
                $0.occursOn == day || zone.day(at: $0.plannedAt) == day
            }, deviceRecords: try await garden.deviceRecords(of: subjectID),
            retentionDays: engine.settings.retentionDays, calendarAheadUntil: try await garden.calendarAhead())
    }

    /// The pushes planned for the account's plants, and their outcomes.
    public func pushes() async throws -> [PushRecord] { try await garden.pushes() }
}

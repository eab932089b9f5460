import CherishCore
import CherishStore

/// What things say about their pushes on a day.
struct ThingPushExplanation: SubjectExplanation {
    /// As it is now.
    private let thing: Thing
    private let warningDays: WarningDays
    private let clock: WallClock
    private let day, today: CivilDay
    private let now: Instant

    init(_ thing: Thing, of account: Account, on day: CivilDay, at now: Instant, in zone: TimeZoneRules) {
        self.thing = thing
        warningDays = account.warningDays
        clock = WallClock(zone: zone)
        (self.day, self.now) = (day, now)
        today = zone.day(at: now)
    }

    var topics: [Topic] { Topic.ofThings }

    func pointer(_ topic: Topic) -> PlannedMoment? {
        // A waypoint is nothing that anybody gets.
        thing.plans.next.map(\.planned).flatMap { $0.ref == ThingPlans.waypoint ? nil : $0 }
    }

    var absence: String? {
        let recordedOn = clock.zone.day(at: thing.createdAt)
        return recordedOn > day ? "the thing was recorded on \(recordedOn)" : nil
    }

    var silence: String {
        let alerts = thing.alerts(warningDays)
        if alerts.isEmpty { return "Nothing was scheduled for \(day): the thing has no alerts." }
        if let end = thing.end, end.completedOn <= day {
            return "Nothing was scheduled for \(day): the thing was done on \(end.completedOn)."
        }
        let past = thing.pastAlerts(at: thing.createdAt, in: clock.zone)
        if !past.isEmpty, clock.zone.day(at: thing.createdAt) == day {
            return """
                Nothing was scheduled for \(day): the thing was recorded after its alert \
                \(past.map(\.description).joined(separator: ", ")), which is not made up for (rule 10.4).
                """
        }
        let ends = thing.due.day + Thing.daysOfRepetition
        if day > ends, thing.repetition != .once {
            return "Nothing was scheduled for \(day): alerts go on until \(ends), 7 days after the due day (rule 10.5)."
        }
        return """
            Nothing was scheduled for \(day): the thing is due on \(thing.due.day), and its alerts, as they are now, are \
            \(alerts.map(\.description).joined(separator: ", "))\
            \(thing.repetition == .once ? "" : ", then \(thing.repetition.rawValue)").
            """
    }

    func missing(among pushes: [PushRecord]) -> [String] { [] }

    /// Not known: a thing has no history but its completions.
    var past: [String] { [] }

    var present: String? {
        if let end = thing.end { return "the thing was done on \(end.completedOn)" }
        let time = thing.due.time.map { " at \($0)" } ?? ""
        return """
            the thing is due on \(thing.due.day)\(time) \
            (\(thing.state(on: today, warningDays: warningDays).rawValue))
            """
    }

    var obstacles: [String] {
        var sentences = thing.pushesEnabled || thing.isDone ? [] : ["The thing's pushes are off."]
        if thing.plans.next?.planned.ref == ThingPlans.waypoint,
            let next = thing.nextAlert(after: now, warningDays, in: clock.zone)
        {
            sentences.append(
                """
                Its next alert, at \(clock.text(next)), is more than \(ThingPlans.horizonDays) days ahead and not planned \
                yet.
                """)
        }
        return sentences
    }
}

extension GardenService {
    /// Explains why a thing's alerts came or did not come on a day, and what comes next.
    ///
    /// - Parameters:
    ///   - id: the thing's id, or a prefix of at least 8 digits.
    ///   - day: nil means today.
    public func explainPushes(ofThing id: String, on day: CivilDay?) async throws -> PushExplanation {
        let (thing, seen) = (try await thing(id).thing, try await garden.viewpoint())
        let (account, now, zone) = (seen.account, seen.now, try engine.zones.clock(of: seen.account))
        let day = day ?? zone.day(at: now)
        return try await explainPushes(
            of: account, about: thing.id.subject,
            ThingPushExplanation(thing, of: account, on: day, at: now, in: zone), on: day, at: now, in: zone)
    }
}

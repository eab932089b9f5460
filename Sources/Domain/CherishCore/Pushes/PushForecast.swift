/// Forecasts an account's pushes, assuming no further commands, a worker that always runs, and providers that accept
/// everything.
///
/// Verdicts come from the same function that scheduling and delivery use.
public struct PushForecast: Sendable {
    /// A planned push and how it ends.
    public struct Entry: Sendable {
        public let occurrence: Occurrence
        public let candidate: PushCandidate
        /// The instant from which it is no longer worth sending (rule 7.7).
        public let expiresAt: Instant
        /// When it is sent, or ends without being sent.
        public let at: Instant
        /// Why it is not sent; nil if it is.
        public let end: PushEnd?
    }

    /// Sorted by the time at which they are sent or end, then in calendar order. Superseded pushes are omitted.
    public let entries: [Entry]

    /// Forecasts the pushes of an account.
    ///
    /// - Parameters:
    ///   - export: Provides the planned pushes that have not ended.
    ///   - now: Pushes due by then are sent at once.
    ///   - end: Only entries before this instant are included.
    ///   - zone: The account's zone.
    public init(of export: AccountExport, from now: Instant, before end: Instant, in zone: TimeZoneRules) {
        let plants = Dictionary(export.plants.map { ($0.plant.id, $0) }, uniquingKeysWith: { first, _ in first })
        var entries: [Entry] = []
        for push in export.pushes where push.end == nil {
            guard let plant = plants[Plant.ID(push.occurrence.subjectID)] else { continue }
            entries += PushForecast.walk(
                push.occurrence, of: plant, for: export.account, from: now, before: end, in: zone)
        }
        self.entries = entries.filter { $0.end?.outcome != .superseded }.sorted {
            $0.at != $1.at ? $0.at < $1.at : $0.occurrence.precedes($1.occurrence)
        }
    }

    /// The entries for an occurrence and for the birthdays of later years that follow it (rule 7.10).
    private static func walk(
        _ occurrence: Occurrence, of plant: PlantHistory, for account: Account, from now: Instant, before end: Instant,
        in zone: TimeZoneRules
    ) -> [Entry] {
        var entries: [Entry] = []
        var plant = plant
        var next: Occurrence? = occurrence
        while let planned = next, planned.at < end {
            let candidate = PushCandidate(planned, of: plant, for: account, in: zone)
            let (at, verdict) = PushForecast.end(of: candidate, after: now)
            var entryEnd: PushEnd?
            if case .end(let outcome, let reason) = verdict { entryEnd = PushEnd(outcome, reason) }
            if at < end {
                entries.append(
                    Entry(
                        occurrence: planned, candidate: candidate, expiresAt: candidate.expiry(in: zone), at: at,
                        end: entryEnd))
            }
            next = nil
            if planned.topic == .birthday, entryEnd?.outcome != .superseded {
                let context = CommandContext(now: max(planned.at, now), zone: zone, calendarCursor: planned.at)
                next = plant.plant.planNextBirthday(for: account, in: context)
            }
        }
        return entries
    }

    /// When a push is sent or ends, if nothing changes and it is checked as soon as it is due. The verdict is `send` or
    /// `end`.
    static func end(of candidate: PushCandidate, after now: Instant) -> (at: Instant, verdict: PushVerdict) {
        var at = max(candidate.planned.at, now)
        let expiresAt = candidate.state.map { candidate.expiry(in: $0.zone) } ?? at
        var verdict = candidate.verdict(at: at, expiresAt: expiresAt)
        // The wait ends with the quiet hours or at expiry. Both are later, so the loop terminates.
        while case .wait(let until) = verdict {
            at = min(until, expiresAt)
            verdict = candidate.verdict(at: at, expiresAt: expiresAt)
        }
        return (at, verdict)
    }
}

extension AccountExport {
    /// The number of plants that are due on a day and have pushes enabled, as a digest counts them.
    public func thirstyCount(on day: CivilDay) -> Int {
        plants.count { $0.plant.dueOn == day && $0.plant.archivedAt == nil && $0.plant.pushesEnabled }
    }
}

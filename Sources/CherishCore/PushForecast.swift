/// What will come of an account's pushes if nobody does anything, a worker always runs, and providers take everything.
///
/// Each verdict is the one that scheduling and delivery will come to, by the same function.
public struct PushForecast: Sendable {
    /// A planned push and how it will end.
    public struct Entry: Sendable {
        public let occurrence: Occurrence
        public let candidate: PushCandidate
        /// From when it is not worth sending (rule 7.7).
        public let expiresAt: Instant
        /// When it will be sent, or end without.
        public let at: Instant
        /// Why it will not be sent; nil where it will.
        public let end: End?
    }

    /// How a push ends that is not sent.
    public struct End: Hashable, Sendable {
        public let outcome: PushOutcome
        public let reason: PushReason
    }

    /// In the order in which they are sent or end, then of the calendar. What is superseded is left out.
    public let entries: [Entry]

    /// - Parameters:
    ///   - archive: what was planned and has not ended is looked at.
    ///   - now: what is due by then is sent at once.
    ///   - end: only what comes before this instant is told.
    ///   - zone: the account's.
    public init(of archive: AccountArchive, from now: Instant, before end: Instant, in zone: TimeZoneRules) {
        let plants = Dictionary(archive.plants.map { ($0.plant.id, $0) }, uniquingKeysWith: { first, _ in first })
        var entries: [Entry] = []
        for push in archive.pushes where push.end == nil {
            guard let plant = plants[push.occurrence.plantID] else { continue }
            entries += PushForecast.walk(
                push.occurrence, of: plant, for: archive.account, from: now, before: end, in: zone)
        }
        self.entries = entries.filter { $0.end?.outcome != .superseded }.sorted {
            $0.at != $1.at ? $0.at < $1.at : $0.occurrence.isBefore($1.occurrence)
        }
    }

    /// An occurrence, and the birthdays of later years that follow it (rule 7.10).
    private static func walk(
        _ occurrence: Occurrence, of plant: PlantArchive, for account: Account, from now: Instant, before end: Instant,
        in zone: TimeZoneRules
    ) -> [Entry] {
        var entries: [Entry] = []
        var plant = plant
        var next: Occurrence? = occurrence
        while let planned = next, planned.at < end {
            let candidate = PushCandidate(planned, of: plant, for: account, in: zone)
            let (at, verdict) = PushForecast.end(of: candidate, after: now)
            var entryEnd: End?
            if case .end(let outcome, let reason) = verdict { entryEnd = End(outcome: outcome, reason: reason) }
            if at < end {
                entries.append(
                    Entry(
                        occurrence: planned, candidate: candidate, expiresAt: candidate.expiry(in: zone), at: at,
                        end: entryEnd))
            }
            next = nil
            if planned.kind == .birthday, entryEnd?.outcome != .superseded {
                let present = Present(now: max(planned.at, now), zone: zone, calendarCursor: planned.at)
                next = plant.plant.planNextBirthday(for: account, at: present)
            }
        }
        return entries
    }

    /// When a push that nobody touches is sent or ends, looked at as soon as its time has come: `send` or `end`.
    static func end(of candidate: PushCandidate, after now: Instant) -> (at: Instant, verdict: PushVerdict) {
        var at = max(candidate.planned.at, now)
        let expiresAt = candidate.state.map { candidate.expiry(in: $0.zone) } ?? at
        var verdict = candidate.verdict(at: at, expiresAt: expiresAt)
        // Quiet hours end, or it expires; both come after the instant that was looked at.
        while case .wait(let until) = verdict {
            at = min(until, expiresAt)
            verdict = candidate.verdict(at: at, expiresAt: expiresAt)
        }
        return (at, verdict)
    }
}

extension Occurrence {
    /// The order in which a lane's calendar is walked.
    fileprivate func isBefore(_ other: Occurrence) -> Bool {
        if at != other.at { return at < other.at }
        return (plantID, kind, subject) < (other.plantID, other.kind, other.subject)
    }
}

extension AccountArchive {
    /// How many plants want water on a day and have their pushes on, as a digest counts them.
    public func thirstyCount(on day: CivilDay) -> Int {
        plants.count { $0.plant.dueOn == day && $0.plant.archivedAt == nil && $0.plant.pushesEnabled }
    }
}

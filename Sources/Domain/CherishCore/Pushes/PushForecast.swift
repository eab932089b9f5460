/// Forecasts pushes, assuming no further commands, a worker that always runs, and providers that accept everything.
///
/// Verdicts come from the same function that scheduling and delivery use. Only the domain of a push knows what follows
/// from it, such as the birthday of next year.
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

        /// Forecasts one planned push.
        ///
        /// - Parameters:
        ///   - now: Pushes due by then are sent at once.
        ///   - zone: The account's zone.
        public init(
            _ occurrence: Occurrence, _ candidate: PushCandidate, after now: Instant, in zone: TimeZoneRules
        ) {
            self.occurrence = occurrence
            self.candidate = candidate
            expiresAt = candidate.expiry(in: zone)
            let (at, verdict) = PushForecast.end(of: candidate, after: now)
            self.at = at
            if case .end(let outcome, let reason) = verdict {
                end = PushEnd(outcome, reason)
            } else {
                end = nil
            }
        }

        /// Whether its subject no longer points at it. Such a push is not worth mentioning.
        public var isSuperseded: Bool { end?.outcome == .superseded }

        /// Whether it is sent or ends earlier, or at the same instant but earlier in the calendar.
        package func precedes(_ other: Entry) -> Bool {
            at != other.at ? at < other.at : occurrence.precedes(other.occurrence)
        }
    }

    /// Sorted by the time at which they are sent or end, then in calendar order. Superseded pushes are omitted.
    public let entries: [Entry]

    /// - Parameter entries: In any order.
    init(_ entries: [Entry]) {
        self.entries = entries.filter { !$0.isSuperseded }.sorted { $0.precedes($1) }
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

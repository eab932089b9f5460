/// How a planned push ended (rule 7.8).
public enum PushOutcome: String, CaseIterable, Sendable {
    case delivered, superseded, suppressed, expired, dead
}

/// The end of a push: its outcome and the reason for it.
public struct PushEnd: Hashable, Sendable {
    public let outcome: PushOutcome
    public let reason: PushReason

    public init(_ outcome: PushOutcome, _ reason: PushReason) {
        self.outcome = outcome
        self.reason = reason
    }
}

/// What to do with a planned push now.
public enum PushVerdict: Hashable, Sendable {
    case send
    /// Quiet hours: not before this instant (rule 7.3).
    case wait(until: Instant)
    case end(PushOutcome, PushReason)
}

/// A planned push with the current state of its subject and account. Checked twice: when it is scheduled, and in the
/// second look right before it is sent (rule 7.6).
public struct PushCandidate: Sendable {
    /// The current state.
    public struct State: Sendable {
        /// Why the subject's domain ends the push; nil while the subject still points at it.
        public let end: PushEnd?
        /// Whether the account wants pushes about the topic.
        public let isTopicWanted: Bool
        /// The account's zone.
        public let zone: TimeZoneRules
        /// From when the subject's domain says that the push is not worth sending; nil where its topic tells.
        public let expiresAt: Instant?
        /// When the account is paused (rule 13.1).
        public let pausedDays: PausedDays
        /// When the subject itself is.
        public let subjectPausedDays: PausedDays

        public init(
            end: PushEnd?, isTopicWanted: Bool, zone: TimeZoneRules, expiresAt: Instant? = nil,
            pausedDays: PausedDays = .none, subjectPausedDays: PausedDays = .none
        ) {
            self.end = end
            self.isTopicWanted = isTopicWanted
            self.zone = zone
            self.expiresAt = expiresAt
            self.pausedDays = pausedDays
            self.subjectPausedDays = subjectPausedDays
        }

        fileprivate func isPaused(at now: Instant) -> Bool {
            // Hardly any account has pauses, and to find the day takes time.
            if pausedDays == .none && subjectPausedDays == .none { return false }
            let today = zone.day(at: now)
            return pausedDays.contains(today) || subjectPausedDays.contains(today)
        }
    }

    public let topic: Topic
    public let planned: PlannedMoment
    /// nil if subject and account were erased.
    public let state: State?

    public init(topic: Topic, planned: PlannedMoment, state: State?) {
        self.topic = topic
        self.planned = planned
        self.state = state
    }

    /// The instant from which it is no longer worth sending (rule 7.7).
    public func expiry(in zone: TimeZoneRules) -> Instant {
        state?.expiresAt ?? topic.expiry(ofPushPlannedFor: planned.at, in: zone)
    }

    /// What to do at `now`, given the expiry.
    public func verdict(at now: Instant, expiresAt: Instant) -> PushVerdict {
        guard let state else { return .end(.superseded, .erased) }
        if let end = state.end { return .end(end.outcome, end.reason) }
        if !state.isTopicWanted { return .end(.suppressed, .accountPushesOff) }
        // A pause that began after an outage had let the push expire must not hide that (rule 13.3).
        if now >= expiresAt { return .end(.expired, .tooLate) }
        if state.isPaused(at: now) { return .end(.suppressed, .paused) }
        if topic.waitsForQuietHours {
            let allowed = state.zone.outsideQuietHours(now)
            if allowed > now { return .wait(until: allowed) }
        }
        return .send
    }
}

/// How a planned push ended (rule 7.8).
public enum PushOutcome: String, CaseIterable, Sendable {
    case delivered, superseded, suppressed, expired, dead
}

/// Why a planned push got its outcome.
public enum PushReason: String, CaseIterable, Sendable {
    // delivered
    case sent
    case sentAfterRetry = "sent_after_retry"
    /// An earlier push of the group already covered this plant.
    case combined
    /// The daily cap was reached; the day's digest covers it.
    case digest
    // superseded
    case watered, postponed, edited, reviewed, declined, archived, erased
    case newerWatering = "newer_watering"
    // suppressed
    case accountPushesOff = "account_pushes_off"
    case plantPushesOff = "plant_pushes_off"
    case noDevice = "no_device"
    case providerNotConfigured = "provider_not_configured"
    // expired
    case tooLate = "too_late"
    // dead
    case refused
    case tokenDead = "token_dead"
    case attemptsExhausted = "attempts_exhausted"
    /// A row that the push needs contains values that no rule allows.
    case unreadableRow = "unreadable_row"
}

/// What to do with a planned push now.
public enum PushVerdict: Hashable, Sendable {
    case send
    /// Quiet hours: not before this instant (rule 7.3).
    case wait(until: Instant)
    case end(PushOutcome, PushReason)
}

/// A planned push with the current state of its plant and account. Checked twice: when it is scheduled, and in the
/// second look right before it is sent (rule 7.6).
public struct PushCandidate: Sendable {
    /// Whether the watering of a reminder still lacks its review.
    public enum ReviewState: Sendable {
        case missing, written, declined
    }

    /// The current state; nil if plant and account were erased.
    public struct State: Sendable {
        public let isArchived: Bool
        public let pointer: PlannedMoment?
        public let dueOn: CivilDay
        public let dueSource: Plant.DueSource
        public let pushesEnabled: Bool
        public let isKindEnabled: Bool
        public let reviewState: ReviewState
        public let zone: TimeZoneRules

        public init(
            isArchived: Bool, pointer: PlannedMoment?, dueOn: CivilDay, dueSource: Plant.DueSource,
            pushesEnabled: Bool, isKindEnabled: Bool, reviewState: ReviewState, zone: TimeZoneRules
        ) {
            self.isArchived = isArchived
            self.pointer = pointer
            self.dueOn = dueOn
            self.dueSource = dueSource
            self.pushesEnabled = pushesEnabled
            self.isKindEnabled = isKindEnabled
            self.reviewState = reviewState
            self.zone = zone
        }
    }

    public let kind: PushKind
    public let planned: PlannedMoment
    public let state: State?

    public init(kind: PushKind, planned: PlannedMoment, state: State?) {
        self.kind = kind
        self.planned = planned
        self.state = state
    }

    /// The instant from which it is no longer worth sending (rule 7.7): 24 hours after the planned instant for a review
    /// push, otherwise the end of its local day. That instant itself is too late.
    public func expiry(in zone: TimeZoneRules) -> Instant {
        kind == .reviewMissing ? planned.at.adding(hours: 24) : zone.start(of: zone.day(at: planned.at) + 1)
    }

    /// What to do at `now`, given the expiry.
    public func verdict(at now: Instant, expiresAt: Instant) -> PushVerdict {
        guard let state else { return .end(.superseded, .erased) }
        if let reason = supersession(state) { return .end(.superseded, reason) }
        if !state.pushesEnabled { return .end(.suppressed, .plantPushesOff) }
        if !state.isKindEnabled { return .end(.suppressed, .accountPushesOff) }
        if now >= expiresAt { return .end(.expired, .tooLate) }
        if kind == .reviewMissing {
            let allowed = state.zone.outsideQuietHours(now)
            if allowed > now { return .wait(until: allowed) }
        }
        return .send
    }

    /// The pointer decides: an occurrence that its plant no longer points at is superseded.
    private func supersession(_ state: State) -> PushReason? {
        if state.isArchived { return .archived }
        guard state.pointer == planned else {
            switch kind {
            case .reviewMissing:
                return state.pointer?.subject == planned.subject ? .edited : .newerWatering
            case .birthday:
                return .edited
            case .wateringDue, .withered:
                guard Int(state.dueOn.daysSinceEpoch) != planned.subject else { return .edited }
                switch state.dueSource {
                case .watering: return .watered
                case .postponement: return .postponed
                case .registration, .edit: return .edited
                }
            }
        }
        guard kind == .reviewMissing else { return nil }
        switch state.reviewState {
        case .missing: return nil
        case .written: return .reviewed
        case .declined: return .declined
        }
    }
}

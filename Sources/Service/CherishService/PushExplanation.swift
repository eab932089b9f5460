import CherishCore
import CherishStore

/// Formats instants in the account's zone, for people.
public struct WallClock: Sendable {
    let zone: TimeZoneRules

    public init(zone: TimeZoneRules) {
        self.zone = zone
    }

    /// `2027-03-02 09:00 Asia/Seoul`.
    public func text(_ instant: Instant) -> String {
        "\(zone.day(at: instant)) \(zone.timeOfDay(at: instant)) \(zone.name)"
    }

    /// A warning that pushes of an account come late or not at all, because its calendar is scheduled ahead of now, up
    /// to the given instant.
    public func warning(calendarAheadUntil instant: Instant) -> String {
        """
        Warning: the calendar of this account was walked ahead of the clock, up to \(text(instant)). What was planned before \
        that does not ring again, and what is added or changed now rings after it. An operator mends it by \
        'cherish database repair-cursors'.
        """
    }
}

/// Explains in sentences why pushes about a plant came or did not come on a day, and what comes next.
public struct PushExplanation: Sendable {
    let account: Account
    let clock: WallClock
    let now: Instant
    let day: CivilDay
    public let pushes: [PushRecord]
    let deviceRecords: [DeviceRecord]
    /// The number of days for which pushes are kept.
    let retentionDays: Int
    /// The plant as it is now.
    let plant: Plant
    /// The plant on the day.
    let then: PlantExplanation
    /// How far the account's calendar is scheduled, if that is ahead of now; nil otherwise.
    let calendarAheadUntil: Instant?

    /// - Parameter history: the plant with its whole history.
    init(
        _ history: PlantHistory, account: Account, zone: TimeZoneRules, now: Instant, day: CivilDay,
        pushes: [PushRecord], deviceRecords: [DeviceRecord], retentionDays: Int, calendarAheadUntil: Instant?
    ) {
        self.account = account
        self.calendarAheadUntil = calendarAheadUntil
        clock = WallClock(zone: zone)
        self.now = now
        self.day = day
        self.pushes = pushes
        self.deviceRecords = deviceRecords
        self.retentionDays = retentionDays
        plant = history.plant
        then = PlantExplanation(of: history, for: account, on: day, at: now, in: zone)
    }

    public var document: PushExplanationDocument { PushExplanationDocument(self) }

    public var sentences: [String] {
        var sentences = pushes.flatMap { [past($0)] + devices($0) }
        if pushes.isEmpty { sentences.append(silence) }
        let warning = calendarAheadUntil.map { clock.warning(calendarAheadUntil: $0) }
        return sentences + unreminded + state + ahead + (warning.map { [$0] } ?? [])
    }

    private func past(_ push: PushRecord) -> String {
        let planned = "\(push.topic) for \(push.occursOn), planned for \(clock.text(push.plannedAt)):"
        guard let outcome = push.outcome else { return "\(planned) pending; it is being delivered or tried again." }
        let finished = push.finishedAt.map { " at \(clock.text($0))" } ?? ""
        if outcome == .delivered, push.reason != PushReason.combined.rawValue, push.reason != PushReason.digest.rawValue
        {
            return "\(planned) delivered\(finished)."
        }
        let meaning = push.reason.flatMap(PushReason.init)?.meaning ?? "of \(push.reason ?? "nothing recorded")"
        return "\(planned) \(outcome.rawValue)\(finished), because \(meaning)."
    }

    /// The result at each device.
    private func devices(_ push: PushRecord) -> [String] {
        deviceRecords.filter { $0.seq == push.seq }.map { record in
            let device = record.platform.map { "\($0.rawValue) device" } ?? "removed device"
            let attempts = record.attempts == 1 ? "" : " after \(record.attempts) attempts"
            let reason = record.outcome == .accepted ? "" : " (\(record.reason))"
            return
                "  \(device) \(record.deviceID.description.prefix(8)): \(record.outcome.rawValue)\(reason)\(attempts)."
        }
    }

    /// Why there was no push.
    private var silence: String {
        guard let known = then.plant else {
            return "Nothing was scheduled for \(day): the plant was not registered yet."
        }
        if let archivedAt = known.archivedAt, clock.zone.day(at: archivedAt) <= day {
            return "Nothing was scheduled for \(day): the plant was removed on \(clock.zone.day(at: archivedAt))."
        }
        if day > clock.zone.day(at: now) { return "\(day) is still to come." }
        if isDropped {
            return """
                What was scheduled for \(day) is not known: pushes are kept for \(retentionDays) days, and older ones are \
                dropped.
                """
        }
        if known.dueOn == day { return silenceOfDueDate }
        let reason =
            known.dueOn < day
            ? "the plant was due on \(known.dueOn), and each due date has one alarm (rule 7.2)"
            : "it was not the due date, which was \(known.dueOn), and no reminder was due"
        return "Nothing was scheduled for \(day): \(reason)."
    }

    private var silenceOfDueDate: String {
        let alarmAt = clock.zone.firstInstant(on: day, at: plant.alarmTime)
        let isSetLate = then.dueDate.map { $0.setAt > alarmAt } ?? false
        if then.alarm == .wasPast || (then.isPast && isSetLate) {
            return "Nothing was scheduled for \(day): its alarm time was past when a command set it."
        }
        if then.isPast {
            return "\(day) was the due date, and no push of it is recorded: no worker has scheduled it."
        }
        return then.alarm == .notAgain
            ? "Nothing was scheduled again for \(day): the alarm of that due date had been reached before."
            : "\(day) is the due date; its alarm has not been scheduled yet."
    }

    /// Whether the day's pushes have been dropped, because the log keeps them for a limited time.
    private var isDropped: Bool { clock.zone.day(at: now) - day > retentionDays }

    /// Why waterings of the day got no reminder (rule 7.3), unless a push explains it.
    private var unreminded: [String] {
        if isDropped { return [] }
        return then.events.filter { $0.day == day }.compactMap { event -> String? in
            guard case .watered(let watering, _) = event.kind,
                plant.plans.reviewMissing?.ref != watering.number,
                !pushes.contains(where: { $0.topic == .reviewMissing && $0.occursOn == watering.wateredOn })
            else { return nil }
            let reason =
                if watering.isBackdated {
                    "it was recorded for an earlier day, \(watering.wateredOn)"
                } else if watering.review != nil {
                    "it has its review"
                } else {
                    watering.isReviewDeclined ? "its review was declined" : "there was a newer watering, or no worker"
                }
            return "No reminder of watering \(watering.number): \(reason) (rule 7.3)."
        }
    }

    /// The plant's state at the end of a past day.
    private var state: [String] {
        guard then.isPast, let known = then.plant, known.archivedAt == nil else { return [] }
        let label = known.dDay(on: day).label
        return ["At the end of \(day) the plant was due on \(known.dueOn) (\(label))."]
    }

    /// The plant's state now, and the pushes that its pointers name.
    private var ahead: [String] {
        if plant.archivedAt != nil { return [] }
        let label = plant.dDay(on: clock.zone.day(at: now)).label
        var lines = ["Now it is \(clock.text(now)); the plant is due on \(plant.dueOn) (\(label))."]
        for topic in Topic.ofPlants {
            guard let planned = plant.plans[topic], planned.at > now else { continue }
            lines.append("Next: \(topic) at \(clock.text(planned.at)).")
        }
        if !plant.pushesEnabled { lines.append("The plant's pushes are off.") }
        for topic in Topic.ofPlants where topic.isOnByDefault && !account.switches.allows(topic) {
            lines.append("The account has turned \(topic) off.")
        }
        return lines
    }
}

/// A ``PushExplanation`` as a document, with its pushes.
public struct PushExplanationDocument: Encodable, Sendable {
    let plantId, on: String
    let pushes: [PushDocument]
    let explanation: [String]

    init(_ explanation: PushExplanation) {
        plantId = explanation.plant.id.description
        on = explanation.day.description
        pushes = explanation.pushes.map(PushDocument.init)
        self.explanation = explanation.sentences
    }
}

extension PushReason {
    /// The clause after "because".
    public var meaning: String {
        switch self {
        case .sent: "it was sent"
        case .sentAfterRetry: "it was sent after trying again"
        case .combined: "a push that spoke of this plant too had been sent"
        case .digest: "the daily cap was reached, and the digest of the day stands for it"
        case .providerNotConfigured: "no provider is set up for the account's devices"
        case .tokenDead: "the tokens of all its devices are dead"
        case .watered: "the plant had been watered"
        case .postponed: "the due date had been postponed"
        case .edited: "the plan had been changed"
        case .reviewed: "the review had been written"
        case .declined: "the review had been declined"
        case .archived: "the plant had been removed"
        case .erased: "the account had been erased"
        case .newerWatering: "there was a newer watering"
        case .accountPushesOff: "the account has turned such pushes off"
        case .plantPushesOff: "the plant's pushes were off"
        case .noDevice: "the account has no device"
        case .tooLate: "it was too late to be worth sending"
        case .refused: "the provider refused it"
        case .attemptsExhausted: "the provider did not take it, however often it was tried"
        case .unreadableRow:
            "a row that it needs holds what no rule allows; the log of the worker names the row and how to repair it"
        }
    }
}

import CherishCore
import CherishStore

/// Formats instants in the account's zone, for people.
public struct WallClock: Sendable {
    let zone: TimeZoneRules

    public init(zone: TimeZoneRules) {
        self.zone = zone
    }

    /// `2027-03-02 09:00 Asia/Seoul`.
    public func text(_ instant: Instant) -> String { "\(moment(instant)) \(zone.name)" }

    /// The date on which an instant lies.
    public func date(_ instant: Instant) -> CivilDay { zone.date(at: instant) }

    /// The time of day of an instant.
    public func time(_ instant: Instant) -> TimeOfDay { zone.timeOfDay(at: instant) }

    /// `2027-03-02 09:00`.
    public func moment(_ instant: Instant) -> String { "\(date(instant)) \(time(instant))" }

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

/// Explains in sentences why pushes about a subject came or did not come on a day, and what comes next.
///
/// This part knows what calendar, log and account tell. What only the subject's domain knows is its
/// ``SubjectExplanation``.
public struct PushExplanation: Sendable {
    let account: Account
    let subjectID: Subject.ID
    let subject: any SubjectExplanation
    let clock: WallClock
    let now: Instant
    let day: CivilDay
    /// Those that were planned for the day or are about it.
    public let pushes: [PushRecord]
    let deviceRecords: [DeviceRecord]
    /// The number of days for which pushes are kept.
    let retentionDays: Int
    /// How far the account's calendar is scheduled, if that is ahead of now; nil otherwise.
    let calendarAheadUntil: Instant?

    public var document: PushExplanationDocument { PushExplanationDocument(self) }

    public var sentences: [String] {
        var sentences = pushes.flatMap { [past($0)] + devices($0) }
        if pushes.isEmpty { sentences.append(silence) }
        if !isDropped { sentences += subject.missing(among: pushes) }
        sentences += subject.past + ahead
        if let calendarAheadUntil { sentences.append(clock.warning(calendarAheadUntil: calendarAheadUntil)) }
        return sentences
    }

    private func past(_ push: PushRecord) -> String {
        let planned = "\(push.topic) for \(push.occursOn), planned for \(clock.text(push.plannedAt)):"
        guard let outcome = push.outcome else { return "\(planned) pending; it is being delivered or tried again." }
        let finished = push.finishedAt.map { " at \(clock.text($0))" } ?? ""
        if outcome == .delivered, push.reason != .combined, push.reason != .digest {
            return "\(planned) delivered\(finished)."
        }
        let meaning = push.reason.map { subject.meaning(of: $0) } ?? "of nothing recorded"
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

    private var today: CivilDay { clock.zone.day(at: now) }

    /// Why there was no push.
    private var silence: String {
        if let absence = subject.absence { return "Nothing was scheduled for \(day): \(absence)." }
        if day > today { return "\(day) is still to come." }
        if isDropped {
            return """
                What was scheduled for \(day) is not known: pushes are kept for \(retentionDays) days, and older ones are \
                dropped.
                """
        }
        return subject.silence
    }

    /// Whether the day's pushes have been dropped, because the log keeps them for a limited time.
    private var isDropped: Bool { today - day > retentionDays }

    /// The subject's state now, the pushes that its pointers name, and what keeps them from being sent.
    private var ahead: [String] {
        guard let present = subject.present else { return [] }
        var lines = ["Now it is \(clock.text(now)); \(present)."]
        for topic in subject.topics {
            guard let planned = subject.pointer(topic), planned.at > now else { continue }
            lines.append("Next: \(topic) at \(clock.text(planned.at)).")
        }
        lines += subject.obstacles
        for topic in subject.topics where topic.isOnByDefault && !account.switches.allows(topic) {
            lines.append("The account has turned \(topic) off.")
        }
        return lines
    }
}

/// A ``PushExplanation`` as a document, with its pushes.
public struct PushExplanationDocument: Codable, Sendable {
    /// null unless it is about a plant.
    let plantId: Nullable<String>
    let subject, subjectId, on: String
    let pushes: [PushDocument]
    let explanation: [String]

    init(_ explanation: PushExplanation) {
        subject = explanation.subject.topics[0].subject
        subjectId = explanation.subjectID.description
        plantId = Nullable(subject == "plant" ? subjectId : nil)
        on = explanation.day.description
        pushes = explanation.pushes.map(PushDocument.init)
        self.explanation = explanation.sentences
    }
}

/// A time in which pushes could not leave (rule 13.3).
public struct Outage: Hashable, Sendable {
    /// Why they could not.
    public enum Cause: String, CaseIterable, Sendable {
        /// No worker scheduled the lane.
        case engine
        /// The provider took no push.
        case apple, google, browsers
        /// An operator says so.
        case declared

        /// The cause for which a device gets no push; nil for webhooks, whose receivers are the account's own.
        public init?(refusing platform: Device.Platform) {
            switch platform {
            case .ios: self = .apple
            case .android: self = .google
            case .web: self = .browsers
            case .webhook: return nil
            }
        }
    }

    /// What takes no longer is none, unless an operator declares it.
    public static let shortest = Duration.seconds(30 * 60)

    public let cause: Cause
    public let beganAt: Instant
    public let endedAt: Instant

    public init(_ cause: Cause, from beganAt: Instant, to endedAt: Instant) {
        (self.cause, self.beganAt, self.endedAt) = (cause, beganAt, endedAt)
    }

    /// Whether it can be why a push was not sent: it lasted when the push expired, and an outage of a provider struck one of the
    /// account's devices. While no worker scheduled, nobody can tell whom a push would have reached.
    public func keptBack(expiringAt expiresAt: Instant, to devices: some Sequence<Device>) -> Bool {
        guard (beganAt...endedAt).contains(expiresAt) else { return false }
        return switch cause {
        case .engine, .declared: true
        case .apple, .google, .browsers: devices.contains { Cause(refusing: $0.platform) == cause }
        }
    }
}

extension Plant {
    /// Moves a due date whose push an outage kept back to today, and plans its push: at the alarm's time, or at once if that is
    /// past. In quiet hours it moves to the day on which they end (rule 13.3).
    ///
    /// - Parameter missed: the push that was not sent.
    /// - Returns: the occurrences to add to the calendar; nil if the due date has been set since, or the plant was removed.
    public mutating func excuse(_ missed: PlannedMoment, for account: Account, in context: CommandContext)
        -> [Occurrence]?
    {
        guard archivedAt == nil, plans.wateringDue == missed else { return nil }
        let alarm = context.zone.firstInstant(on: context.today, at: alarmTime)
        let at = alarm < context.now ? context.zone.outsideQuietHours(context.now) : alarm
        let day = context.zone.day(at: at)
        setDue(day, .outage)
        var occurrences = replan(for: account, in: context)
        guard dueOn == day, day == context.today, plans.wateringDue.map({ $0 == missed }) ?? true else {
            return occurrences
        }
        let planned = PlannedMoment(ref: Int(day.daysSinceEpoch), at: context.aheadOfCursor(at))
        plans.wateringDue = planned
        occurrences.append(occurrence(.wateringDue, planned))
        return occurrences
    }

    /// What its due date is: one like any other, the first day after a pause, or one that an outage set.
    public var occasion: PushOccasion {
        PushOccasion(dueSource, isMovedByPause: originalDueOn != nil)
    }
}

extension PushOccasion {
    /// - Parameter isMovedByPause: Whether a pause has moved the due date.
    package init(_ dueSource: Plant.DueSource, isMovedByPause: Bool) {
        self = dueSource == .outage ? .afterOutage : isMovedByPause ? .afterPause : .usual
    }
}

/// One contact with the friend, on a civil day, by a contact method (rule 3).
public struct Watering: Hashable, Sendable {
    /// How many days back a watering can be recorded (rule 3.4).
    public static let daysBack = 7

    /// 1, 2, 3 … within its plant, in recording order.
    public let number: Int
    public let wateredOn: CivilDay
    public let recordedAt: Instant
    public let method: ContactMethod
    /// The due date that it set, before a pause moved it; nil if it was older than the latest watering and left the due date alone.
    public let dueOn: CivilDay?
    /// Whether it was recorded for an earlier day; if so, it gets no reminder (rule 7.3).
    public let isBackdated: Bool
    public var review: Review?
    public var isReviewDeclined: Bool

    public init(
        number: Int, wateredOn: CivilDay, recordedAt: Instant, method: ContactMethod, dueOn: CivilDay?,
        isBackdated: Bool, review: Review?, isReviewDeclined: Bool
    ) {
        self.number = number
        self.wateredOn = wateredOn
        self.recordedAt = recordedAt
        self.method = method
        self.dueOn = dueOn
        self.isBackdated = isBackdated
        self.review = review
        self.isReviewDeclined = isReviewDeclined
    }
}

/// A command to record a contact.
public struct WateringRequest: Sendable {
    public var method: ContactMethod
    /// The civil day of the contact; nil means today.
    public var day: CivilDay?
    /// When the person recorded it, by the device's clock; its day counts where `day` is nil (rule 14.3).
    public var madeAt: Instant?
    public var review: Review?
    public var declinesReview: Bool

    public init(
        method: ContactMethod, day: CivilDay? = nil, madeAt: Instant? = nil, review: Review? = nil,
        declinesReview: Bool = false
    ) {
        self.method = method
        self.day = day
        self.madeAt = madeAt
        self.review = review
        self.declinesReview = declinesReview
    }
}

/// The effects of a watering besides those on the plant itself.
public struct WateringChange: Sendable {
    public let watering: Watering
    public let entries: [AffectionEntry]
    public let occurrences: [Occurrence]
}

extension Plant {
    /// The civil day for which a watering is recorded, if rule 3.4 allows it.
    ///
    /// - Throws: ``CareError/wateringDayOutOfRange(_:earliest:latest:)``, ``CareError/madeTooLongAgo(_:days:)``.
    public func wateringDay(_ request: WateringRequest, in context: CommandContext) throws(CareError) -> CivilDay {
        let earliest = max(context.today + -Watering.daysBack, min(plantedOn, context.today))
        let madeOn = try context.day(madeAt: request.madeAt)
        let wateredOn = request.day ?? madeOn
        guard wateredOn >= earliest, wateredOn <= context.today else {
            throw .wateringDayOutOfRange(wateredOn, earliest: earliest, latest: context.today)
        }
        return wateredOn
    }

    /// Records a contact: restarts the cycle, earns affection, and plans the next alarm and the review reminder.
    ///
    /// - Parameter isFirstOfDay: Whether no other watering of this plant is recorded for that civil day; only the first
    ///   earns affection (rule 3.5).
    /// - Throws: ``CareError/archived(since:)``, ``CareError/wateringDayOutOfRange(_:earliest:latest:)``.
    public mutating func water(
        _ request: WateringRequest, isFirstOfDay: Bool, for account: Account, in context: CommandContext
    ) throws(CareError) -> WateringChange {
        try requireLiving(context.zone)
        let day = try wateringDay(request, in: context)
        let isNewest = lastWateredOn.map { day >= $0 } ?? true
        wateringCount += 1
        if isNewest {
            lastWateredOn = day
            setDue(day + cycle.days, .watering)
        }
        let watering = Watering(
            number: wateringCount, wateredOn: day, recordedAt: context.now, method: request.method,
            dueOn: isNewest ? ownDueOn : nil, isBackdated: day < context.today, review: request.review,
            isReviewDeclined: request.declinesReview)
        var entries: [AffectionEntry] = []
        if isFirstOfDay {
            let reasons = [.contact] + (request.review?.reasons ?? [])
            entries = earn(reasons, for: watering.number)
        }
        var occurrences = isNewest ? replan(for: account, in: context) : []
        if isNewest {
            plans.reviewMissing = nil
            occurrences += planReminder(of: watering, in: context)
        }
        return WateringChange(watering: watering, entries: entries, occurrences: occurrences)
    }

    /// Writes or edits the review of a watering. Newly added parts earn affection once (rule 4.4).
    ///
    /// - Parameter earned: The reasons for which the ledger has entries for this watering. Without `contact`, it was
    ///   not the first of its day or affection was full, so it earns nothing.
    /// - Throws: ``CareError/archived(since:)``.
    public mutating func write(
        _ review: Review, to watering: inout Watering, earned: Set<AffectionReason>, in context: CommandContext
    ) throws(CareError) -> [AffectionEntry] {
        try requireLiving(context.zone)
        watering.review = review
        watering.isReviewDeclined = false
        guard earned.contains(.contact) else { return [] }
        return earn(review.reasons.filter { !earned.contains($0) }, for: watering.number)
    }

    /// Deletes a review; the watering and its affection stay (rules 4.3 and 5.3). A reminder whose time has not come is
    /// sent.
    ///
    /// - Throws: ``CareError/archived(since:)``, ``CareError/notFound(_:)`` if there is no review.
    public mutating func deleteReview(of watering: inout Watering, isNewest: Bool, in context: CommandContext)
        throws(CareError) -> [Occurrence]
    {
        try requireLiving(context.zone)
        guard watering.review != nil else { throw .notFound(.review) }
        watering.review = nil
        return isNewest ? planReminder(of: watering, in: context) : []
    }

    /// Declines the review of a watering, so that no reminder is sent (rule 5.4).
    ///
    /// - Throws: ``CareError/archived(since:)``.
    public func declineReview(of watering: inout Watering, in context: CommandContext) throws(CareError) {
        try requireLiving(context.zone)
        watering.isReviewDeclined = true
    }

    private mutating func earn(_ reasons: [AffectionReason], for wateringNumber: Int) -> [AffectionEntry] {
        reasons.compactMap { reason in
            let points = affection.gain()
            return points > 0 ? AffectionEntry(wateringNumber: wateringNumber, reason: reason, points: points) : nil
        }
    }
}

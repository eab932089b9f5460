/// One contact with the friend, on a civil day, by a contact method (rule 3).
public struct Watering: Hashable, Sendable {
    /// How far back a watering can be recorded, in days (rule 3.4).
    public static let daysBack = 7

    /// 1, 2, 3 … within its plant, in the order of recording.
    public let number: Int
    public let wateredOn: CivilDay
    public let recordedAt: Instant
    public let method: ContactMethod
    /// The due date that it set; nil when an older day was recorded and the due date stayed.
    public let dueOn: CivilDay?
    /// Whether it was recorded for a day before the one on which it was recorded; then it is not reminded of (rule 7.3).
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

/// What an account says about a contact it made.
public struct WateringRequest: Sendable {
    public var method: ContactMethod
    /// The civil day of the contact; nil is today.
    public var day: CivilDay?
    public var review: Review?
    public var declinesReview: Bool

    public init(method: ContactMethod, day: CivilDay? = nil, review: Review? = nil, declinesReview: Bool = false) {
        self.method = method
        self.day = day
        self.review = review
        self.declinesReview = declinesReview
    }
}

/// What a watering changed beside the plant itself.
public struct WateringChange: Sendable {
    public let watering: Watering
    public let entries: [AffectionEntry]
    public let occurrences: [Occurrence]
}

extension Plant {
    /// The civil day a watering is recorded for, if rule 3.4 allows it.
    ///
    /// - Throws: ``CareError/wateringDayOutOfRange(_:earliest:latest:)``.
    public func wateringDay(_ day: CivilDay?, at present: Present) throws(CareError) -> CivilDay {
        let earliest = max(present.today + -Watering.daysBack, min(plantedOn, present.today))
        let wateredOn = day ?? present.today
        guard wateredOn >= earliest, wateredOn <= present.today else {
            throw .wateringDayOutOfRange(wateredOn, earliest: earliest, latest: present.today)
        }
        return wateredOn
    }

    /// Records a contact: restarts the cycle, earns affection, plans the next alarm and the reminder of the review.
    ///
    /// - Parameter isFirstOfDay: whether no other watering of this plant is recorded for that civil day; only the first
    ///   earns affection (rule 3.5).
    /// - Throws: ``CareError/archived(since:)``, ``CareError/wateringDayOutOfRange(_:earliest:latest:)``.
    public mutating func water(
        _ request: WateringRequest, isFirstOfDay: Bool, for account: Account, at present: Present
    ) throws(CareError) -> WateringChange {
        try requireLiving(present.zone)
        let day = try wateringDay(request.day, at: present)
        let isNewest = lastWateredOn.map { day >= $0 } ?? true
        wateringCount += 1
        if isNewest {
            lastWateredOn = day
            dueOn = day + cycle.days
            dueSource = .watering
        }
        let watering = Watering(
            number: wateringCount, wateredOn: day, recordedAt: present.now, method: request.method,
            dueOn: isNewest ? dueOn : nil, isBackdated: day < present.today, review: request.review,
            isReviewDeclined: request.declinesReview)
        var entries: [AffectionEntry] = []
        if isFirstOfDay {
            let reasons = [.contact] + (request.review?.reasons ?? [])
            entries = earn(reasons, for: watering.number)
        }
        var occurrences = isNewest ? replan(for: account, at: present) : []
        if isNewest {
            plans.reviewMissing = nil
            occurrences += planReminder(of: watering, at: present)
        }
        return WateringChange(watering: watering, entries: entries, occurrences: occurrences)
    }

    /// Writes or edits the review of a watering. What it newly has earns affection once (rule 4.4).
    ///
    /// - Parameter earned: the reasons for which this watering has rows in the ledger. Without one for the contact it
    ///   was not the first of its day, or affection is full: it earns nothing.
    /// - Throws: ``CareError/archived(since:)``.
    public mutating func write(
        _ review: Review, to watering: inout Watering, earned: Set<AffectionReason>, at present: Present
    ) throws(CareError) -> [AffectionEntry] {
        try requireLiving(present.zone)
        watering.review = review
        watering.isReviewDeclined = false
        guard earned.contains(.contact) else { return [] }
        return earn(review.reasons.filter { !earned.contains($0) }, for: watering.number)
    }

    /// Deletes a review; the watering and its affection stay (rules 4.3 and 5.3). A reminder that is still ahead comes.
    ///
    /// - Throws: ``CareError/archived(since:)``, ``CareError/notFound(_:)`` when there is no review.
    public mutating func deleteReview(of watering: inout Watering, isNewest: Bool, at present: Present)
        throws(CareError) -> [Occurrence]
    {
        try requireLiving(present.zone)
        guard watering.review != nil else { throw .notFound(.review) }
        watering.review = nil
        return isNewest ? planReminder(of: watering, at: present) : []
    }

    /// Notes that the account will not review a watering, so that it is not reminded of it (rule 5.4).
    ///
    /// - Throws: ``CareError/archived(since:)``.
    public func declineReview(of watering: inout Watering, at present: Present) throws(CareError) {
        try requireLiving(present.zone)
        watering.isReviewDeclined = true
    }

    private mutating func earn(_ reasons: [AffectionReason], for wateringNumber: Int) -> [AffectionEntry] {
        reasons.compactMap { reason in
            let points = affection.gain()
            return points > 0 ? AffectionEntry(wateringNumber: wateringNumber, reason: reason, points: points) : nil
        }
    }
}

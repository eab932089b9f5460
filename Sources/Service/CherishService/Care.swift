import CherishCore
import CherishStore
import Foundation

/// What the device knows of something that a person did, perhaps while it was offline (rule 14.3).
public struct Fact: Sendable {
    /// The id that it made: however often it is sent, it is recorded once.
    public var id: UUID?
    /// By its clock; nil means now.
    public var madeAt: Instant?

    public init(id: UUID? = nil, madeAt: Instant? = nil) {
        (self.id, self.madeAt) = (id, madeAt)
    }
}

/// A request to record a watering, not validated yet.
public struct ContactRequest: Sendable {
    public var method: ContactMethod
    /// Up to 7 days back; nil means today.
    public var day: CivilDay?
    public var keywords: [String] = []
    public var memo: String?
    /// Whether the review is declined, so that no reminder follows.
    public var declinesReview = false
    public var fact = Fact()

    public init(method: ContactMethod) {
        self.method = method
    }
}

extension GardenService {
    /// Records a watering, with or without a review (rules 3 and 5).
    ///
    /// - Parameter id: the plant's id, or a prefix of at least 8 digits.
    /// - Throws: ``CareError``. Without keywords and memo no review is written; a blank memo alone is refused as an
    ///   empty review.
    public func water(_ id: String, _ request: ContactRequest) async throws -> WateringView {
        let isReviewed = !request.keywords.isEmpty || request.memo != nil
        let review = isReviewed ? try Review(keywords: request.keywords, memo: request.memo) : nil
        return try await changeWatering(of: id) {
            try await garden.water(
                $0,
                WateringRequest(
                    method: request.method, day: request.day, madeAt: request.fact.madeAt, review: review,
                    declinesReview: request.declinesReview), factID: request.fact.id)
        }
    }

    /// Writes or edits a review. Empty keywords and a nil memo leave the old ones; an empty memo removes the old one.
    ///
    /// - Parameter day: the day of the watering; nil means the newest watering.
    public func writeReview(_ id: String, on day: CivilDay?, keywords: [String], memo: String?) async throws
        -> WateringView
    {
        guard !keywords.isEmpty || memo != nil else { throw CareError.reviewEmpty }
        return try await changeWatering(of: id) {
            try await garden.writeReview($0, on: day, keywords: keywords.isEmpty ? nil : keywords, memo: memo)
        }
    }

    /// Writes a whole review: what is empty here, and was not before, is removed.
    ///
    /// - Parameter day: the day of the watering.
    /// - Throws: ``CareError/reviewEmpty`` if nothing is left.
    public func rewriteReview(_ id: String, on day: CivilDay, keywords: [String], memo: String?) async throws
        -> WateringView
    {
        try await changeWatering(of: id) {
            try await garden.writeReview($0, on: day, keywords: keywords, memo: memo ?? "")
        }
    }

    /// Deletes a review; the watering and its affection stay (rule 5.3).
    public func deleteReview(_ id: String, on day: CivilDay) async throws -> WateringView {
        try await changeWatering(of: id) { try await garden.deleteReview($0, on: day) }
    }

    /// Declines to review a watering (rule 5.4).
    public func declineReview(_ id: String, on day: CivilDay) async throws -> WateringView {
        try await changeWatering(of: id) { try await garden.declineReview($0, on: day) }
    }

    /// Moves the due date on D-day (rule 6).
    ///
    /// - Parameter seen: the due date that the person saw; nil does not check it.
    public func postpone(_ id: String, days: Int, fromDueOn seen: CivilDay? = nil, fact: Fact = Fact()) async throws
        -> PlantView
    {
        try await view(
            of: try await garden.postpone(
                try await plantID(id), days: days, fromDueOn: seen, madeAt: fact.madeAt, factID: fact.id))
    }

    /// The plant's calendar: days watered, the due date, and projected days.
    ///
    /// - Parameters:
    ///   - first: nil means 30 days back.
    ///   - last: nil means 60 days ahead.
    /// - Throws: ``CareError/notFound(_:)``, ``RequestError/invalidSpan(mostDays:)``.
    public func calendar(_ id: String, from first: CivilDay?, to last: CivilDay?) async throws -> CalendarView {
        let plant = try await garden.plant(id)
        let today = try today(try await garden.viewpoint())
        let days = try CalendarSpan(
            from: first, to: last, today: today, mostDays: GardenService.longestCalendar)
        let waterings = try await garden.waterings(of: plant.id, from: days.first, to: days.last)
        return CalendarView(
            plantID: plant.id,
            days: CalendarDay.days(of: plant, waterings: waterings, from: days.first, to: days.last, today: today))
    }

    /// In days: ten years, each as long as a leap year.
    public static let longestCalendar = 3660

    private func changeWatering(
        of id: String, _ change: (Plant.ID) async throws -> (watering: RecordedWatering, plant: Plant)
    ) async throws -> WateringView {
        let (recorded, plant) = try await change(try await plantID(id))
        return WateringView(recorded: recorded, plant: try await view(of: plant))
    }
}

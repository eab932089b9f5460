import CherishCore
import CherishStore

/// A contact to record, as somebody wrote it.
public struct ContactRequest: Sendable {
    public var method: ContactMethod
    /// Today without it, up to 7 days back.
    public var day: CivilDay?
    public var keywords: [String] = []
    public var memo: String?
    /// Whether no reminder of the review is wanted.
    public var declinesReview = false

    public init(method: ContactMethod) {
        self.method = method
    }
}

extension GardenService {
    /// Records a contact, with its review or without (rules 3 and 5).
    ///
    /// - Parameter id: the plant's id, or the first 8 digits or more.
    /// - Throws: ``CareError``. Nothing written is no review; a blank memo alone is refused as an empty one.
    public func water(_ id: String, _ request: ContactRequest) async throws -> WateringView {
        let isReviewed = !request.keywords.isEmpty || request.memo != nil
        let review = isReviewed ? try Review(keywords: request.keywords, memo: request.memo) : nil
        return try await changeWatering(of: id) {
            try await garden.water(
                $0,
                WateringRequest(
                    method: request.method, day: request.day, review: review, declinesReview: request.declinesReview))
        }
    }

    /// Writes or edits a review; what is nil or empty stays as it was.
    ///
    /// - Parameter day: of the watering; nil is the newest one.
    public func writeReview(_ id: String, on day: CivilDay?, keywords: [String], memo: String?) async throws
        -> WateringView
    {
        guard !keywords.isEmpty || memo != nil else { throw CareError.reviewEmpty }
        return try await changeWatering(of: id) {
            try await garden.writeReview($0, on: day, keywords: keywords.isEmpty ? nil : keywords, memo: memo)
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
    public func postpone(_ id: String, days: Int) async throws -> PlantView {
        try await view(of: try await garden.postpone(try await garden.plant(id).id, days: days))
    }

    /// The days on which a plant was watered, and the days to come.
    ///
    /// - Parameters:
    ///   - first: 30 days back without it.
    ///   - last: 60 days ahead without it.
    /// - Throws: ``CareError/notFound(_:)``, ``RequestError/invalidSpan``.
    public func calendar(_ id: String, from first: CivilDay?, to last: CivilDay?) async throws -> CalendarView {
        let plant = try await garden.plant(id)
        let today = try await today()
        let first = first ?? min(today + -30, last ?? today)
        let last = last ?? max(today + 60, first)
        guard first <= last, last - first <= GardenService.longestCalendar else { throw RequestError.invalidSpan }
        let waterings = try await garden.waterings(of: plant.id, from: first, to: last)
        return CalendarView(
            plantID: plant.id,
            days: CalendarDay.days(of: plant, waterings: waterings, from: first, to: last, today: today))
    }

    /// In days: ten years and some leap days.
    public static let longestCalendar = 3660

    private func changeWatering(
        of id: String, _ change: (Plant.ID) async throws -> (watering: RecordedWatering, plant: Plant)
    ) async throws -> WateringView {
        let (recorded, plant) = try await change(try await garden.plant(id).id)
        return WateringView(recorded: recorded, plant: try await view(of: plant))
    }
}

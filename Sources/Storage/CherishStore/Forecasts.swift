import CherishCore
import Postgres

/// The future pushes of an account if nobody does anything.
public struct AccountForecast: Sendable {
    /// A push as the log would record it, and when it will be sent.
    public struct Delivery: Sendable {
        public let at: Instant
        /// Its number is 0: jobs get their numbers when they are recorded.
        public let job: DeliveryJob
    }

    public let account: Account
    public let zone: TimeZoneRules
    /// From now up to, but not including, the end.
    public let span: Range<Instant>
    /// In sending order.
    public let deliveries: [Delivery]
    /// The pushes that will end unsent, in the same order.
    public let withheld: [PushForecast.Entry]
    /// Everything that belongs to the account, as of now.
    public let export: AccountExport
    /// The cursor of the account's lane if it is more than a minute ahead of now: nothing planned before it is sent.
    public let calendarAheadUntil: Instant?

    /// The devices that are not retired, newest first.
    public var devices: [Device] { export.devices.filter { $0.retirement == nil } }
}

extension Garden {
    /// Forecasts the account's pushes for `days` civil days of its zone, starting today. Assumes that nobody does
    /// anything, a worker always runs, and providers accept everything.
    ///
    /// - Parameter days: at least 1.
    /// - Throws: ``CareError/notFound(_:)``.
    public func forecast(days: Int) async throws -> AccountForecast {
        let export = try await export()
        let zone = store.zones.rulesOrUTC(export.account.timeZone)
        let now = try await store.now()
        let end = zone.start(of: zone.day(at: now) + days)
        let forecast = PushForecast(of: export, from: now, before: end, in: zone)
        let plants = Dictionary(export.plants.map { ($0.plant.id, $0) }, uniquingKeysWith: { first, _ in first })
        let deliveries = forecast.entries.filter { $0.end == nil }.compactMap { entry in
            plants[Plant.ID(entry.occurrence.subjectID)].map {
                AccountForecast.Delivery(at: entry.at, job: DeliveryJob(entry, of: $0, in: export))
            }
        }
        return AccountForecast(
            account: export.account, zone: zone, span: now..<max(now, end), deliveries: deliveries,
            withheld: forecast.entries.filter { $0.end != nil }, export: export,
            calendarAheadUntil: try await calendarAhead())
    }
}

extension DeliveryJob {
    /// A job not yet in the log, as delivery will read it.
    fileprivate init(_ entry: PushForecast.Entry, of plant: PlantHistory, in export: AccountExport) {
        let occurrence = entry.occurrence
        let watering = plant.waterings.first { $0.number == occurrence.ref }
        let wateredOn = occurrence.topic == .reviewMissing ? watering?.wateredOn : nil
        let reviews = plant.waterings.compactMap(\.review)
        let isRecalled = [.wateringDue, .birthday].contains(occurrence.topic)
        self.init(
            job: PushJob(
                lane: export.account.id.lane, seq: 0, recordedAt: entry.at, occurrence: occurrence,
                expiresAt: entry.expiresAt),
            candidate: entry.candidate,
            content: Content(
                language: export.account.language,
                subject: SubjectContent(
                    occurrence.topic, on: wateredOn ?? CivilDay(ref: occurrence.ref), nickname: plant.plant.nickname,
                    species: plant.plant.cycle.species, plantedOn: plant.plant.plantedOn,
                    keywords: isRecalled ? reviews.last { !$0.keywords.isEmpty }?.keywords ?? [] : [],
                    in: export.account.language),
                devices: export.devices.filter { $0.retirement == nil }),
            attempts: 0, isRetry: false)
    }
}

import CherishCore

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
    /// The devices that are not retired, newest first.
    public let devices: [Device]
    /// The cursor of the account's lane if it is more than a minute ahead of now: nothing planned before it is sent.
    public let calendarAheadUntil: Instant?
    fileprivate let dueCounts: [CivilDay: Int]

    /// How many of the account's subjects will be due on a day, as a digest counts them.
    public func dueCount(on day: CivilDay) -> Int { dueCounts[day] ?? 0 }
}

extension Garden {
    /// Forecasts the account's pushes for `days` civil days of its zone, starting today. Assumes that nobody does
    /// anything, a worker always runs, and providers accept everything.
    ///
    /// - Parameter days: at least 1.
    /// - Throws: ``CareError/notFound(_:)``.
    public func forecast(days: Int) async throws -> AccountForecast {
        let (now, aheadUntil) = (try await store.now(), try await calendarAhead())
        return try await withExport { reader in
            let account = reader.head.account
            let zone = store.zones.clockOrUTC(of: account)
            let end = zone.start(of: zone.day(at: now) + days)
            let scope = ForecastScope(reader: reader, zone: zone, span: now..<max(now, end))
            let forecast = try await store.domains.forecast(scope)
            let devices = reader.head.devices.filter { $0.retirement == nil }
            return AccountForecast(
                account: account, zone: zone, span: scope.span,
                deliveries: forecast.pushes.filter { $0.entry.end == nil }.map {
                    AccountForecast.Delivery(at: $0.entry.at, job: DeliveryJob($0, of: account, to: devices))
                },
                withheld: forecast.pushes.map(\.entry).filter { $0.end != nil }, devices: devices,
                calendarAheadUntil: aheadUntil, dueCounts: forecast.dueCounts)
        }
    }
}

extension DeliveryJob {
    /// A job not yet in the log, as delivery will read it.
    fileprivate init(_ push: DomainForecast.Push, of account: Account, to devices: [Device]) {
        let entry = push.entry
        self.init(
            job: PushJob(
                lane: account.id.lane, seq: 0, recordedAt: entry.at, occurrence: entry.occurrence,
                expiresAt: entry.expiresAt),
            candidate: entry.candidate,
            content: Content(language: account.language, subject: push.content, devices: devices), attempts: 0,
            isRetry: false)
    }
}

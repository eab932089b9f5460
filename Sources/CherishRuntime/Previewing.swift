import CherishCore
import CherishPush
import CherishStore
import CherishWorker

/// What an account will be sent if nobody does anything.
public struct AccountPreview: Sendable {
    public let forecast: AccountForecast
    public let pushes: PushPreview
    /// Why none of it will be sent as the account's devices are now; nil where it will.
    public let obstacle: PushReason?
}

extension Engine {
    /// Tells what a worker with these settings would send to an account, by what the worker sends it with.
    ///
    /// - Parameters:
    ///   - days: civil days of the account's zone of which today is the first, at least 1.
    ///   - form: nil: as pushes go with these settings.
    /// - Throws: ``CareError``.
    public func preview(_ account: Account.ID, days: Int, as form: PushPreview.Form? = nil) async throws
        -> AccountPreview
    {
        let forecast = try await store.forecast(of: account, days: days)
        let isToDevices = settings.workerPush == .devices
        // How long a lease lasts does not matter to who takes none.
        let log = DeliveryLog(
            pool: store.pool, zones: zones, time: store.time, leaseDuration: settings.leaseDuration)
        let surroundings = try await log.surroundings(
            of: forecast.deliveries.map(\.job), at: forecast.span.lowerBound)
        let pushes = PushPreview(
            of: forecast, as: form ?? (isToDevices ? .devices : .lines), told: surroundings.told[account] ?? [],
            dailyCap: settings.providers.dailyCap, links: DeepLinks(scheme: settings.linkScheme))
        return AccountPreview(
            forecast: forecast, pushes: pushes, obstacle: isToDevices ? obstacle(for: forecast.devices) : nil)
    }

    private func obstacle(for devices: [Device]) -> PushReason? {
        if devices.isEmpty { return .noDevice }
        return devices.contains { settings.providers.platforms.contains($0.platform) } ? nil : .providerNotConfigured
    }
}

extension ProviderSettings {
    /// The platforms whose devices can be reached.
    var platforms: Set<Device.Platform> {
        var platforms: Set<Device.Platform> = []
        if apns != nil { platforms.insert(.ios) }
        if fcm != nil { platforms.insert(.android) }
        if webhooks != .off { platforms.insert(.webhook) }
        return platforms
    }
}

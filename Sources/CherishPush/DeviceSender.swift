import CherishCore

/// What a provider said about one push to one device. Reasons are its status and code, without personal data.
public enum DeviceResult: Hashable, Sendable {
    /// Its provider took it.
    case accepted
    /// To be tried again, not before a time if the provider named one.
    case failed(reason: String, retryAfter: Duration?)
    /// The provider was not asked, or could not answer for reasons that are not the push's: to be tried again after a
    /// time, without counting as an attempt.
    case held(reason: String, for: Duration)
    /// The provider will never take it.
    case refused(reason: String)
    /// The device is gone. One that was added again after `since` lives; nil: since now.
    case tokenDead(reason: String, since: Instant?)
}

/// Sends pushes to devices of one platform.
public protocol DeviceSender: Sendable {
    /// Sends one push to one device. Bounds by itself how many it sends at once.
    func send(_ push: AccountPush, to device: Device, at now: Instant) async -> DeviceResult
}

import CherishCore

/// A provider's answer for one push to one device. Reasons hold its status and code, and no personal data.
public enum DeviceResult: Hashable, Sendable {
    /// The provider accepted the push.
    case accepted
    /// Retry, not before `retryAfter` if the provider named a time.
    case failed(reason: String, retryAfter: Duration?)
    /// The provider was not asked, or failed for reasons unrelated to the push: retry after a time, without counting an
    /// attempt.
    case held(reason: String, for: Duration)
    /// The provider will never accept the push.
    case refused(reason: String)
    /// The device is gone, unless it was added again after `since`; nil means since now.
    case tokenDead(reason: String, since: Instant?)
}

/// Sends pushes to devices of one platform.
public protocol DeviceSender: Sendable {
    /// How many pushes it sends at once; further ones wait for their turn.
    var concurrency: Int { get }
    /// Sends one push to one device.
    func send(_ push: AccountPush, to device: Device, at now: Instant) async -> DeviceResult
}

extension DeviceSender {
    /// Any number by default.
    public var concurrency: Int { .max }
}

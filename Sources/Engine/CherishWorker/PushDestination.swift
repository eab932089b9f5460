import CherishCore
import CherishPush

/// Where pushes go.
public enum PushDestination: Sendable {
    /// A file or a terminal: one line per job. Accounts need no device.
    case lines(any PushSender)
    /// The accounts' devices. Pushes of one minute are combined, and pushes of one day are capped.
    case devices(DeviceSenders)
}

/// The senders of each platform, and their limits.
public struct DeviceSenders: Sendable {
    /// The default number of pushes that an account gets on a civil day before the rest becomes one digest.
    public static let standardDailyCap = 20

    let senders: [Device.Platform: any DeviceSender]
    let dailyCap: Int
    let patience: Duration
    let waitsForWebhooks: Bool

    /// - Parameters:
    ///   - senders: the configured platforms.
    ///   - dailyCap: at least 1.
    ///   - patience: the longest wait for an answer. A push without one is retried.
    ///   - waitsForWebhooks: whether a batch waits for webhooks as it does for phones. If not, their answers are
    ///     recorded later, so a slow webhook delays nobody else's pushes.
    public init(
        _ senders: [Device.Platform: any DeviceSender], dailyCap: Int = standardDailyCap,
        patience: Duration = .seconds(15), waitsForWebhooks: Bool = true
    ) {
        precondition(dailyCap >= 1, "an account gets a push a day at least")
        self.senders = senders
        self.dailyCap = dailyCap
        self.patience = patience
        self.waitsForWebhooks = waitsForWebhooks
    }

    /// Whether a batch waits for the answers of a platform.
    func isAwaited(_ platform: Device.Platform) -> Bool { platform != .webhook || waitsForWebhooks }
}

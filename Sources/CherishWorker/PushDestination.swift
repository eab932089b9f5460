import CherishCore
import CherishPush

/// Where pushes go.
public enum PushDestination: Sendable {
    /// A file or a terminal, a line for each job; accounts need no device.
    case lines(any PushSender)
    /// The accounts' devices, whose pushes of one minute are combined and of one day are capped.
    case devices(DeviceSenders)
}

/// How devices are reached.
public struct DeviceSenders: Sendable {
    /// How many pushes an account gets on a civil day before the rest is folded into one digest, unless the operator says
    /// otherwise.
    public static let standardDailyCap = 20

    let senders: [Device.Platform: any DeviceSender]
    let dailyCap: Int
    let patience: Duration
    let waitsForWebhooks: Bool

    /// - Parameters:
    ///   - senders: the platforms that are set up.
    ///   - dailyCap: at least 1.
    ///   - patience: how long answers are waited for. What has none by then is tried again.
    ///   - waitsForWebhooks: whether a batch waits for webhooks as it does for phones. Otherwise it is recorded without
    ///     them, and what they answer is recorded later; so a slow one keeps nobody else's pushes waiting.
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

    /// Whether a batch waits for what devices of a platform answer.
    func isAwaited(_ platform: Device.Platform) -> Bool { platform != .webhook || waitsForWebhooks }
}

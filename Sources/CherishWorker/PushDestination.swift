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

    /// - Parameters:
    ///   - senders: the platforms that are set up.
    ///   - dailyCap: at least 1.
    ///   - patience: how long a batch waits for answers. What has none by then is tried again; so a slow server keeps
    ///     nobody else's pushes waiting for longer.
    public init(
        _ senders: [Device.Platform: any DeviceSender], dailyCap: Int = standardDailyCap,
        patience: Duration = .seconds(15)
    ) {
        precondition(dailyCap >= 1, "an account gets a push a day at least")
        self.senders = senders
        self.dailyCap = dailyCap
        self.patience = patience
    }
}

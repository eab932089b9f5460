import CherishCore
import CherishPush
import CherishWorker

/// A device provider that records what it receives and answers as a test specifies.
actor RecordingDeviceSender: DeviceSender {
    struct Sent: Sendable {
        let push: AccountPush
        let device: Device
    }

    private let react: @Sendable (_ push: AccountPush, _ device: Device, _ attempt: Int) -> DeviceResult
    /// All pushes in order of arrival, including repetitions.
    private(set) var sent: [Sent] = []
    private var attempts: [String: Int] = [:]

    /// - Parameter react: called with how often the push has come to the device, including this time.
    init(
        react: @escaping @Sendable (_ push: AccountPush, _ device: Device, _ attempt: Int) -> DeviceResult = {
            _, _, _ in .accepted
        }
    ) {
        self.react = react
    }

    func send(_ push: AccountPush, to device: Device, at now: Instant) async -> DeviceResult {
        sent.append(Sent(push: push, device: device))
        let key = "\(push.collapseID) \(device.id)"
        attempts[key, default: 0] += 1
        return react(push, device, attempts[key, default: 0])
    }

    /// Token and title of each push, sorted.
    var titles: [String] { sent.map { "\($0.device.token) \($0.push.text.title)" }.sorted() }

    /// Senders for all platforms, or some of them.
    nonisolated func senders(
        _ platforms: [Device.Platform] = Device.Platform.allCases, dailyCap: Int = DeviceSenders.standardDailyCap
    ) -> DeviceSenders {
        DeviceSenders(Dictionary(uniqueKeysWithValues: platforms.map { ($0, self) }), dailyCap: dailyCap)
    }
}

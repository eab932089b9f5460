import CherishCore
import CherishPush
import CherishWorker

/// A provider of devices that remembers what it was handed and answers what a test says.
actor RecordingDeviceSender: DeviceSender {
    struct Sent: Sendable {
        let push: AccountPush
        let device: Device
    }

    private let react: @Sendable (_ push: AccountPush, _ device: Device, _ attempt: Int) -> DeviceResult
    /// All pushes in the order they came, repetitions too.
    private(set) var sent: [Sent] = []
    private var attempts: [String: Int] = [:]

    /// - Parameter react: is called with how often the push came to the device, this time included.
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

    /// Token and title of each push, in the order of tokens and titles.
    var titles: [String] { sent.map { "\($0.device.token) \($0.push.text.title)" }.sorted() }

    /// For all platforms, or some of them.
    nonisolated func senders(
        _ platforms: [Device.Platform] = Device.Platform.allCases, dailyCap: Int = DeviceSenders.standardDailyCap
    ) -> DeviceSenders {
        DeviceSenders(Dictionary(uniqueKeysWithValues: platforms.map { ($0, self) }), dailyCap: dailyCap)
    }
}

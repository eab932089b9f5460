import CherishPush
import CherishTestSupport
import Dispatch
import NIOCore
import Testing

@testable import CherishProviders

@Suite("Pinned hosts")
struct PinnedHostsTests {
    @Test("a hundred names whose name server does not answer delay no other name")
    func slowNameServer() async throws {
        let nameServer = DispatchSemaphore(value: 0)
        let (asked, found) = (Counter(), Counter())
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: 0)
        let hosts = PinnedHosts(
            try transportSettings(), allowsPrivateAddresses: true,
            provider: { name in
                Provider(
                    name: name, settings: ProviderSettingNames(credentials: "A", address: "B", environment: "C"),
                    concurrency: nil, logger: LogLines().logger)
            },
            lookUp: { name in
                if name.hasPrefix("slow") {
                    _ = asked.next()
                    nameServer.wait()
                }
                return [address]
            })
        let waiting = Task {
            await sendAtOnce(101) { number in
                await hosts.with(number < 100 ? "slow\(number).example.com" : "quick.example.com") {
                    _ -> DeviceResult in
                    _ = found.next()
                    return .accepted
                } otherwise: { failure -> DeviceResult in
                    .refused(reason: failure.rawValue)
                }
            }
        }
        // Only the quick one has been resolved; the others still wait.
        try await eventually("names wait for each other") { asked.value == 100 && found.value == 1 }
        for _ in 0..<100 { nameServer.signal() }
        #expect(await waiting.value == Array(repeating: .accepted, count: 101))
        await hosts.close()
    }
}

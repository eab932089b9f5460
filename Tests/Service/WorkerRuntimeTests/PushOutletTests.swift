import CherishCore
import Foundation
import Logging
import Testing

@testable import CherishWorker
@testable import CherishRuntime
@testable import WorkerRuntime

@Suite("Push destinations")
struct PushOutletTests {
    @Test("the programs wait for phone providers with each batch, but not for webhooks")
    func awaited() async throws {
        let outlet = try PushOutlet.open(
            .devices, try Settings(environment: [:]).providers, lineDescriptor: STDERR_FILENO,
            logger: Logger(label: "cherish.test") { _ in SwiftLogNoOpLogHandler() })
        let destination = try await outlet.closing { outlet.destination }
        guard case .devices(let senders) = destination else {
            Issue.record("\(outlet.description)")
            return
        }
        #expect(Device.Platform.allCases.filter { senders.isAwaited($0) } == [.ios, .android, .web])
    }
}

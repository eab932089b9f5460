import CherishPush
import CherishWorker

/// The destination of pushes, opened as the settings say. Close it after use, because it may hold connections.
public struct PushOutlet: Sendable {
    package let destination: PushDestination
    /// For a log line.
    package let description: String
    private let close: @Sendable () async -> Void

    package init(
        _ destination: PushDestination, _ description: String, close: @escaping @Sendable () async -> Void = {}
    ) {
        self.destination = destination
        self.description = description
        self.close = close
    }

    /// Lines for people or JSON Lines; nil for devices, which `WorkerRuntime` opens.
    ///
    /// - Parameter lineDescriptor: where lines for people go, and the JSON Lines of `-`.
    public init?(lines setting: PushOutletSetting, descriptor lineDescriptor: Int32) {
        switch setting {
        case .standardOutput: self.init(.lines(LineSender(descriptor: lineDescriptor)), "stdout")
        case .jsonLines("-"): self.init(.lines(JSONLinesSender(descriptor: lineDescriptor)), "jsonl")
        case .jsonLines(let path): self.init(.lines(JSONLinesSender(path: path)), "jsonl")
        case .devices: return nil
        }
    }

    /// Runs the body, then closes whatever is open.
    package func closing<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        do {
            let result = try await body()
            await close()
            return result
        } catch {
            await close()
            throw error
        }
    }
}

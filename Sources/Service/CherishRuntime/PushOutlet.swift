import CherishPush
import CherishWorker

/// An open push destination. Close it after use: it may hold connections.
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

    /// Opens a destination for human-readable lines or JSON Lines; nil for devices, which `WorkerRuntime` opens.
    ///
    /// - Parameter lineDescriptor: receives human-readable lines, and JSON Lines if their path is `-`.
    public init?(lines setting: PushOutletSetting, descriptor lineDescriptor: Int32) {
        switch setting {
        case .standardOutput: self.init(.lines(LineSender(descriptor: lineDescriptor)), "stdout")
        case .jsonLines("-"): self.init(.lines(JSONLinesSender(descriptor: lineDescriptor)), "jsonl")
        case .jsonLines(let path): self.init(.lines(JSONLinesSender(path: path)), "jsonl")
        case .devices: return nil
        }
    }

    /// Runs the body, then closes the outlet.
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

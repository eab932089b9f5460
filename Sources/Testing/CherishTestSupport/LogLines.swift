import Logging
import Synchronization

/// The lines logged, at every level: level, message, metadata by name, and the error.
public final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    public init() {}

    public var all: [String] { lines.withLock { $0 } }
    public var text: String { all.joined(separator: "\n") }
    public var logger: Logger { Logger(label: "cherish.test") { _ in Handler(lines: self) } }

    private struct Handler: LogHandler {
        let lines: LogLines
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let details = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
            let words =
                ["\(event.level)", "\(event.message)"] + details.map { "\($0.key)=\($0.value)" }
                + (event.error.map { ["\($0)"] } ?? [])
            lines.lines.withLock { $0.append(words.joined(separator: " ")) }
        }
    }
}

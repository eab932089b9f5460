import CherishCore
import Logging
import Synchronization
import Testing

@testable import CherishStore
@testable import CherishWorker

@Suite("The log of unreadable rows")
struct UnreadableRowLogTests {
    /// The lines logged.
    private final class LogLines: Sendable {
        private let lines = Mutex<[String]>([])

        var all: [String] { lines.withLock { $0 } }
        var logger: Logger {
            Logger(label: "cherish.test") { _ in RecordingLogHandler(lines: self) }
        }

        func append(_ line: String) {
            lines.withLock { $0.append(line) }
        }
    }

    private struct RecordingLogHandler: LogHandler {
        let lines: LogLines
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        init(lines: LogLines) {
            self.lines = lines
        }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let details = event.metadata ?? [:]
            lines.append("\(event.level): \(details["row", default: ""]): \(details["consequence", default: ""])")
        }
    }

    private let lines = LogLines()

    private func row(_ number: Int) -> UnreadableRow {
        UnreadableRow(what: "an infinite date", in: "watering", [.lane(Lane(7)), .number(number)])
    }

    @Test("each row is logged once per consequence, however often it is found")
    func once() {
        let log = UnreadableRowLog(lines.logger)
        for _ in 1...3 {
            for number in 1...2 { log.note(row(number), "it is passed over") }
            log.note(row(2), "lane 7 stands still")
        }
        let expected = [(1, "it is passed over"), (2, "it is passed over"), (2, "lane 7 stands still")]
        #expect(lines.all == expected.map { "error: \(row($0)): \($1)" })
        #expect(lines.all.first?.contains("table watering with lane 7, number 1 holds an infinite date") == true)
    }

    @Test("at most a thousand rows are remembered; beyond them, the first are logged again, once")
    func bounded() {
        let log = UnreadableRowLog(lines.logger)
        for number in 1...1_001 { log.note(row(number), "it is passed over") }
        #expect(lines.all.count == 1_001)
        for _ in 1...2 { log.note(row(1), "it is passed over") }
        #expect(lines.all.count == 1_002)
    }
}

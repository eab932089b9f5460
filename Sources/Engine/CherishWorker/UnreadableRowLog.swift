import CherishStore
import Logging
import Synchronization

/// Logs each unreadable row once: every look at a broken lane finds it again.
public final class UnreadableRowLog: Sendable {
    /// Bounds memory: beyond this number, it forgets all.
    private static let mostRemembered = 1000

    private struct Entry: Hashable {
        let row: UnreadableRow
        let consequence: String
    }

    private let logger: Logger
    private let reported = Mutex<Set<Entry>>([])

    public init(_ logger: Logger) {
        self.logger = logger
    }

    /// An ``UnreadableRowReport``.
    @Sendable public func note(_ row: UnreadableRow, _ consequence: String) {
        let isNew = reported.withLock { reported in
            if reported.count >= UnreadableRowLog.mostRemembered { reported = [] }
            return reported.insert(Entry(row: row, consequence: consequence)).inserted
        }
        if isNew { logger.error("a row cannot be read", metadata: ["row": "\(row)", "consequence": "\(consequence)"]) }
    }
}

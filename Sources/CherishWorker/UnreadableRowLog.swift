import CherishStore
import Logging
import Synchronization

/// Logs rows that cannot be read, each once: a broken lane is found again at every look.
public final class UnreadableRowLog: Sendable {
    /// Beyond these it begins anew, so that it takes no more memory however much is broken.
    private static let mostRemembered = 1000

    private struct Entry: Hashable {
        let row: UnreadableRow
        let consequence: String
    }

    private let logger: Logger
    private let told = Mutex<Set<Entry>>([])

    public init(_ logger: Logger) {
        self.logger = logger
    }

    /// An ``UnreadableRowReport``.
    @Sendable public func note(_ row: UnreadableRow, _ consequence: String) {
        let isNew = told.withLock { told in
            if told.count >= UnreadableRowLog.mostRemembered { told = [] }
            return told.insert(Entry(row: row, consequence: consequence)).inserted
        }
        if isNew { logger.error("a row cannot be read", metadata: ["row": "\(row)", "consequence": "\(consequence)"]) }
    }
}

/// Which statements a connection has prepared, the least recently used leaving first. Pure: it talks to nobody.
struct StatementCache {
    /// A statement is prepared for its text and the types of its parameters.
    struct Key: Hashable {
        let sql: String
        let types: [UInt32]
    }

    private struct Entry {
        let name: String
        var lastUse: UInt64
    }

    let capacity: Int
    private var entries: [Key: Entry] = [:]
    private var uses: UInt64 = 0
    private var names: UInt64 = 0
    private var discarded: [String] = []

    init(capacity: Int = 256) {
        precondition(capacity > 0)
        self.capacity = capacity
    }

    /// The name under which the statement is prepared.
    mutating func name(for key: Key) -> String? {
        guard let name = entries[key]?.name else { return nil }
        uses += 1
        entries[key]?.lastUse = uses
        return name
    }

    /// Notes a statement that is about to be prepared and returns the name for it. When the cache is full, the least
    /// recently used statement is discarded.
    mutating func insert(_ key: Key) -> String {
        if entries.count >= capacity, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            discarded.append(oldest.value.name)
            entries[oldest.key] = nil
        }
        uses += 1
        names += 1
        let entry = Entry(name: "statement_\(names)", lastUse: uses)
        entries[key] = entry
        return entry.name
    }

    /// Forgets a statement that the server does not have, because preparing it failed.
    mutating func forget(_ name: String) {
        entries = entries.filter { $0.value.name != name }
        discarded.removeAll { $0 == name }
    }

    /// Removes a statement that should not be used again although the server still has it.
    mutating func discard(_ key: Key) {
        guard let entry = entries.removeValue(forKey: key) else { return }
        discarded.append(entry.name)
    }

    /// The names to deallocate on the server, handed out once.
    mutating func takeDiscarded() -> [String] {
        defer { discarded = [] }
        return discarded
    }
}

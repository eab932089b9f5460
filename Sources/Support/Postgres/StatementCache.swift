/// The statements that a connection has prepared, with LRU eviction. Pure: it performs no I/O.
struct StatementCache {
    /// A prepared statement is identified by its text and its parameter types.
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

    /// Returns the name of the prepared statement and marks it as used.
    mutating func name(for key: Key) -> String? {
        guard let place = entries.index(forKey: key) else { return nil }
        uses += 1
        entries.values[place].lastUse = uses
        return entries.values[place].name
    }

    /// Adds a statement that is about to be prepared and returns its name. A full cache discards the least recently
    /// used statement.
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

    /// Removes a statement that the server does not have, because preparing it failed.
    mutating func forget(_ name: String) {
        entries = entries.filter { $0.value.name != name }
        discarded.removeAll { $0 == name }
    }

    /// Removes a statement that must not be used again, although the server still has it.
    mutating func discard(_ key: Key) {
        guard let entry = entries.removeValue(forKey: key) else { return }
        discarded.append(entry.name)
    }

    /// Returns the names to deallocate on the server, each only once.
    mutating func takeDiscarded() -> [String] {
        defer { discarded = [] }
        return discarded
    }
}

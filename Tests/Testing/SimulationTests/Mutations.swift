import CherishStore
import Simulation
import Synchronization

/// Changes to the engine's SQL. Each must change a statement: otherwise nothing is broken, and its test proves nothing.
final class Mutations: Sendable {
    typealias Change = @Sendable (String) -> String

    /// BEGIN is not one of the store's statements.
    private let begin: Change?
    private let parts: [MutationPoint: Change]
    private let missing: Mutex<Set<String>>

    init(_ parts: [MutationPoint: Change] = [:], begin: Change? = nil) {
        self.parts = parts
        self.begin = begin
        missing = Mutex(Set(parts.keys.map(\.rawValue) + (begin == nil ? [] : ["BEGIN"])))
    }

    /// The changes that have had no effect so far.
    var withoutEffect: Set<String> { missing.withLock { $0 } }

    func apply(to sql: String) -> String {
        var result = sql
        if let begin, sql.hasPrefix("BEGIN") { result = noting("BEGIN", result, begin(result)) }
        for (point, change) in parts {
            result = noting(point.rawValue, result, point.replace(in: result, with: change))
        }
        return result
    }

    private func noting(_ name: String, _ before: String, _ after: String) -> String {
        if before != after { missing.withLock { _ = $0.remove(name) } }
        return after
    }
}

import Dispatch

/// Runs what may block, such as looking up a host, on a thread of its own instead of one of the cooperative pool.
enum BlockingThread {
    private static let queue = DispatchQueue(label: "postgres.blocking", attributes: .concurrent)

    static func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result(catching: body)) }
        }
    }
}

/// Something that one thread at a time uses.
///
/// `@unchecked Sendable`: its owner waits until the other thread has finished.
struct Lent<Value>: @unchecked Sendable {
    let value: Value
}

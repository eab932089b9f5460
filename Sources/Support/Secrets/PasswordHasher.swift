import CLibArgon2
import Foundation
import Synchronization

/// What one computation of Argon2id costs.
public struct PasswordCost: Hashable, Sendable {
    /// In KiB, 8–1,048,576.
    public let memoryKiB: Int
    /// How often the memory is passed over, 1–100.
    public let passes: Int

    public init(memoryKiB: Int, passes: Int) {
        (self.memoryKiB, self.passes) = (memoryKiB, passes)
    }

    /// What OWASP's Password Storage Cheat Sheet recommends at least: 19 MiB, two passes, one thread.
    public static let standard = PasswordCost(memoryKiB: 19_456, passes: 2)
}

/// Too many passwords wait to be hashed; try again in a few seconds.
public struct PasswordHasherBusy: Error, Sendable {}

/// Hashes passwords with Argon2id, on a few threads of its own.
///
/// The module Secrets knows hashes, random bytes and password hashing, and nothing about Cherish. It touches no file
/// and no socket. Start reading here.
///
/// A hash takes tens of milliseconds and 19 MiB. On threads of their own, with a lower priority and a short line, hashes
/// slow down no other requests: whoever finds the line full is told so at once.
public final class PasswordHasher: Sendable {
    /// Salts are this many random bytes.
    public static let saltLength = 16
    /// Tags are this many bytes.
    public static let tagLength = 32

    private let line: HashingLine

    /// - Parameters:
    ///   - threads: how many hashes are computed at once, at least 1.
    ///   - limit: how many may wait in line.
    public init(threads: Int = 1, limit: Int = 64) {
        precondition(threads > 0, "somebody has to hash")
        let line = HashingLine(limit: limit, threads: threads)
        self.line = line
        for number in 1...threads {
            let thread = Thread {
                Thread.current.name = "password \(number)"
                HashingLine.lowerPriority()
                while let job = line.next() { job.run() }
            }
            thread.start()
        }
    }

    deinit { line.close() }

    /// The Argon2id tag of a password: 32 bytes.
    ///
    /// - Parameter salt: ``saltLength`` random bytes.
    /// - Throws: ``PasswordHasherBusy`` if too many are waiting.
    public func tag(of password: [UInt8], salt: [UInt8], cost: PasswordCost = .standard) async throws -> [UInt8] {
        try await withCheckedThrowingContinuation { continuation in
            let job = HashingJob(password: password, salt: salt, cost: cost, continuation: continuation)
            if !line.add(job) { continuation.resume(throwing: PasswordHasherBusy()) }
        }
    }
}

private struct HashingJob: Sendable {
    let password, salt: [UInt8]
    let cost: PasswordCost
    let continuation: CheckedContinuation<[UInt8], any Error>

    func run() {
        var tag = [UInt8](repeating: 0, count: PasswordHasher.tagLength)
        let status = argon2id_hash_raw(
            UInt32(cost.passes), UInt32(cost.memoryKiB), 1, password, password.count, salt, salt.count, &tag, tag.count)
        if status == ARGON2_OK.rawValue {
            continuation.resume(returning: tag)
        } else {
            continuation.resume(
                throwing: PasswordHashingFailure(message: String(cString: argon2_error_message(status))))
        }
    }
}

/// libargon2 refused its arguments, or found no memory.
public struct PasswordHashingFailure: Error, Sendable {
    public let message: String
}

/// The passwords that wait to be hashed.
private final class HashingLine: Sendable {
    private let state = Mutex<(jobs: [HashingJob], isClosed: Bool)>(([], false))
    private let work = DispatchSemaphore(value: 0)
    private let limit, threads: Int

    init(limit: Int, threads: Int) {
        (self.limit, self.threads) = (limit, threads)
    }

    /// False if the line is full.
    func add(_ job: HashingJob) -> Bool {
        let isTaken = state.withLock { state in
            guard !state.isClosed, state.jobs.count < limit else { return false }
            state.jobs.append(job)
            return true
        }
        if isTaken { work.signal() }
        return isTaken
    }

    /// Waits for the next password; nil once the line is closed and empty.
    func next() -> HashingJob? {
        work.wait()
        return state.withLock { $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }
    }

    func close() {
        state.withLock { $0.isClosed = true }
        for _ in 0..<threads { work.signal() }
    }

    /// Gives way to all other threads of the machine; Linux has a priority for each thread.
    static func lowerPriority() {
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
    }
}

import Dispatch
import Foundation
import Synchronization

/// Appends whole lines to a file that several programs may share, or to an open descriptor such as standard output.
///
/// In a regular file, a batch is synced to disk before `append` reports success, never interleaves with another
/// program's, and leaves nothing behind if it cannot be written whole.
///
/// Batches that wait for a regular file are written together and synced once: lanes that are delivered concurrently would
/// otherwise wait for each other's syncs.
struct AppendingFile: Sendable {
    enum Outcome: Sendable {
        case written
        /// The system's error message, without any contents of the file.
        case failed(String)
    }

    private enum Place: Sendable {
        case path(String)
        case descriptor(Int32)
    }

    /// Batches that are not written yet.
    private final class Waiting: Sendable {
        typealias Batch = (bytes: [UInt8], written: CheckedContinuation<Outcome, Never>)
        private let batches = Mutex<[Batch]>([])

        func add(_ batch: Batch) {
            batches.withLock { $0.append(batch) }
        }

        func takeAll() -> [Batch] {
            batches.withLock { batches in
                defer { batches = [] }
                return batches
            }
        }
    }

    private let place: Place
    private let waiting = Waiting()
    // Keeps blocking calls off the cooperative pool.
    private let queue = DispatchQueue(label: "cherish.push.file")

    init(path: String) {
        place = .path(path)
    }

    init(descriptor: Int32) {
        place = .descriptor(descriptor)
    }

    /// - Parameter bytes: whole lines.
    func append(_ bytes: [UInt8]) async -> Outcome {
        guard !bytes.isEmpty else { return .written }
        return await withCheckedContinuation { continuation in
            waiting.add((bytes, continuation))
            queue.async { writeWaiting() }
        }
    }

    /// Writes all batches that wait; none if they were written with an earlier one.
    private func writeWaiting() {
        let batches = waiting.takeAll()
        switch place {
        case .path(let path) where !AppendingFile.isDevice(path):
            guard !batches.isEmpty else { return }
            let outcome = AppendingFile.append(batches.flatMap(\.bytes), to: path)
            for batch in batches { batch.written.resume(returning: outcome) }
        // A device takes nothing back: when one batch fails, those before it were written.
        case .path(let path):
            for batch in batches { batch.written.resume(returning: AppendingFile.write(batch.bytes, toDevice: path)) }
        case .descriptor(let descriptor):
            for batch in batches { batch.written.resume(returning: AppendingFile.write(batch.bytes, to: descriptor)) }
        }
    }

    private static func isDevice(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    }

    private static func append(_ bytes: [UInt8], to path: String) -> Outcome {
        let descriptor = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return failure() }
        defer { close(descriptor) }
        // Closing the descriptor releases the lock.
        guard flock(descriptor, LOCK_EX) == 0 else { return failure() }
        let end = lseek(descriptor, 0, SEEK_END)
        var whole = bytes
        if end > 0 {
            // A killed writer may have left half a line: end it, so that ours is separate.
            var last: UInt8 = 0
            if pread(descriptor, &last, 1, end - 1) == 1, last != UInt8(ascii: "\n") {
                whole.insert(UInt8(ascii: "\n"), at: 0)
            }
        }
        var outcome = write(whole, to: descriptor)
        if case .written = outcome {
            if fdatasync(descriptor) == 0 { return .written }
            outcome = failure()
        }
        _ = ftruncate(descriptor, end)
        return outcome
    }

    /// Fails for a FIFO without a reader. Opening it for reading as well would swallow the lines.
    private static func write(_ bytes: [UInt8], toDevice path: String) -> Outcome {
        let descriptor = open(path, O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { return failure() }
        defer { close(descriptor) }
        // From here on, block: the reader may be slow.
        guard fcntl(descriptor, F_SETFL, O_WRONLY | O_APPEND) == 0, flock(descriptor, LOCK_EX) == 0 else {
            return failure()
        }
        return write(bytes, to: descriptor)
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Outcome {
        bytes.withUnsafeBytes { buffer in
            var done = 0
            while done < buffer.count {
                let count = Foundation.write(descriptor, buffer.baseAddress?.advanced(by: done), buffer.count - done)
                if count < 0 && errno != EINTR { return failure() }
                done += max(count, 0)
            }
            return .written
        }
    }

    private static func failure() -> Outcome {
        .failed(String(cString: strerror(errno)))
    }
}

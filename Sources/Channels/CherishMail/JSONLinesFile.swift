import Foundation

/// A file that grows by one JSON object a line. It holds codes that open accounts, so only its owner may read it.
struct JSONLinesFile: Sendable {
    let path: String
    // Keeps blocking calls off the cooperative pool.
    private let threads = TransferThreads(1)

    init(path: String) {
        self.path = path
    }

    /// Appends one line.
    func append(_ members: [String: String]) async throws(MailError) {
        let line = Array((try members.jsonText() + "\n").utf8)
        try await threads.limited { () async throws(MailError) in
            let error = await threads.run { [path] _ in JSONLinesFile.append(line, to: path) }
            if let error { throw error }
        }
    }

    /// - Returns: the error, if any.
    private static func append(_ line: [UInt8], to path: String) -> MailError? {
        // Does not wait for the reader of a FIFO, because only files are allowed.
        let descriptor = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { return failure() }
        defer { close(descriptor) }
        // Closing the descriptor releases the lock.
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { return failure() }
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return failure() }
        if let refusal = refusal(of: status) { return refusal }
        var whole = line
        // A killed writer may have left half a line: end it, so that ours is separate.
        var last: UInt8 = 0
        if status.st_size > 0, pread(descriptor, &last, 1, status.st_size - 1) == 1, last != UInt8(ascii: "\n") {
            whole.insert(UInt8(ascii: "\n"), at: 0)
        }
        let count = write(descriptor, whole, whole.count)
        if count == whole.count { return nil }
        let error = count < 0 ? failure() : failure(because: ENOSPC)
        // Leaves nothing of a line that does not fit.
        _ = ftruncate(descriptor, status.st_size)
        return error
    }

    private static func refusal(of status: stat) -> MailError? {
        guard status.st_mode & S_IFMT == S_IFREG else {
            return MailError(.permanent, .file, "messages can only be written to a file; name one after jsonl:")
        }
        // Root may write to the file of a service's user.
        guard status.st_uid == geteuid() || geteuid() == 0 else {
            return MailError(.permanent, .file, "the file for messages belongs to another user; name another file")
        }
        guard status.st_mode & 0o077 == 0 else {
            return MailError(
                .permanent, .file,
                """
                other users may read or change the file for messages, which holds codes that open accounts; run \
                'chmod 600' on it, and delete what they were not to see
                """)
        }
        return nil
    }

    /// The operator may make room, or correct permissions, without a restart.
    private static func failure(because number: Int32 = errno) -> MailError {
        if number == ELOOP {
            return MailError(.permanent, .file, "the file for messages is a symbolic link; name the file itself")
        }
        return MailError(
            .temporary, .file, "the file for messages cannot be written: \(String(cString: strerror(number)))")
    }
}

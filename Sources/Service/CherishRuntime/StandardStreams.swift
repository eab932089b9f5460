import Foundation

/// The three standard streams of a program, any of which may be closed, full, or without a reader.
public enum StandardStreams {
    /// The name used in messages.
    package static let standardOutputName = "the standard output"

    /// Occupies the descriptors of closed streams before anything else is opened. Otherwise a database connection could
    /// become descriptor 2 and receive our messages. Writing to the placeholder fails, as it should.
    public static func reserve() {
        for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(stream, F_GETFD) < 0 {
            // The lowest free descriptor is this one. A directory can be neither written nor read.
            _ = open("/", O_RDONLY)
        }
    }

    /// Writes to standard output, unbuffered.
    ///
    /// - Throws: ``OutputError/failed(_:reason:)``.
    public static func write(_ text: String) throws(OutputError) {
        var text = text
        let number = text.withUTF8 { write(UnsafeRawBufferPointer($0), to: STDOUT_FILENO) }
        if let number { throw OutputError.failed(standardOutputName, reason: number) }
    }

    /// Writes to standard error; drops the text if that fails.
    public static func writeToStandardError(_ text: String) {
        var text = text
        _ = text.withUTF8 { write(UnsafeRawBufferPointer($0), to: STDERR_FILENO) }
    }

    /// Writes all bytes, even to a non-blocking descriptor, which some shells and terminals leave behind.
    ///
    /// - Returns: the system's error number; nil on success.
    package static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32? {
        var done = 0
        while done < bytes.count {
            let count = Glibc.write(descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done)
            if count >= 0 {
                done += count
            } else if errno == EAGAIN {
                var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&wanted, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return nil
    }
}

import Foundation

/// The three streams that a program is started with, any of which may be closed, full, or have lost its reader.
public enum StandardStreams {
    /// Takes the places of streams that were closed, before anything else is opened: a connection to the database in the
    /// place of standard error would be sent our messages. What is written there fails, as it should.
    public static func reserve() {
        for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(stream, F_GETFD) < 0 {
            // The lowest number that is free is this one. A directory can be neither written nor read.
            _ = open("/", O_RDONLY)
        }
    }

    /// Writes to the standard output at once.
    ///
    /// - Throws: ``OutputError/failed(_:reason:)``.
    public static func write(_ text: String) throws(OutputError) {
        var text = text
        let number = text.withUTF8 { write(UnsafeRawBufferPointer($0), to: STDOUT_FILENO) }
        if let number { throw OutputError.failed(OutputFile.standardOutputName, reason: number) }
    }

    /// Tells something on standard error. Where nobody can be told, it is lost.
    public static func tell(_ text: String) {
        var text = text
        _ = text.withUTF8 { write(UnsafeRawBufferPointer($0), to: STDERR_FILENO) }
    }

    /// Writes all of it, also where the descriptor was set not to wait, as some shells and terminals leave it.
    ///
    /// - Returns: the system's number of what went wrong; nil when all was written.
    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32? {
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

import Glibc

/// A file that holds the input, because address books are read from paths. It is in memory and unlinked, so that a
/// crash leaves nothing behind.
struct InputFile {
    static let shared = InputFile()

    /// Each open starts at the first byte.
    let path: String
    private let descriptor: CInt

    private init() {
        var name = Array("/dev/shm/cherish-fuzzing-XXXXXX".utf8CString)
        let descriptor = mkstemp(&name)
        if descriptor < 0 { fatalError("no file can be made in /dev/shm (system error \(errno)): mount a tmpfs there") }
        unlink(name)
        self.descriptor = descriptor
        path = "/proc/self/fd/\(descriptor)"
    }

    /// Replaces the file's contents.
    func fill(with bytes: [UInt8]) {
        let isFilled = ftruncate(descriptor, 0) == 0 && pwrite(descriptor, bytes, bytes.count, 0) == bytes.count
        if !isFilled { fatalError("the input cannot be written to /dev/shm (system error \(errno)): make room there") }
    }
}

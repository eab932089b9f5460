import Glibc

/// The file that holds the input, since address books are read from paths. It lies in memory and has no name, so that a
/// crash leaves nothing behind.
struct InputFile {
    static let shared = InputFile()

    /// Who opens it begins with the first byte.
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

    /// Puts bytes in place of those that the file holds.
    func fill(with bytes: [UInt8]) {
        let isFilled = ftruncate(descriptor, 0) == 0 && pwrite(descriptor, bytes, bytes.count, 0) == bytes.count
        if !isFilled { fatalError("the input cannot be written to /dev/shm (system error \(errno)): make room there") }
    }
}

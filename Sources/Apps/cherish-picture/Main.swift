import CLibGD
import Glibc
import PictureFormat

/// Makes pictures of what people send (rules 11.6 and 12.7): reads a file from standard input and writes what may be stored
/// of it to standard output, which must not be a file. Exits with a ``PictureStatus``.
///
/// Without an argument it makes the square JPEG of an account, with `receipt` a JPEG or a PDF. Whoever takes over a decoder
/// is locked up in here: before it reads a byte, the process gives up all but its standard streams and some memory and time.
/// Foundation is not linked, because it would take longer to start than a picture.
@main
enum Main {
    /// A WebP with transparency and ``PictureLimits/mostPixels``, the hungriest kind, takes 600 MiB.
    private static let mostMemory = 640 << 20
    private static let mostSeconds: UInt32 = 8

    static func main() {
        // Not exit(), which would run the destructors of all libraries.
        _exit(run().rawValue)
    }

    private static func run() -> PictureStatus {
        let makesReceipt = CommandLine.arguments.dropFirst().first == "receipt"
        guard cherish_confine(mostMemory, mostSeconds) else { return .unconfined }
        do throws(PictureStatus) {
            let bytes = try input()
            if !makesReceipt {
                try write(try Drawing(bytes).square())
            } else if PDFContents.isPDF(bytes) {
                try write(try PDFContents.alone(in: bytes))
            } else {
                try write(try Drawing(bytes).whole())
            }
            return .done
        } catch {
            return error
        }
    }

    private static func input() throws(PictureStatus) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: PictureLimits.mostBytes + 1)
        var count = 0
        while count < bytes.count {
            let length = bytes.withUnsafeMutableBytes {
                read(STDIN_FILENO, $0.baseAddress?.advanced(by: count), $0.count - count)
            }
            if length < 0, errno == EINTR { continue }
            guard length > 0 else { break }
            count += length
        }
        guard count <= PictureLimits.mostBytes else { throw .tooManyBytes }
        return Array(bytes[..<count])
    }

    private static func write(_ bytes: [UInt8]) throws(PictureStatus) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let length = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if length < 0, errno == EINTR { continue }
            guard length > 0 else { throw .broken }
            rest = rest.dropFirst(length)
        }
    }
}

import Foundation

/// A failure to write output, with the system's reason.
public enum OutputError: Error, Equatable, CustomStringConvertible {
    /// A file cannot be created, or an existing one cannot be opened.
    case cannotCreate(String, reason: Int32)
    /// It was opened but cannot be written, for example because the disk is full.
    case failed(String, reason: Int32)

    /// Whether the reader has closed the pipe, as `head` does when it has enough.
    public var isBrokenPipe: Bool {
        if case .failed(_, EPIPE) = self { true } else { false }
    }

    public var description: String {
        switch self {
        case .cannotCreate(let name, let reason):
            "\(name) cannot be written (\(OutputError.words(reason))); choose another file, or let it be written"
        case .failed(let name, let reason):
            "\(name) could not be written whole (\(OutputError.words(reason))); make room, or write elsewhere"
        }
    }

    private static func words(_ reason: Int32) -> String { String(cString: strerror(reason)) }
}

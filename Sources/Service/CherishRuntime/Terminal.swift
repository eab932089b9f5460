import Foundation

/// The terminal behind standard output.
package enum Terminal {
    /// The width to assume without a terminal.
    package static let usualWidth = 80

    /// The width of a help page, even in a pipe; the argument parser wraps everything else to the same width.
    package static var widthOfHelp: Int { environmentWidth ?? width ?? usualWidth }

    /// The width from the environment.
    private static var environmentWidth: Int? {
        ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
    }

    /// The number of columns; nil for a pipe or a file, where nothing is truncated.
    package static var width: Int? {
        guard isatty(STDOUT_FILENO) == 1 else { return nil }
        if let environmentWidth { return environmentWidth }
        var size = winsize()
        return ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : usualWidth
    }

    /// Whether colours are shown: at a terminal that has them, unless the person turned them off (no-color.org).
    package static var hasColours: Bool {
        let environment = ProcessInfo.processInfo.environment
        return isatty(STDOUT_FILENO) == 1 && environment["TERM"] != "dumb" && (environment["NO_COLOR"] ?? "").isEmpty
    }
}

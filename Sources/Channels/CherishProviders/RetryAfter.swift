import Foundation

/// Parses the Retry-After header (RFC 9110): seconds or a date.
enum RetryAfter {
    /// At most a day; nil if the text is neither. A past date means now.
    static func duration(_ text: String, now: Date = Date()) -> Duration? {
        let text = text.trimmingCharacters(in: .whitespaces)
        let seconds: Double? =
            if !text.isEmpty, text.allSatisfy({ $0.isASCII && $0.isNumber }) { Double(text) } else {
                date(text)?.timeIntervalSince(now)
            }
        return seconds.map { .seconds(min(max($0, 0), 86_400)) }
    }

    /// Parses the preferred form, IMF-fixdate: `Sun, 06 Nov 1994 08:49:37 GMT`.
    private static func date(_ text: String) -> Date? {
        // Only this form reaches the formatter, which crashes on combining characters.
        let form = #/[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT/#
        guard text.wholeMatch(of: form) != nil else { return nil }
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.date(from: text)
    }
}

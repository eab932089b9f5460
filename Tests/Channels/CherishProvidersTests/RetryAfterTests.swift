import Foundation
import Testing

@testable import CherishProviders

@Suite("The header Retry-After")
struct RetryAfterTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT, the example of RFC 9110.
    private static let example = Date(timeIntervalSince1970: 784_111_777)

    @Test(
        "may be seconds, capped at a day",
        arguments: [
            ("0", 0), ("1", 1), ("7", 7), ("007", 7), (" 7 ", 7), ("3600", 3600), ("86400", 86_400), ("86401", 86_400),
            ("18446744073709551616", 86_400),
        ])
    func seconds(text: String, expected: Int) {
        #expect(RetryAfter.duration(text) == .seconds(expected))
    }

    @Test("may be a number too large for any type")
    func huge() {
        #expect(RetryAfter.duration(String(repeating: "9", count: 5000)) == .seconds(86_400))
    }

    @Test("may be a date, which gives the time until then")
    func date() {
        let text = "Sun, 06 Nov 1994 08:49:37 GMT"
        let example = RetryAfterTests.example
        #expect(RetryAfter.duration(text, now: example.addingTimeInterval(-37)) == .seconds(37))
        #expect(RetryAfter.duration(text, now: example) == .zero)
        #expect(RetryAfter.duration("Sun, 06 Nov 1994 09:49:37 GMT", now: example) == .seconds(3600))
    }

    @Test("means now for a past date, and a day for a distant one")
    func farDates() {
        let example = RetryAfterTests.example
        #expect(RetryAfter.duration("Sun, 06 Nov 1994 08:49:37 GMT", now: example.addingTimeInterval(1)) == .zero)
        #expect(RetryAfter.duration("Sun, 06 Nov 1994 08:49:37 GMT") == .zero)
        #expect(RetryAfter.duration("Fri, 31 Dec 9999 23:59:59 GMT", now: example) == .seconds(86_400))
    }

    @Test(
        "means nothing otherwise",
        arguments: [
            "", " ", "-1", "+1", "1.5", "1e3", "0x10", "soon", "7 s", "7,8", "٧", "７", "NaN", "inf",
            "Sun, 99 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 KST", "1994-11-06T08:49:37Z", "\u{0}",
            // A letter with a mark of another script, which crashes Foundation's formatter.
            "f\u{0711}\u{FFFD}zO0",
        ])
    func rubbish(text: String) {
        #expect(RetryAfter.duration(text) == nil)
    }
}

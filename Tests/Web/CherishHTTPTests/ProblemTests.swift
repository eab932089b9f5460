import AddressBook
import BoundedWork
import CherishCore
import CherishRuntime
import CherishService
import CherishStore
import CherishTestSupport
import Foundation
import HTTPTypes
import Pictures
import Postgres
import Testing

@testable import CherishHTTP
@testable import Secrets

@Suite("Problems in the language of a person")
struct ProblemTests {
    private static let refused: [RefusedRequest] =
        [
            .unknownPath, .wrongMethod(allowed: ["GET", "POST"]), .unreadableBody, .brokenBody, .brokenForm,
            .uploadRunning,
            .bodyTooLong(limit: 1_000), .wrongMediaType(wanted: "application/json"), .foreignOrigin, .tooSlow,
            .answerTooSlow, .clientLeft, .idempotencyConflict, .requestRunning, .answerLost,
            .versionPassed(present: nil),
        ] + RefusedRequest.Header.allCases.map(RefusedRequest.invalidHeader)
    private static let reasons: [InvalidValue.Reason] = [
        .missing("name"), .unknownName, .notText, .hasNUL, .notANumber, .notABoolean, .notAnID, .notADay, .notAnInstant,
        .notAChoice(of: ["call", "message"]), .notAList, .notAnObject, .notNull, .notACursor, .notColumns,
        .notLines, .length(1...64), .tooMany(limit: 20), .range(1...200, code: "range"), .refused(.invalidCycle(91)),
        .refused(.invalidName), .notAnAlert, .refusedThing(.invalidAlert(.days(366))), .refusedThing(.invalidTitle),
    ]
    private static let others: [any Error] = [
        PasswordHasherBusy(), LineFull(), NoContact(line: 7), UnreadableFile(reason: "this is no address book"),
        RequestError.missingCycle, RequestError.invalidSpan(mostDays: 366),
        RequestError.tooManyEntries(limit: 20_000), RequestError.enquiriesOff, RequestError.webPushOff,
        RequestError.invalidSubscriptionKey, OutsideCalendar(),
        PeopleError.slowDown(seconds: 90), InvalidRequest(problems: reasons.map { InvalidValue($0, at: "/x") }),
        // What only an operator can mend.
        PostgresError(code: .connection), PostgresError(code: .server),
    ]
    private static let all = refused + reasons.map { InvalidRequest(problems: [InvalidValue($0, at: "/x")]) } + others

    @Test("each one is told in Korean with the same values, and nothing else differs", arguments: all.indices)
    func korean(index: Int) {
        let error = Self.all[index]
        let (english, headers) = Problem.of(error, in: .english)
        let (korean, koreanHeaders) = Problem.of(error, in: .korean)
        #expect((headers[.contentLanguage], koreanHeaders[.contentLanguage]) == ("en", "ko"))
        #expect((headers[.vary], koreanHeaders[.vary]) == ("Accept-Language", "Accept-Language"))
        let said = [korean.detail, korean.remedy].filter { !$0.isEmpty }
        #expect(KoreanSentences.flaws(said, besides: "\(english.detail); \(english.remedy)") == [])
        #expect(korean.errors.count == english.errors.count)
        for (korean, english) in zip(korean.errors, english.errors) {
            #expect(KoreanSentences.flaws([korean.detail], besides: english.detail) == [])
            #expect((korean.pointer, korean.code) == (english.pointer, english.code))
        }
        #expect((korean.status, korean.code, korean.title) == (english.status, english.code, english.title))
        #expect(korean.present == english.present)
    }

    @Test("an error that has no Korean stays English, and says so")
    func englishOnly() {
        let (problem, headers) = Problem.of(UsageError("write it in another way"), in: .korean)
        #expect(problem.detail == "write it in another way")
        #expect(headers[.contentLanguage] == "en")
    }

    @Test("what only an operator can mend says nothing about the machine in either language")
    func operators() {
        var error = PostgresError(code: .server)
        error.sqlState = "42501"
        for language in Language.allCases {
            let problem = Problem.of(error, in: language).problem
            #expect(problem.status == 500)
            #expect(!"\(problem.detail) \(problem.remedy)".contains("cherish"))
        }
    }

    private static let ofPictures: [any Error] = [
        PictureError.notAPicture, PictureError.tooManyBytes, PictureError.tooManyPixels, PictureError.broken,
        PictureError.busy, PictureError.unusableProgram(path: "/x", reason: "x"),
    ]

    @Test("docs/api.md lists every code, and no other than these and those of the rules")
    func codes() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        func text(_ name: String) throws -> String {
            try String(contentsOf: root.appendingPathComponent("docs/\(name)"), encoding: .utf8)
        }
        let rows = try text("api.md").matches(of: #/(?m)^\| [45]\d\d[^|]*\|[^|]*\|([^|]*)\|$/#)
        let documented = Set(rows.flatMap { $0.1.matches(of: #/`([a-z_]+)`/#).map { String($0.1) } })
        let rules = Set(try text("command-line.md").split { !($0.isLowercase || $0 == "_") }.map(String.init))
        let codes = Set((Self.all + Self.ofPictures).map { Problem.of($0, in: .english).problem.code }).subtracting([
            "internal"
        ])
        #expect(codes.subtracting(documented).subtracting(rules) == [])
        #expect(documented.subtracting(codes).subtracting(rules) == [])
    }
}

import CherishCore
import Foundation
import Testing

@Suite("Messages of refusals")
struct CareErrorTests {
    private static let all: [CareError] =
        [
            .invalidEmail("x"), .invalidAlarm("x"), .invalidCycle(1), .invalidPhone("x"), .invalidBirthday("x"),
            .invalidTimeZone("x"), .invalidName, .invalidNickname,
            .duplicateEmail("x"), .identityFixed,
            .notYetDue(daysLeft: 2), .withered(daysOver: 1), .invalidDays(1), .archived(since: day),
            .wateringDayOutOfRange(day, earliest: day, latest: day), .tooManyKeywords(4), .keywordEmpty,
            .keywordTooLong(length: 6), .keywordRepeated, .memoTooLong(length: 101), .reviewEmpty, .invalidTag("x"),
            .invalidColour("x"), .duplicateTag("x"), .tooManyTags(limit: 3), .importUndone, .notFound(.plant),
            .ambiguousID("x"), .dueDateChanged(day), .madeTooLongAgo(day),
        ] + [try? PhoneNumber(e164: "+821012345678")].compactMap { $0.map(CareError.duplicatePhone) }
    private static let ofPeople: [PeopleError] = [
        .weakPassword(.common), .wrongPassword, .codeWrong, .codeExpired, .tooManyTries, .notSignedIn, .signInTooOld,
        .slowDown(seconds: 90),
    ]
    private static let day = CivilDay(daysSinceEpoch: 20_000)

    @Test("every documented code has an error, and vice versa")
    func codes() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: root.appendingPathComponent("docs/command-line.md"), encoding: .utf8)
        let list = try #require(text.firstMatch(of: /\*\*1\*\*, a rule refused: `([^`]+)`/))
        let documented = list.output.1.split { $0.isWhitespace }.map(String.init)
        #expect((Self.all.map(\.code) + Self.ofPeople.map(\.code)).sorted() == documented.sorted())
    }

    @Test("each has a remedy that fits every program: no command, no option", arguments: all)
    func remedies(error: CareError) {
        #expect(error.description == "\(error.problem); \(error.remedy)")
        #expect(!error.remedy.isEmpty && !error.remedy.contains(";"))
        for word in ["cherish ", "--", "'", "command"] { #expect(!error.description.contains(word)) }
        #expect(!error.description.contains("1 days") && !error.description.contains("+8210"))
    }
}

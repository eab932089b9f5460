import CherishCore
import CherishTestSupport
import Foundation
import Testing

@Suite("Messages of refusals")
struct CareErrorTests {
    private static let all: [CareError] =
        [
            .invalidEmail("x"), .invalidAlarm("x"), .invalidDayEnd, .invalidCycle(1), .invalidPhone("x"),
            .invalidBirthday("x"),
            .invalidTimeZone("x"), .invalidName, .invalidNickname, .invalidPostcode, .invalidAppearance,
            .duplicateEmail("x"), .identityFixed,
            .notYetDue(daysLeft: 2), .withered(daysOver: 1), .invalidCountry, .invalidDays(1), .archived(since: day),
            .wateringDayOutOfRange(day, earliest: day, latest: day), .tooManyKeywords(4), .keywordEmpty,
            .keywordTooLong(length: 6), .keywordRepeated, .memoTooLong(length: 101), .reviewEmpty, .invalidTag("x"),
            .invalidColour("x"), .duplicateTag("x"), .tooManyTags(limit: 3), .tooManyLinks(limit: 3), .importUndone,
            .notFound(.plant),
            .ambiguousID("x"), .dueDateChanged(day), .madeTooLongAgo(day, days: 7), .editedSince,
        ] + [try? PhoneNumber(e164: "+821012345678")].compactMap { $0.map(CareError.duplicatePhone) }
        + [
            .isBackwards, .tooLong, .isPast, .isOver, .hasBegun, .tooMany, .isOfTagAndFriend, .tooEarly(day),
        ].map { .invalidPause($0) }
    private static let ofPeople: [PeopleError] = [
        .weakPassword(.common), .wrongPassword, .codeWrong, .codeExpired, .tooManyTries, .identityRefused,
        .identityUnknown, .identityTaken, .providerLinked, .lastWayIn, .emailKnown, .emailUnconfirmed, .emailMissing,
        .phoneMissing,
        .confirmationWrong,
        .providerNotOffered, .providerUnreachable, .notSignedIn, .signInTooOld, .slowDown(seconds: 90),
    ]
    private static let ofThings: [ThingError] =
        [
            .invalidTitle, .noteTooLong(length: 1_001), .invalidCategory, .invalidOrderNumber, .invalidDue(day),
            .unreadableDay,
            .invalidWarningDays(40), .tooManyAlerts(6), .invalidAlert(.days(366)), .invalidAlert(.minutes(1)),
            .invalidAlert(.withoutTime), .invalidAlert(.unreadable), .alreadyDone(on: day), .notDone, .dueChanged(day),
            .invalidRecurrence(.interval(100)), .invalidRecurrence(.ended(day)), .invalidRecurrence(.unreadable),
            .storeUnknown, .invalidShareDays(40),
        ] + Thing.Kind.allCases.map { .dueUnknown($0) }
        + ThingError.Part.allCases.flatMap { part in Thing.Kind.allCases.map { .notForKind(part, $0) } }
    private static let ofLists: [ShoppingListError] =
        [
            .invalidEntry, .invalidQuantity, .deliveryNoteTooLong(length: 301), .tooManyEntries(101), .noEntries,
            .noSuchEntry(3), .tooManyDrafts, .tooManyOpen, .notADraft, .invalidRadius(1), .postcodeChangedTooOften,
            .postcodeUnknown, .ownList, .alreadyAccepted, .listExpired, .tooManyAccepted, .emailNotConfirmed,
            .notTheHelper, .acceptedTooOften, .releasedTooOften, .barredFromHelping, .claimTooOld, .tooManyBlocks,
            .blockedYourself, .invalidReport, .invalidRating(6), .alreadyRated, .rateTooLate, .receiptTooLate,
        ] + ShoppingList.State.allCases.map { .notPossible($0) }
    private static let day = CivilDay(daysSinceEpoch: 20_000)

    @Test("every documented code has an error, and vice versa")
    func codes() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: root.appendingPathComponent("docs/command-line.md"), encoding: .utf8)
        let list = try #require(text.firstMatch(of: /\*\*1\*\*, a rule refused: `([^`]+)`/))
        let documented = list.output.1.split { $0.isWhitespace }.map(String.init)
        let codes =
            Self.all.map(\.code) + Self.ofPeople.map(\.code) + Self.ofThings.map(\.code)
            + Self.ofLists.map(\.code)
        #expect(Set(codes) == Set(documented))
        #expect(documented.count == Set(documented).count)
    }

    @Test("each has a remedy that fits every program: no command, no option", arguments: all)
    func remedies(error: CareError) {
        #expect(error.description == "\(error.problem); \(error.remedy)")
        #expect(!error.remedy.isEmpty && !error.remedy.contains(";"))
        for word in ["cherish ", "--", "'", "command"] { #expect(!error.description.contains(word)) }
        #expect(!error.description.contains("1 days") && !error.description.contains("+8210"))
    }

    @Test("each says the same in Korean", arguments: all)
    func korean(error: CareError) {
        let (problem, remedy) = error.korean
        #expect(KoreanSentences.flaws([problem, remedy], besides: error.description) == [])
        #expect(!problem.contains("8210"))
    }

    @Test("each of lists says what is wrong and what to do, in both languages", arguments: ofLists)
    func lists(error: ShoppingListError) {
        #expect(error.description == "\(error.problem); \(error.remedy)")
        #expect(!error.remedy.isEmpty && !error.remedy.contains(";"))
        for word in ["cherish ", "--", "'", "command", "1 days"] { #expect(!error.description.contains(word)) }
        let (problem, remedy) = error.korean
        #expect(KoreanSentences.flaws([problem, remedy], besides: error.description) == [])
    }

    @Test("each of things says what is wrong and what to do, in both languages", arguments: ofThings)
    func things(error: ThingError) {
        #expect(error.description == "\(error.problem); \(error.remedy)")
        #expect(!error.remedy.isEmpty && !error.remedy.contains(";"))
        for word in ["cherish ", "--", "'", "command", "1 days"] { #expect(!error.description.contains(word)) }
        let (problem, remedy) = error.korean
        #expect(KoreanSentences.flaws([problem, remedy], besides: error.description) == [])
    }

    @Test(
        "Korean sentences have the days, the limits and the particles",
        arguments: [
            (.notYetDue(daysLeft: 2), "물 주는 날까지 2일 남았어요. 물 주는 날에만 미룰 수 있어요."),
            (.withered(daysOver: 3), "물 주는 날이 3일 지나 시들었어요. 시든 식물은 미룰 수 없어요."),
            (.invalidDays(8), "1일부터 7일까지 미룰 수 있어요."), (.invalidCycle(91), "1일부터 90일 사이에서 골라 주세요."),
            (.dueDateChanged(day), "이제 물 주는 날은 2024년 10월 4일이에요."),
            (.wateringDayOutOfRange(day, earliest: day + -9, latest: day + -2), "2024년 10월 4일은 너무 이르거나 늦어요."),
            (
                .wateringDayOutOfRange(day, earliest: day + -9, latest: day + -2),
                "2024년 9월 25일부터 2024년 10월 2일까지 물 준 날로 기록할 수 있어요."
            ),
            (.invalidAlarm("25:00"), "\"25:00\"은 시각이 아니에요."), (.invalidAlarm("9시"), "\"9시\"는 시각이 아니에요."),
            (.notFound(.plant), "식물을 찾을 수 없어요."), (.notFound(.device), "기기를 찾을 수 없어요."),
        ] as [(CareError, String)])
    func koreanValues(error: CareError, sentence: String) {
        #expect([error.korean.problem, error.korean.remedy].contains(sentence))
    }
}

import CherishCore
import CherishPush
import Foundation
import Testing

let accountID = Account.ID(UUID(uuid: (0x5e, 0xed, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 7)))
let plantID = Plant.ID(UUID(uuid: (0x11, 0x11, 0, 0, 0, 0, 0x50, 0, 0x80, 0, 0, 0, 0, 0, 0, 1)))

/// A push about 하나's plant on 2 March 2027 by default.
func message(
    topic: Topic = .wateringDue, language: Language = .korean, nickname: String = "하나", deviceToken: String? = nil,
    seq: Int = 1, species: Species = .dandelion, daysTogether: Int = 1, keywords: [String] = []
) throws -> PushMessage {
    PushMessage(
        lane: Lane(7), seq: seq, accountID: accountID, subjectID: plantID.subject, topic: topic,
        occursOn: try #require(CivilDay("2027-03-02")), language: language,
        values: PushValues(
            name: nickname, noun: species.name(in: language), number: daysTogether, words: keywords),
        deviceToken: deviceToken)
}

/// A push about several plants.
func combined(_ topic: Topic, language: Language, nickname: String, others: Int) throws -> AccountPush {
    AccountPush(
        accountID: accountID, language: language,
        content: .several(
            topic, occursOn: try #require(CivilDay("2027-03-02")), first: plantID.subject, name: nickname,
            others: others),
        collapseID: "collapse", plannedAt: try now(), expiresAt: try now().adding(hours: 15), links: DeepLinks())
}

/// A digest in place of pushes beyond the daily cap.
func digest(language: Language, dueCount: Int) throws -> AccountPush {
    let day = try #require(CivilDay("2027-03-02"))
    return AccountPush(
        accountID: accountID, language: language,
        content: .digest(day: day, first: plantID.subject, topic: .wateringDue, dueCount: dueCount),
        collapseID: AccountPush.digestCollapseID(on: day), plannedAt: try now(), expiresAt: try now().adding(hours: 15),
        links: DeepLinks())
}

/// 09:00 in Seoul.
func now() throws -> Instant {
    try #require(Instant("2027-03-02T00:00:00Z"))
}

/// A path in a folder of its own, which is deleted afterwards.
func withPath(_ body: (String) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cherish-push-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder.appendingPathComponent("pushes.jsonl").path)
}

func content(_ path: String) throws -> String {
    try String(contentsOfFile: path, encoding: .utf8)
}

/// The lines of a file, each of which must be terminated.
func lines(_ path: String) throws -> [String] {
    let text = try content(path)
    #expect(text.isEmpty || text.hasSuffix("\n"))
    return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
}

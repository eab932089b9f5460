import CherishCore
import CherishPush
import CherishStore
import CherishTestSupport
import Foundation
import SeededChance
import Testing

@testable import CherishWorker

private typealias GroupMember = PushSurroundings.GroupMember
private typealias Sent = PushSurroundings.Sent

/// An id made from a number; ids sort by it.
private func uuid(_ number: UInt8) -> UUID {
    UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, number))
}

private func account(_ number: UInt8 = 1) -> Account.ID { Account.ID(uuid(number)) }

private func plant(_ number: UInt8, _ nickname: String = "하나") throws -> GroupMember {
    GroupMember(subjectID: Subject.ID(uuid(number)), name: nickname)
}

private func group(
    _ time: String = "2027-03-02T09:00", _ topic: Topic = .wateringDue, of accountNumber: UInt8 = 1
) throws -> PushGroup {
    PushGroup(accountID: account(accountNumber), topic: topic, plannedAt: try seoul(time))
}

private func job(_ plant: GroupMember, _ group: PushGroup, on day: String = "2027-03-02") throws -> PushFolding.Job {
    PushFolding.Job(group: group, subject: plant, today: try civilDay(day))
}

private func sentPush(_ collapseID: String, on day: String = "2027-03-02", _ plants: GroupMember...) throws -> Sent {
    Sent(collapseID: collapseID, sentOn: try civilDay(day), subjectIDs: Set(plants.map(\.subjectID)))
}

private func fold(
    _ jobs: [PushFolding.Job], groupMembers: [PushGroup: [GroupMember]] = [:], sent: [Account.ID: [Sent]] = [:],
    cap: Int = 20
) -> PushFolding {
    PushFolding(
        jobs, PushSurroundings(groupMembers: groupMembers, sent: sent), cap: cap, digestID: AccountPush.digestCollapseID
    )
}

extension PushFolding {
    /// The jobs whose push was already sent, such as `3 combined`.
    fileprivate var sentLines: [String] {
        sent.sorted { $0.job < $1.job }.map { "\($0.job) \($0.reason.rawValue)" }
    }

    fileprivate var digests: [Fold] { folds.filter { $0.content == .digest } }
}

@Suite("Folding jobs into pushes")
struct PushFoldingTests {
    @Test("a single job is a push about its plant")
    func alone() throws {
        let (group, plant) = (try group(), try plant(1))
        let folding = fold([try job(plant, group)])
        let today = try civilDay("2027-03-02")
        #expect(folding.folds == [.init(content: .group(group), jobs: [0], subjects: [plant], today: today)])
        #expect(folding.sentLines.isEmpty)
        #expect(fold([]).folds.isEmpty)
    }

    @Test("the jobs of one minute fold into one push, which also names group members still to come, by nickname and id")
    func combined() throws {
        let group = try group()
        let plants = [try plant(4, "가온"), try plant(2, "나래"), try plant(3, "나래"), try plant(1, "다솜")]
        // Instants within the minute may differ.
        let late = try PushGroup(accountID: account(), topic: .wateringDue, plannedAt: seoul("2027-03-02T09:00:59"))
        let jobs = [try job(plants[3], group), try job(plants[2], late)]
        let folding = fold(jobs, groupMembers: [group: [plants[2], plants[1], plants[0]]])
        #expect(folding.folds.map(\.content) == [.group(group)])
        #expect(folding.folds.map(\.jobs) == [[0, 1]])
        #expect(folding.folds.map(\.subjects) == [plants])
        #expect(folding.sentLines.isEmpty)
    }

    @Test("another minute, topic or account makes another push; earlier minutes come first")
    func apart() throws {
        let groups = [
            try group("2027-03-02T09:01"), try group("2027-03-02T09:00", .birthday), try group("2027-03-02T09:00"),
        ]
        let other = try group("2027-03-02T09:00", of: 2)
        let plant = try plant(1)
        let jobs = try (groups + [other]).map { try job(plant, $0) }
        let folding = fold(jobs)
        #expect(folding.folds.count == 4)
        #expect(folding.folds.allSatisfy { $0.subjects == [plant] })
        let own = folding.folds.filter { $0.jobs != [3] }
        #expect(own.map(\.jobs) == [[2], [1], [0]])
        #expect(own.map(\.content) == [.group(groups[2]), .group(groups[1]), .group(groups[0])])
        #expect(folding.folds.filter { $0.jobs == [3] }.map(\.content) == [.group(other)])
    }

    @Test("a plant named by an earlier push gets no other; pushes of other minutes or accounts do not count")
    func sentBefore() throws {
        let (group, other) = (try group(), try group("2027-03-02T09:01"))
        let plants = [try plant(1), try plant(2)]
        let notice = try sentPush(group.collapseID, plants[0], plants[1])
        let jobs = [try job(plants[0], group), try job(plants[1], group), try job(plants[0], other)]
        let folding = fold(jobs, groupMembers: [group: plants], sent: [account(): [notice]])
        #expect(folding.sentLines == ["0 combined", "1 combined"])
        #expect(folding.folds.map(\.content) == [.group(other)])
        let elsewhere = fold(jobs, sent: [account(2): [notice]])
        #expect(elsewhere.sentLines.isEmpty)
        #expect(elsewhere.folds.map(\.jobs) == [[0, 1], [2]])
    }

    @Test("a plant not named before updates its push, which counts towards the daily cap only once")
    func updated() throws {
        let (group, later) = (try group(), try group("2027-03-02T09:01"))
        let plants = [try plant(1), try plant(2)]
        let notice = try sentPush(group.collapseID, plants[0])
        let jobs = [try job(plants[0], group), try job(plants[1], group), try job(plants[0], later)]
        for (cap, contents) in [
            (1, [.group(group), .digest]), (2, [.group(group), .group(later)]),
        ] as [(Int, [PushFolding.Fold.Content])] {
            let folding = fold(jobs, groupMembers: [group: plants], sent: [account(): [notice]], cap: cap)
            #expect(folding.sentLines == ["0 combined"])
            #expect(folding.folds.map(\.content) == contents)
            #expect(folding.folds.map(\.jobs) == [[1], [2]])
            #expect(folding.folds.first?.subjects == plants)
        }
    }

    @Test("the cap counts today's pushes: not yesterday's, repetitions or the digest")
    func counted() throws {
        let plant = try plant(1)
        let jobs = try (10...14).map { try job(plant, group("2027-03-02T09:\($0)")) }
        let notices = [
            try sentPush("watering_due-20270301T0000Z", on: "2027-03-01", plant),
            try sentPush("watering_due-20270301T0001Z", on: "2027-03-01", plant),
            try sentPush("digest-2027-03-01", on: "2027-03-01", plant),
            try sentPush("watering_due-20270302T0000Z", plant), try sentPush("watering_due-20270302T0000Z", plant),
        ]
        let folding = fold(jobs, sent: [account(): notices], cap: 3)
        #expect(folding.folds.map(\.jobs) == [[0], [1], [2, 3, 4]])
        #expect(folding.folds.last?.content == .digest)
        #expect(folding.sentLines.isEmpty)
        let nextDay = try civilDay("2027-03-03")
        let tomorrow = fold(
            jobs.map { .init(group: $0.group, subject: $0.subject, today: nextDay) }, sent: [account(): notices], cap: 3
        )
        #expect(tomorrow.folds.map(\.jobs) == [[0], [1], [2], [3, 4]])
    }

    @Test("jobs beyond the cap fold into one digest with each plant once; later jobs count as sent by it")
    func digest() throws {
        let plants = [try plant(2, "가온"), try plant(1, "나래")]
        let jobs = [
            try job(plants[1], group("2027-03-02T09:00")), try job(plants[1], group("2027-03-02T09:01")),
            try job(plants[0], group("2027-03-02T09:01")), try job(plants[1], group("2027-03-02T09:02")),
        ]
        let folding = fold(jobs, cap: 1)
        let today = try civilDay("2027-03-02")
        #expect(folding.digests == [.init(content: .digest, jobs: [1, 2, 3], subjects: plants, today: today)])
        #expect(folding.folds.count == 2)

        let notices = [
            try sentPush(jobs[0].group.collapseID, plants[1]),
            try sentPush(AccountPush.digestCollapseID(on: today), plants[1]),
        ]
        let again = fold(jobs, sent: [account(): notices], cap: 1)
        #expect(again.folds.isEmpty)
        #expect(again.sentLines == ["0 combined", "1 digest", "2 digest", "3 digest"])

        // The push counted towards the cap failed, but the digest was delivered and covers its plants.
        let digestAlone = fold(jobs, sent: [account(): [notices[1]]], cap: 1)
        #expect(digestAlone.folds.isEmpty)
        #expect(digestAlone.sentLines == ["0 digest", "1 digest", "2 digest", "3 digest"])
    }

    @Test("each account has its own cap")
    func capOfAccount() throws {
        let plant = try plant(1)
        let jobs = [
            try job(plant, group("2027-03-02T09:00")), try job(plant, group("2027-03-02T09:01", of: 2)),
            try job(plant, group("2027-03-02T09:02")),
        ]
        let folding = fold(jobs, cap: 1)
        #expect(folding.digests.map(\.jobs) == [[2]])
        #expect(folding.folds.count == 3)
    }

    @Test(
        "every job was sent before or is in one push, and the counts match a job-by-job model",
        arguments: [1, 2, 3] as [UInt64])
    func random(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        for _ in 1...1000 {
            let batch = try RandomBatch(&generator)
            let folding = PushFolding(
                batch.jobs, batch.surroundings, cap: batch.cap, digestID: AccountPush.digestCollapseID)
            let places = (folding.folds.flatMap(\.jobs) + folding.sent.map(\.job)).sorted()
            try #require(places == Array(batch.jobs.indices))
            try #require(PushCounts(folding) == PushCounts(jobByJob: batch))
            for fold in folding.folds {
                let jobs = fold.jobs.map { batch.jobs[$0] }
                try #require(Set(jobs.map(\.subject)).isSubset(of: fold.subjects))
                try #require(jobs.allSatisfy { $0.today == fold.today })
                try #require(Set(jobs.map(\.group.accountID)).count == 1)
                let sorted = fold.subjects.sorted { ($0.name, $0.subjectID) < ($1.name, $1.subjectID) }
                try #require(fold.subjects == sorted && Set(sorted).count == sorted.count)
                if case .group(let group) = fold.content {
                    try #require(jobs.allSatisfy { $0.group == group })
                    try #require(Set(batch.surroundings.groupMembers[group] ?? []).isSubset(of: fold.subjects))
                }
            }
        }
    }
}

/// Random jobs of up to three accounts in three minutes, and random pushes already sent to them.
private struct RandomBatch {
    var jobs: [PushFolding.Job] = []
    let surroundings: PushSurroundings
    let cap: Int

    init(_ generator: inout SplitMix64) throws {
        func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
        let days = [try civilDay("2027-03-01"), try civilDay("2027-03-02")]
        let plants = try (1...6).map { try plant(UInt8($0), $0.isMultiple(of: 2) ? "가온" : "나래") }
        var groupMembers: [PushGroup: [GroupMember]] = [:]
        var sent: [Account.ID: [Sent]] = [:]
        for accountNumber in 1...UInt8(number(1...3)) {
            let today = days[number(0...1)]
            let groups = try [Topic.wateringDue, .reviewMissing].flatMap { topic in
                try (0...2).map { try group("2027-03-02T09:0\($0)", topic, of: accountNumber) }
            }
            for _ in 0..<number(0...8) {
                jobs.append(.init(group: groups[number(0...5)], subject: plants[number(0...5)], today: today))
            }
            for group in groups where number(0...1) == 0 {
                groupMembers[group] = plants.filter { _ in number(0...2) == 0 }
            }
            let ids = groups.map(\.collapseID) + days.map(AccountPush.digestCollapseID) + ["birthday-20270301T2359Z"]
            for _ in 0..<number(0...4) {
                let named = [plants[number(0...5)]] + plants.filter { _ in number(0...3) == 0 }
                sent[account(accountNumber), default: []].append(
                    Sent(
                        collapseID: ids[number(0...(ids.count - 1))], sentOn: days[number(0...1)],
                        subjectIDs: Set(named.map(\.subjectID))))
            }
        }
        jobs.shuffle(using: &generator)
        surroundings = PushSurroundings(groupMembers: groupMembers, sent: sent)
        cap = number(1...4)
    }
}

/// The number of pushes of each sort, and of jobs whose push was already sent.
private struct PushCounts: Equatable {
    var groups = 0
    var digests = 0
    var combined = 0
    var inEarlierDigest = 0

    init(_ folding: PushFolding) {
        digests = folding.digests.count
        groups = folding.folds.count - digests
        combined = folding.sent.count { $0.reason == .combined }
        inEarlierDigest = folding.sent.count { $0.reason == .digest }
    }

    /// Counts job by job, in the order of minutes and topics.
    init(jobByJob batch: RandomBatch) {
        var opened: Set<PushGroup> = []
        var sentToday: [Account.ID: Set<String>] = [:]
        var digested: Set<Account.ID> = []
        for job in batch.jobs.sorted(by: { ($0.group.minute, $0.group.topic) < ($1.group.minute, $1.group.topic) }) {
            let (account, id) = (job.group.accountID, job.group.collapseID)
            let digest = AccountPush.digestCollapseID(on: job.today)
            let earlier = batch.surroundings.sent[account] ?? []
            let before = earlier.filter { $0.sentOn == job.today && $0.collapseID != digest }.map(\.collapseID)
            let sent = sentToday[account, default: []].union(before)
            let isUpdate = earlier.contains { $0.collapseID == id }
            let hasDigest = earlier.contains { $0.collapseID == digest }
            if earlier.contains(where: { $0.collapseID == id && $0.subjectIDs.contains(job.subject.subjectID) }) {
                combined += 1
            } else if opened.contains(job.group) {
                continue
            } else if isUpdate || sent.count < batch.cap && !hasDigest {
                opened.insert(job.group)
                sentToday[account, default: []].insert(id)
                groups += 1
            } else if hasDigest {
                inEarlierDigest += 1
            } else if digested.insert(account).inserted {
                digests += 1
            }
        }
    }
}

@Suite("Collapse ids of groups")
struct PushGroupTests {
    @Test("contain topic and minute, in at most 64 bytes")
    func format() throws {
        #expect(try group().collapseID == "watering_due-20270302T0000Z")
        let last = try instant("9999-12-31T23:59:59.999999Z")
        let ids = Topic.ofPlants.map { PushGroup(accountID: account(), topic: $0, plannedAt: last).collapseID }
        #expect(
            ids == [
                "watering_due-99991231T2359Z", "review_missing-99991231T2359Z", "birthday-99991231T2359Z",
                "withered-99991231T2359Z",
            ])
        let digest = AccountPush.digestCollapseID(on: try civilDay("9999-12-31"))
        #expect(digest == "digest-9999-12-31")
        #expect((ids + [digest]).allSatisfy { (1...64).contains($0.utf8.count) })
    }

    @Test(
        "are the same for all instants of a minute and no other, even before 1970",
        arguments: ["2027-03-02T00:00:00Z", "1970-01-01T00:00:00Z", "1969-12-31T23:59:00Z", "1901-02-03T04:05:00Z"])
    func minute(start: String) throws {
        let start = try instant(start)
        let expected = PushGroup(accountID: account(), topic: .birthday, plannedAt: start)
        #expect(expected.minute == start)
        func group(after microseconds: Int64) -> PushGroup {
            PushGroup(accountID: account(), topic: .birthday, plannedAt: start.adding(microseconds: microseconds))
        }
        for microseconds in [1, 999_999, 1_000_000, 30_500_000, 59_999_999] as [Int64] {
            #expect(group(after: microseconds) == expected)
            #expect(group(after: microseconds).collapseID == expected.collapseID)
        }
        for microseconds in [-1, 60_000_000] as [Int64] {
            #expect(group(after: microseconds) != expected)
            #expect(group(after: microseconds).collapseID != expected.collapseID)
        }
    }
}

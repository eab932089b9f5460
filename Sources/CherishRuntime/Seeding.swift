import AddressBook
import CherishCore
import CherishStore
import Foundation
import GardenArchive
import GardenGenerator

/// What a seed file brought.
public struct SeedResult: Sendable {
    public var writtenAccounts = 0
    /// Accounts that were here already; nothing of them was changed.
    public var knownAccounts = 0
    public var friends = 0
    public var problems: [Problem] = []

    /// Why a line brought nothing, or a friend of it did not come.
    public struct Problem: Sendable {
        /// Counted from 1.
        public let line: Int
        public let code: String
        public let message: String
    }
}

extension Engine {
    /// How many accounts are written in one transaction.
    private static let batchSize = 50

    /// Gardens with a past, made up from a seed (``GardenGenerator``).
    ///
    /// - Parameter now: when their past ends.
    public func generator(seed: UInt64, now: Instant) -> GardenGenerator {
        GardenGenerator(
            seed: seed, now: now, zones: zones,
            plantID: { UniqueIdentifiers.plant(account: $0, phone: $1, removedBefore: 0) })
    }

    /// Adds the accounts of a file: one JSON document of an account a line, or a single one on many lines. A document is
    /// what an export wrote, or a new account with its friends. The same file again adds nothing.
    ///
    /// A line that is refused is reported, and the others still come. An exported account comes whole or not at all; a new
    /// account that was interrupted is completed by the same file.
    ///
    /// - Throws: ``UnreadableFile`` when the file cannot be read.
    public func seed(from path: String, progress: (Int) -> Void = { _ in }) async throws -> SeedResult {
        var result = SeedResult()
        var waiting: [(line: Int, archive: AccountArchive)] = []
        var lines = try DocumentReader(path: path)
        while let (number, document) = try lines.next() {
            do {
                switch try ArchiveDocument.decode(document) {
                case .archive(let archive):
                    waiting.append((number, archive))
                    if waiting.count == Engine.batchSize { try await restore(&waiting, &result) }
                case .newAccount(let seed): try await plant(seed, line: number, &result)
                }
            } catch let problem as ArchiveProblem {
                result.problems.append(
                    SeedResult.Problem(line: number, code: "unreadable_account", message: problem.description))
            } catch let refusal as CareError {
                result.problems.append(
                    SeedResult.Problem(line: number, code: refusal.code, message: refusal.description))
            }
            progress(result.writtenAccounts + result.knownAccounts + waiting.count)
        }
        try await restore(&waiting, &result)
        return result
    }

    /// Writes exported accounts together; if one of them is refused, one by one.
    private func restore(_ waiting: inout [(line: Int, archive: AccountArchive)], _ result: inout SeedResult)
        async throws
    {
        let batch = waiting
        waiting = []
        do {
            result.count(batch.map(\.archive), try await store.restore(batch.map(\.archive)))
        } catch is CareError {
            for (line, archive) in batch {
                do {
                    result.count([archive], try await store.restore([archive]))
                } catch let refusal as CareError {
                    result.problems.append(
                        SeedResult.Problem(line: line, code: refusal.code, message: refusal.description))
                }
            }
        }
    }

    private func plant(_ seed: AccountSeed, line: Int, _ result: inout SeedResult) async throws {
        let account = try await account(of: seed, &result)
        let tags = try await store.tags(of: account.id).tags
        for tag in seed.tags where !tags.contains(where: { $0.name == tag.name }) {
            _ = try await store.addTag(tag.name, colour: tag.colour, cycle: tag.cycle, to: account.id)
        }
        let reader = ContactReader(
            zones: zones, today: try zones.rules(account.timeZone).day(at: try await store.now()),
            timeZone: account.timeZone, readsDayFirst: false, tags: [])
        var contacts: [FriendContact] = []
        for friend in seed.friends {
            let (row, contact) = reader.row(.success(ContactCard(friend, line: line)))
            if let contact { contacts.append(contact) }
            var problems = row.warnings
            if case .failure(let problem) = row.result { problems.append(problem) }
            result.problems += problems.map {
                SeedResult.Problem(line: line, code: $0.code, message: "\(friend.name): \($0.why); \($0.how)")
            }
        }
        let imported = try await store.importFriends(
            contacts, to: account.id, ImportOptions(cycle: try Cycle(days: 7)), fileName: "seed")
        for case .planted in imported.outcomes { result.friends += 1 }
    }

    /// The account of a seed: the one with its e-mail, or a new one.
    private func account(of seed: AccountSeed, _ result: inout SeedResult) async throws -> Account {
        let email = try EmailAddress(seed.email)
        if let known = try? await store.account(email.description) {
            result.knownAccounts += 1
            return known
        }
        let account = try await store.addAccount(
            email: email, nickname: try Nickname(seed.nickname),
            phone: try seed.phone.map { text throws(CareError) in try phoneNumber(text, timeZone: seed.timeZone) },
            timeZone: seed.timeZone, language: seed.language)
        result.writtenAccounts += 1
        if seed.switches == NotificationSwitches() { return account }
        var edit = AccountEdit()
        edit.wateringPushes = seed.switches.watering
        edit.reviewPushes = seed.switches.review
        edit.birthdayPushes = seed.switches.birthday
        edit.witheredPushes = seed.switches.withered
        return try await store.editAccount(account.id, edit)
    }
}

extension SeedResult {
    fileprivate mutating func count(_ archives: [AccountArchive], _ outcomes: [RestoredAccount]) {
        for (archive, outcome) in zip(archives, outcomes) {
            switch outcome {
            case .written:
                writtenAccounts += 1
                friends += archive.plants.count
            case .known: knownAccounts += 1
            }
        }
    }
}

extension ContactCard {
    fileprivate init(_ friend: FriendSeed, line: Int) {
        self.init(
            line: line, name: friend.name, nickname: friend.nickname, phones: [friend.phone],
            birthday: friend.birthday, cycleDays: friend.cycleDays.map { "\($0)" }, alarm: friend.alarm,
            tags: friend.tags, isFavourite: friend.isFavourite)
    }
}

/// Reads a file of JSON documents: one a line, or a single one on many lines, which begins with a line of `{` alone.
private struct DocumentReader {
    /// nil once its end was reached.
    private var file: UnsafeMutablePointer<FILE>?
    private let path: String
    private var line = 0

    init(path: String) throws {
        guard let file = fopen(path == "-" ? "/dev/stdin" : path, "re") else {
            throw UnreadableFile(reason: "\(path) cannot be opened: check the path and whether you may read it")
        }
        self.file = file
        self.path = path
    }

    /// The next document that is not blank, and the line on which it begins.
    mutating func next() throws -> (line: Int, document: [UInt8])? {
        while var bytes = try nextLine() {
            let begins = line
            let text = bytes.filter { $0 > 0x20 }
            if text.isEmpty { continue }
            if text == [UInt8(ascii: "{")] { while let more = try nextLine() { bytes += more } }
            return (begins, bytes)
        }
        return nil
    }

    private mutating func nextLine() throws -> [UInt8]? {
        guard let file else { return nil }
        var buffer: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(buffer) }
        let count = getline(&buffer, &capacity, file)
        guard count >= 0, let buffer else {
            let hasFailed = ferror(file) != 0
            fclose(file)
            self.file = nil
            if hasFailed { throw UnreadableFile(reason: "\(path) cannot be read: is it a directory?") }
            return nil
        }
        line += 1
        return buffer.withMemoryRebound(to: UInt8.self, capacity: count) {
            Array(UnsafeBufferPointer(start: $0, count: count))
        }
    }
}

import AddressBook
import CherishCore
import CherishRuntime
import CherishStore
import Foundation
import GardenArchive
import GardenGenerator

/// How a seed file is read and planted.
public struct SeedOptions: Sendable {
    public var planting: BulkOptions
    /// The fields of table columns whose titles are not recognized.
    public var columns = ColumnMap.none
    /// Whether `05/06/1994` means the fifth of June.
    public var readsDayFirst = false
    /// The IANA name of the time zone given to missing accounts that friends name; nil refuses such friends.
    public var newAccountsTimeZone: String?
    /// The language of accounts added this way.
    public var newAccountsLanguage = Language.english

    /// Options with a cycle for friends that get none from the file or a tag.
    public init(cycle: Cycle) {
        planting = BulkOptions(cycle: cycle)
    }
}

/// The result of seeding a file.
public struct SeedResult: Sendable {
    public var writtenAccounts = 0
    /// Accounts of documents that existed already. An exported account is left unchanged; any other gets the tags and
    /// friends that it lacks.
    public var knownAccounts = 0
    public var friends = BulkPlanting()
    /// The number of friends and accounts refused, plus details left out of others.
    public var problemCount = 0
}

/// Why a line of a seed file was refused or added only in part.
public struct SeedProblem: Sendable {
    /// Counted from 1.
    public let line: Int
    /// The contact as in the file; nil if the line is an account or cannot be read at all.
    public let card: ContactCard?
    public let problem: ImportedContact.Problem
}

/// The progress of seeding.
public struct SeedProgress: Sendable {
    public let accounts: Int
    public let friends: Int
    /// The fraction of the file that has been read, 0–1; nil if its size is unknown.
    public let fractionRead: Double?
}

extension CareService {
    /// A generator of fictitious gardens with a history (``GardenGenerator``).
    ///
    /// - Parameter now: when their history ends.
    public func generator(seed: UInt64, now: Instant) -> GardenGenerator {
        GardenGenerator(seed: seed, now: now, zones: engine.zones)
    }

    /// Adds the accounts and friends of a source: a table of friends with a column for the account, or JSON Lines of
    /// accounts and friends. An account is an exported document, or a new account with its friends. Idempotent: seeding
    /// the same source again adds nothing.
    ///
    /// Writes batch by batch, in transactions. After an interruption, seeding the same source again adds the rest.
    /// Memory use grows neither with the source nor with an account.
    ///
    /// - Parameters:
    ///   - problem: called for everything refused or left out; everything else is still added.
    ///   - progress: called after each batch.
    /// - Throws: ``UnreadableFile`` if the source cannot be read; errors of the source and of `problem`.
    public func seed(
        from source: ByteSource, _ options: SeedOptions, problem: (SeedProblem) throws -> Void,
        progress: (SeedProgress) -> Void = { _ in }
    ) async throws -> SeedResult {
        var seeder = Seeder(engine: engine, options: options, file: try SeedFile(source, columns: options.columns))
        let (store, planting) = (engine.store, options.planting)
        return try await withThrowingTaskGroup(of: BulkPlanting.self) { group in
            // While a batch is read, two transactions write the previous one: one for even lanes and one for odd lanes.
            // Each lane is thus unlocked between batches; if the locks overlapped, its scheduler would wait for the
            // last of them.
            while let friends = try await seeder.nextBatch(problem) {
                while let planted = try await group.next() { seeder.result.friends.add(planted) }
                for half in Dictionary(grouping: friends, by: { $0.accountID.lane.number.isMultiple(of: 2) }).values {
                    group.addTask { try await store.plantFriends(half, planting) }
                }
                progress(seeder.progress)
            }
            for try await planted in group { seeder.result.friends.add(planted) }
            if seeder.result.friends.plantedCount > CareStore.largeImport { await store.analyzeGardens() }
            return seeder.result
        }
    }
}

extension BulkPlanting {
    fileprivate mutating func add(_ other: BulkPlanting) {
        plantedCount += other.plantedCount
        knownCount += other.knownCount
        tagsLeftOutCount += other.tagsLeftOutCount
    }
}

/// Reads a seed file batch by batch, writes its accounts, and returns its friends.
private struct Seeder {
    /// The maximum number of accounts to cache.
    private static let mostOwners = 50_000

    /// An account with the reader of its contacts.
    private struct Owner {
        let id: Account.ID
        let reader: ContactReader
    }

    var result = SeedResult()
    private let engine: Engine
    private let options: SeedOptions
    private var file: SeedFile
    /// The accounts by the e-mails and ids in the file.
    private var owners: [String: Owner] = [:]
    private var readers: [String: ContactReader] = [:]
    private var friendsRead = 0

    init(engine: Engine, options: SeedOptions, file: SeedFile) {
        self.engine = engine
        self.options = options
        self.file = file
    }

    var progress: SeedProgress {
        SeedProgress(
            accounts: result.writtenAccounts + result.knownAccounts, friends: friendsRead,
            fractionRead: file.fractionRead)
    }

    /// Writes the accounts of the next batch and returns its friends; nil at the end of the file.
    mutating func nextBatch(_ report: (SeedProblem) throws -> Void) async throws -> [BulkFriend]? {
        var batch = SeedBatch()
        var problems: [SeedProblem] = []
        while !batch.isFull, problems.count < SeedBatch.mostFriends, let entry = try file.next() {
            batch.take(entry, &problems)
        }
        if batch.isEmpty, problems.isEmpty { return nil }
        try await restore(batch.exports, &problems)
        if let large = batch.large { try await restore(large, &problems) }
        let cards = batch.cards + (try await add(batch.seeds, &problems))
        friendsRead += cards.count
        try await findOwners(of: cards)
        let friends = cards.compactMap { friend($0, &problems) }
        result.problemCount += problems.count
        for problem in problems.sorted(by: { $0.line < $1.line }) { try report(problem) }
        return friends
    }

    /// The friend that a contact describes, for the account that it names.
    private func friend(_ card: ContactCard, _ problems: inout [SeedProblem]) -> BulkFriend? {
        guard let owner = card.account.flatMap({ owners[$0] }) else {
            problems.append(SeedProblem(line: card.line, card: card, problem: .account(card.account)))
            return nil
        }
        let read = owner.reader.read(card)
        problems += read.warnings.map { SeedProblem(line: card.line, card: card, problem: $0) }
        switch read.friend {
        case .success(let contact):
            return BulkFriend(accountID: owner.id, contact: contact)
        case .failure(let problem):
            problems.append(SeedProblem(line: card.line, card: card, problem: problem))
            return nil
        }
    }
}

// MARK: - Accounts

extension Seeder {
    /// Writes exported accounts together or, if one of them is refused, one by one.
    private mutating func restore(_ exports: [SeedBatch.Export], _ problems: inout [SeedProblem]) async throws {
        if exports.isEmpty { return }
        do {
            note(exports, try await engine.store.seed(exports.map(\.account)), &problems)
        } catch {
            if ImportedContact.Problem(refusing: error) == nil { throw error }
            for export in exports {
                do {
                    note([export], try await engine.store.seed([export.account]), &problems)
                } catch {
                    guard let problem = ImportedContact.Problem(refusing: error) else { throw error }
                    problems.append(SeedProblem(line: export.line, card: nil, problem: problem))
                }
            }
        }
    }

    private mutating func note(
        _ exports: [SeedBatch.Export], _ outcomes: [SeededAccount], _ problems: inout [SeedProblem]
    ) {
        for (export, outcome) in zip(exports, outcomes) {
            note(outcome, friendCount: export.account.plants.count, line: export.line, &problems)
        }
    }

    private mutating func note(
        _ outcome: SeededAccount, friendCount: Int, line: Int, _ problems: inout [SeedProblem]
    ) {
        result.count(outcome, friendCount: friendCount)
        guard case .writtenWithoutPhones(let count) = outcome else { return }
        problems.append(SeedProblem(line: line, card: nil, problem: .takenPhones(count)))
    }

    /// Writes an exported account that is too large for memory.
    private mutating func restore(_ large: SeedBatch.Large, _ problems: inout [SeedProblem]) async throws {
        do {
            let (outcome, friendCount) = try await engine.store.seed(large.account)
            note(outcome, friendCount: friendCount, line: large.line, &problems)
        } catch {
            guard let problem = ImportedContact.Problem(refusing: error) else { throw error }
            problems.append(SeedProblem(line: large.line, card: nil, problem: problem))
        }
    }

    /// Adds new accounts and their tags, and returns their friends, to be written with all others.
    private mutating func add(_ seeds: [SeedBatch.Seed], _ problems: inout [SeedProblem]) async throws -> [ContactCard]
    {
        var accounts: [(account: Account, seed: SeedBatch.Seed)] = []
        for seed in seeds {
            do throws(CareError) {
                accounts.append((try account(of: seed.account), seed))
            } catch {
                problems.append(SeedProblem(refusing: seed.line, error))
            }
        }
        let added = try await engine.store.addAccounts(accounts.map(\.account))
        result.writtenAccounts += added.count
        result.knownAccounts += accounts.count - added.count
        for (_, seed) in accounts where !seed.account.tags.isEmpty {
            do {
                try await addTags(seed.account.tags, to: seed.account.email)
            } catch let refusal as CareError {
                problems.append(SeedProblem(refusing: seed.line, refusal))
            }
        }
        return accounts.flatMap { _, seed in
            seed.account.friends.map { ContactCard($0, of: seed.account.email, line: seed.line) }
        }
    }

    private func addTags(_ seeds: [TagSeed], to email: String) async throws {
        let account = try await engine.store.account(email)
        let garden = engine.store.garden(of: account.id)
        let known = try await garden.tags().tags
        for seed in seeds where !known.contains(where: { $0.name == seed.name }) {
            _ = try await garden.addTag(seed.name, colour: seed.colour, cycle: seed.cycle)
        }
    }

    private func account(of seed: AccountSeed) throws(CareError) -> Account {
        Account(
            id: engine.store.newAccountID(), email: try EmailAddress(seed.email), nickname: try Nickname(seed.nickname),
            phone: try seed.phone.map { text throws(CareError) in
                try engine.zones.phoneNumber(text, in: seed.timeZone)
            },
            timeZone: try engine.zones.rules(seed.timeZone).name, language: seed.language, switches: seed.switches)
    }

    /// Looks up the accounts that some contacts name, and adds missing ones if the options say so.
    private mutating func findOwners(of cards: [ContactCard]) async throws {
        let names = Set(cards.compactMap(\.account))
        if owners.count > Self.mostOwners { owners = [:] }
        let unknown = names.filter { owners[$0] == nil }
        if unknown.isEmpty { return }
        try await remember(try await engine.store.accounts(unknown))
        guard let timeZone = options.newAccountsTimeZone else { return }
        let missing = unknown.filter { owners[$0] == nil && $0.contains("@") }.sorted()
        let accounts = missing.compactMap { email in
            try? account(
                of: AccountSeed(
                    email: email, nickname: String(email.prefix { $0 != "@" }.prefix(TextLimit.nickname)),
                    timeZone: timeZone, language: options.newAccountsLanguage))
        }
        result.writtenAccounts += try await engine.store.addAccounts(accounts).count
        try await remember(try await engine.store.accounts(Set(missing)))
    }

    private mutating func remember(_ accounts: [String: Account]) async throws {
        for (name, account) in accounts {
            owners[name] = Owner(id: account.id, reader: try await reader(for: account.timeZone))
        }
    }

    private mutating func reader(for timeZone: String) async throws -> ContactReader {
        if let reader = readers[timeZone] { return reader }
        let today = try engine.zones.rules(timeZone).day(at: try await engine.store.now())
        let reader = ContactReader(
            zones: engine.zones, today: today, timeZone: timeZone, readsDayFirst: options.readsDayFirst, tags: [])
        readers[timeZone] = reader
        return reader
    }
}

/// A batch of a seed file.
private struct SeedBatch {
    /// Large enough that a disk flush hardly matters. A scheduler may have to wait for as long as a batch of friends of
    /// many accounts takes, which is a fifth of a second on a slow machine.
    static let mostFriends = 5000
    /// Accounts may have a long history, which takes several times the bytes of its document in memory.
    private static let mostAccounts = 50
    private static let mostBytes = 8 * 1024 * 1024

    struct Export {
        let line: Int
        let account: AccountExport
    }

    struct Large {
        let line: Int
        let account: LargeExport
    }

    struct Seed {
        let line: Int
        let account: AccountSeed
    }

    private(set) var exports: [Export] = []
    /// An account that is too large for memory; it ends the batch.
    private(set) var large: Large?
    private(set) var seeds: [Seed] = []
    private(set) var cards: [ContactCard] = []

    /// The number of friends, including those of new accounts.
    private var friendCount = 0
    /// The bytes of the documents.
    private var byteCount = 0

    var isEmpty: Bool { exports.isEmpty && large == nil && seeds.isEmpty && cards.isEmpty }
    var isFull: Bool {
        large != nil || friendCount >= Self.mostFriends || exports.count + seeds.count >= Self.mostAccounts
            || byteCount >= Self.mostBytes
    }

    mutating func take(_ entry: SeedFile.Entry, _ problems: inout [SeedProblem]) {
        switch entry {
        case .friend(.success(let card)):
            cards.append(card)
            friendCount += 1
        case .friend(.failure(let unreadable)):
            problems.append(SeedProblem(line: unreadable.line, card: nil, problem: .unreadable(unreadable)))
        case .account(let line, let document):
            byteCount += document.count
            do {
                take(try ExportDocument.decode(document), line: line)
            } catch {
                problems.append(SeedProblem(line: line, card: nil, problem: .unreadableAccount(error)))
            }
        case .largeAccount(let line, let account):
            large = Large(line: line, account: account)
        case .refused(let line, let problem):
            problems.append(SeedProblem(line: line, card: nil, problem: .unreadableAccount(problem)))
        }
    }

    private mutating func take(_ entry: ExportEntry, line: Int) {
        switch entry {
        case .archive(let account):
            exports.append(Export(line: line, account: account))
        case .newAccount(let seed):
            seeds.append(Seed(line: line, account: seed))
            friendCount += seed.friends.count
        }
    }
}

extension SeedResult {
    fileprivate mutating func count(_ outcome: SeededAccount, friendCount: Int) {
        switch outcome {
        case .written, .writtenWithoutPhones:
            writtenAccounts += 1
            friends.plantedCount += friendCount
        case .known: knownAccounts += 1
        }
    }
}

extension ContactCard {
    init(_ friend: FriendSeed, of account: String, line: Int) {
        self.init(
            line: line, name: friend.name, nickname: friend.nickname, phones: [friend.phone],
            birthday: friend.birthday, cycleDays: friend.cycleDays.map { "\($0)" }, alarm: friend.alarm,
            tags: friend.tags, isFavourite: friend.isFavourite, account: account)
    }
}

extension SeedProblem {
    fileprivate init(refusing line: Int, _ refusal: CareError) {
        self.init(line: line, card: nil, problem: ImportedContact.Problem(code: refusal.code, refusal.description))
    }
}

extension ImportedContact.Problem {
    fileprivate init(code: String, _ why: String) {
        self.init(code: code, why: why, how: "correct the line and seed once more")
    }

    fileprivate static func unreadableAccount(_ error: any Error) -> Self {
        Self(code: "unreadable_account", "\(error)")
    }

    /// nil for an error that concerns more than one account.
    fileprivate init?(refusing error: any Error) {
        switch error {
        case let refusal as CareError: self.init(code: refusal.code, refusal.description)
        case let unfit as UnfitExport: self.init(code: unfit.code, unfit.description)
        case let problem as ExportProblem: self = .unreadableAccount(problem)
        default: return nil
        }
    }

    fileprivate static func takenPhones(_ count: Int) -> Self {
        Self(
            code: "taken_device",
            why: count == 1
                ? "a phone of the account belongs to another account by now, and was left out"
                : "\(count) phones of the account belong to other accounts by now, and were left out",
            how: Remedy("sign in there again, which adds them, or add them to the account", .addingDevices))
    }

    fileprivate static func account(_ name: String?) -> Self {
        guard let name else {
            return Self(
                code: "not_found", why: "the friend names no account",
                how: "write the e-mail or id of the account into the column account")
        }
        let isAddress = (try? EmailAddress(name)) != nil
        return Self(
            code: "not_found", why: "there is no account \(name.prefix(80))",
            how: isAddress
                ? Remedy("add the account first, or have all missing accounts added", .addingAccounts)
                : "write its e-mail or id")
    }
}

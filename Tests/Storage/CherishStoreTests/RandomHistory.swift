import CherishCore
import CherishStore
import CherishTestSupport
import Foundation
import SeededChance

/// A random action of an account.
private enum RandomCommand {
    case register(Registration)
    case restore(Registration)
    case undo
    case remove
    case water(WateringRequest)
    case writeReview(keywords: [String]?, memo: String?)
    case deleteReview(on: CivilDay)
    case declineReview(on: CivilDay)
    case postpone(days: Int)
    case editPlant(PlantEdit)
    case editAccount(AccountEdit)
    case erase
}

/// Three accounts, two of them in one lane, with random commands as time goes by, determined by a seed.
struct RandomHistory {
    static let lanes = [Lane(7), Lane(7), Lane(200)]
    private static let zones = ["Asia/Seoul", "Europe/Berlin"]

    let service: ServiceUnderTest
    private let erasesAccounts: Bool
    /// Whether some commands have a `--now` earlier than what already happened.
    private let goesBack: Bool
    private var generator: SplitMix64
    private(set) var now: Instant
    private var accounts: [Account] = []
    private var plants: [Plant] = []
    private var imports: [ImportBatch.ID] = []

    init(seed: UInt64, service: ServiceUnderTest, erasesAccounts: Bool = true, goesBack: Bool = false) async throws {
        self.service = service
        self.erasesAccounts = erasesAccounts
        self.goesBack = goesBack
        generator = SplitMix64(seed: seed)
        now = try seoul("2027-02-23T10:00")
        // Missing partitions have tests of their own.
        try await service.execute(
            """
            SELECT make_partition('occurrence', 'month', month)
            FROM generate_series(timestamptz '2027-01-01Z', timestamptz '2030-01-01Z', interval '1 month') AS month
            """)
        for (number, lane) in Self.lanes.enumerated() {
            let account = try await service.account(
                lane: lane, email: "account-\(number)@example.com",
                switches: NotificationSwitches(birthday: true, withered: number == 0), at: now)
            accounts.append(account)
            for friend in 1...3 {
                let plant = try await service.friend(
                    of: account, number: friend, cycle: friend, birthday: "03-0\(friend)", at: now)
                plants.append(plant)
            }
        }
    }

    /// Randomness for those who act between the steps.
    mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &generator) < percent
    }

    /// Advances time by minutes to days and runs a command. Refusals are fine.
    mutating func step() async throws {
        let longest = [90, 720, 2880][Int.random(in: 0..<3, using: &generator)]
        now = now.adding(minutes: Int.random(in: 1...longest, using: &generator))
        var commandTime = now
        if goesBack, chance(15) {
            commandTime = now.adding(hours: -Int.random(in: 1...30, using: &generator))
        }
        let plant = plants[Int.random(in: 0..<plants.count, using: &generator)]
        let account = accounts[Int.random(in: 0..<accounts.count, using: &generator)]
        let command = try nextCommand()
        do {
            try await perform(command, plant: plant, account: account, store: service.store(at: commandTime))
        } catch is CareError {
            return
        }
    }

    /// Imports four friends under other names and with a tag, brings back the removed ones, and undoes it all.
    mutating func importAndUndo() async throws {
        let account = accounts[Int.random(in: 0..<accounts.count, using: &generator)]
        let contacts = try (1...4).map { number in
            var contact = FriendContact(try registration(number: number, name: "박\(number)", birthday: "05-21"))
            contact.tags = [try TagName("가족")]
            return contact
        }
        let store = service.store(at: now)
        let result = try await store.importFriends(
            contacts, to: account.id, try importOptions(restoring: true, merging: true), fileName: "four.vcf")
        if let batch = result.batchID { _ = try await store.undoImport(batch.description) }
    }

    private mutating func perform(
        _ command: RandomCommand, plant: Plant, account: Account, store: CareStore
    ) async throws {
        switch command {
        case .register(let registration):
            plants.append(try await store.addFriend(registration, to: account.id))
        case .restore(let registration):
            let result = try await store.importFriends(
                [FriendContact(registration)], to: account.id, try importOptions(restoring: true), fileName: "one.vcf")
            for case .planted(let planted) in result.outcomes { plants.append(planted) }
            if let batch = result.batchID { imports.append(batch) }
        case .undo:
            if let batch = imports.popLast() { _ = try await store.undoImport(batch.description) }
        case .remove: _ = try await store.removeFriend(plant.reference)
        case .water(let request): _ = try await store.water(plant.reference, request)
        case .writeReview(let keywords, let memo):
            _ = try await store.writeReview(plant.reference, on: nil, keywords: keywords, memo: memo)
        case .deleteReview(let day): _ = try await store.deleteReview(plant.reference, on: day)
        case .declineReview(let day): _ = try await store.declineReview(plant.reference, on: day)
        case .postpone(let days): _ = try await store.postpone(plant.reference, days: days)
        case .editPlant(let edit): _ = try await store.editFriend(plant.reference, edit)
        case .editAccount(let edit): _ = try await store.editAccount(account.id, edit)
        case .erase: _ = try await store.eraseAccount(account.id)
        }
    }

    private mutating func nextCommand() throws -> RandomCommand {
        switch Int.random(in: 0..<100, using: &generator) {
        case ..<25: return .water(try nextWatering())
        case ..<33:
            return chance(50) ? .writeReview(keywords: ["안부"], memo: nil) : .writeReview(keywords: nil, memo: "오랜만")
        case ..<38: return .deleteReview(on: try nextDay())
        case ..<43: return .declineReview(on: try nextDay())
        case ..<63: return .postpone(days: Int.random(in: 1...3, using: &generator))
        case ..<78: return .editPlant(try nextPlantEdit())
        case ..<88: return .editAccount(nextAccountEdit())
        case ..<91: return .remove
        case ..<94: return .register(try registration(number: Int.random(in: 1...4, using: &generator), cycle: 2))
        case ..<95: return .undo
        case ..<99: return .restore(try registration(number: Int.random(in: 1...4, using: &generator), cycle: 3))
        default: return erasesAccounts ? .erase : .remove
        }
    }

    /// Today or one of the two days before it.
    private mutating func nextDay() throws -> CivilDay {
        try ServiceUnderTest.zones.rules("Asia/Seoul").day(at: now) + -Int.random(in: 0...2, using: &generator)
    }

    private mutating func nextWatering() throws -> WateringRequest {
        var request = WateringRequest(method: .message)
        if chance(30) { request.day = try nextDay() }
        if chance(30) { request.review = try Review(keywords: ["점심"], memo: chance(50) ? "다음에 또" : nil) }
        request.declinesReview = chance(10)
        return request
    }

    private mutating func nextPlantEdit() throws -> PlantEdit {
        if chance(25) { return try plantEdit(pushesEnabled: chance(70)) }
        if chance(50) { return try plantEdit(alarm: chance(50) ? "09:00" : "20:30") }
        return try plantEdit(cycle: Int.random(in: 1...4, using: &generator))
    }

    private mutating func nextAccountEdit() -> AccountEdit {
        var edit = AccountEdit()
        if chance(40) {
            edit.timeZone = Self.zones[Int.random(in: 0..<2, using: &generator)]
        } else if chance(50) {
            edit.wateringPushes = chance(70)
            edit.reviewPushes = chance(70)
        } else {
            edit.birthdayPushes = chance(60)
            edit.witheredPushes = chance(60)
        }
        return edit
    }
}

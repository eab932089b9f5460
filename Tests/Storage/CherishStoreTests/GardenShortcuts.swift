import CherishCore
import CherishPush

@testable import CherishStore

/// A plant of one of a test's many accounts.
struct PlantReference: Hashable {
    let id: Plant.ID
    let accountID: Account.ID
}

extension Plant {
    var reference: PlantReference { PlantReference(id: id, accountID: accountID) }
}

/// Shortcuts for commands in the gardens of many accounts.
extension CareStore {
    func account(of plant: Plant) async throws -> Account { try await garden(of: plant.accountID).account() }

    func editAccount(_ id: Account.ID, _ edit: AccountEdit) async throws -> Account {
        try await garden(of: id).editAccount(edit)
    }

    func replanPiece(of id: Account.ID) async throws -> Bool { try await garden(of: id).replanPiece() }

    func export(of id: Account.ID) async throws -> AccountExport { try await garden(of: id).export() }

    func withExport<Result: Sendable>(
        of id: Account.ID, pageSize: Int = 250, _ read: (ExportReader) async throws -> Result
    ) async throws -> Result {
        try await garden(of: id).withExport(pageSize: pageSize, read)
    }

    func forecast(of id: Account.ID, days: Int) async throws -> AccountForecast {
        try await garden(of: id).forecast(days: days)
    }

    func statistics(_ account: Account) async throws -> Statistics { try await garden(of: account.id).statistics() }

    // MARK: Plants

    func garden(_ account: Account, isRemoved: Bool = false) async throws -> [Plant] {
        try await garden(of: account.id).plants(isArchived: isRemoved)
    }

    func addFriend(_ registration: Registration, to id: Account.ID, tags: [TagName] = []) async throws -> Plant {
        try await garden(of: id).addFriend(registration, tags: tags)
    }

    func editFriend(_ plant: PlantReference, _ edit: PlantEdit, _ tagging: Tagging = Tagging()) async throws -> Plant {
        try await garden(of: plant.accountID).editFriend(plant.id, edit, tagging)
    }

    func removeFriend(_ plant: PlantReference) async throws -> Plant {
        try await garden(of: plant.accountID).removeFriend(plant.id)
    }

    func history(of plant: PlantReference) async throws -> PlantHistory {
        try await garden(of: plant.accountID).history(of: plant.id)
    }

    func water(_ plant: PlantReference, _ request: WateringRequest) async throws
        -> (watering: RecordedWatering, plant: Plant)
    {
        try await garden(of: plant.accountID).water(plant.id, request)
    }

    func waterings(_ plant: Plant, from first: CivilDay, to last: CivilDay) async throws -> [Watering] {
        try await garden(of: plant.accountID).waterings(of: plant.id, from: first, to: last)
    }

    func newest(_ plant: Plant) async throws -> (reviewed: [RecordedWatering], newest: Watering?) {
        let detail = try await garden(of: plant.accountID).detail(of: plant.id)
        return (detail.reviewed, detail.newest)
    }

    func writeReview(_ plant: PlantReference, on day: CivilDay?, keywords: [String]?, memo: String?) async throws
        -> (watering: RecordedWatering, plant: Plant)
    {
        try await garden(of: plant.accountID).writeReview(plant.id, on: day, keywords: keywords, memo: memo)
    }

    func deleteReview(_ plant: PlantReference, on day: CivilDay) async throws
        -> (watering: RecordedWatering, plant: Plant)
    {
        try await garden(of: plant.accountID).deleteReview(plant.id, on: day)
    }

    func declineReview(_ plant: PlantReference, on day: CivilDay) async throws
        -> (watering: RecordedWatering, plant: Plant)
    {
        try await garden(of: plant.accountID).declineReview(plant.id, on: day)
    }

    func postpone(_ plant: PlantReference, days: Int) async throws -> Plant {
        try await garden(of: plant.accountID).postpone(plant.id, days: days)
    }

    func pushes(_ account: Account, plant: Plant.ID? = nil) async throws -> [PushRecord] {
        try await garden(of: account.id).pushes(of: plant?.subject)
    }

    func deviceRecords(of plant: Plant) async throws -> [DeviceRecord] {
        try await garden(of: plant.accountID).deviceRecords(of: plant.id.subject)
    }

    // MARK: Tags, imports and devices

    func tags(of id: Account.ID) async throws -> AccountTags { try await garden(of: id).tags() }

    func addTag(_ name: TagName, colour: TagColour?, cycle: Cycle?, to id: Account.ID) async throws -> Tag {
        try await garden(of: id).addTag(name, colour: colour, cycle: cycle)
    }

    func editTag(_ name: TagName, _ edit: TagEdit, of id: Account.ID) async throws -> Tag {
        try await garden(of: id).editTag(name, edit)
    }

    func removeTag(_ name: TagName, of id: Account.ID) async throws -> Int { try await garden(of: id).removeTag(name) }

    func importFriends(
        _ contacts: [FriendContact], to id: Account.ID, _ options: ImportOptions, fileName: String,
        isDryRun: Bool = false
    ) async throws -> ImportResult {
        try await garden(of: id).importFriends(contacts, options, fileName: fileName, isDryRun: isDryRun)
    }

    /// Imports registrations as if they came from a file, without spreading their due dates.
    func importFriends(_ registrations: [Registration], to account: Account.ID, restoring: Bool, isDryRun: Bool)
        async throws -> [ImportOutcome]
    {
        try await importFriends(
            registrations.map { FriendContact($0) }, to: account, try importOptions(restoring: restoring),
            fileName: "contacts.vcf", isDryRun: isDryRun
        ).outcomes
    }

    func imports(_ account: Account) async throws -> [ImportBatch] { try await garden(of: account.id).imports() }

    func undoImport(_ prefix: String) async throws -> UndoneImport {
        let (id, owner) = try await importBatch(prefix)
        return try await garden(of: owner).undoImport(id)
    }

    func addDevice(
        _ account: Account, platform: Device.Platform, token: String, secret: WebhookSecret? = nil,
        keys: PushSubscription.Keys? = nil
    ) async throws -> Device {
        try await garden(of: account.id).addDevice(platform: platform, token: token, secret: secret, keys: keys)
    }

    func devices(_ account: Account) async throws -> [Device] { try await garden(of: account.id).devices() }

    func removeDevice(_ id: Device.ID) async throws {
        try await garden(of: try await owner(of: id)).removeDevice(id)
    }
}

// MARK: - Pushes about plants

extension PushMessage {
    var plantID: Plant.ID { Plant.ID(subjectID) }
}

extension AccountPush {
    var plantID: Plant.ID { Plant.ID(subjectID) }
}

extension PushRecord {
    var plantID: Plant.ID { Plant.ID(subjectID) }
}

// The JSON document of an account: each property is a key of it, and what is not optional must be there. Values are as
// JSON has them; `DocumentWriting` and the files of reading turn values of the domain into them and back.

/// Enough of a document to tell what it is.
struct HeadingDocument: Codable {
    struct Account: Codable {
        var id: String?
    }

    var format: String?
    var version: Int?
    var account: Account
}

/// An account with its history.
struct GardenDocument: Codable {
    static let format = "cherish-account"
    static let version = 1

    var format: String
    var version: Int
    var account: AccountDocument
    @OrNull var devices: [DeviceDocument]?
    @OrNull var tags: [TagDocument]?
    @OrNull var plants: [PlantDocument]?
    @OrNull var pushes: [PushDocument]?
    @OrNull var imports: [ImportDocument]?
}

struct AccountDocument: Codable {
    var id: String
    var email: String
    var nickname: String
    @OrNull var phone: String?
    var timeZone: String
    var language: String
    var wateringPushes: Bool
    var reviewPushes: Bool
    var birthdayPushes: Bool
    var witheredPushes: Bool
    var createdAt: String
}

struct DeviceDocument: Codable {
    var id: String
    var platform: String
    var token: String
    @OrNull var secret: String?
    var addedAt: String
    @OrNull var retiredAt: String?
    @OrNull var retiredReason: String?
}

struct TagDocument: Codable {
    var id: String
    var name: String
    var colour: String
    @OrNull var cycleDays: Int?
}

struct PlantDocument: Codable {
    var id: String
    var name: String
    var phone: String
    var nickname: String
    @OrNull var birthday: String?
    var cycleDays: Int
    var alarmTime: String
    var plantedOn: String
    @OrNull var lastWateredOn: String?
    var dueOn: String
    var dueSource: String
    var affection: Int
    var wateringCount: Int
    var postponementCount: Int
    var pushesEnabled: Bool
    var favourite: Bool
    /// By name.
    @OrNull var tags: [String]?
    var createdAt: String
    @OrNull var archivedAt: String?
    @OrNull var restoredOn: String?
    @OrNull var plans: PlansDocument?
    @OrNull var waterings: [WateringDocument]?
    @OrNull var postponements: [PostponementDocument]?
    @OrNull var dueDateChanges: [DueDateChangeDocument]?
}

struct PlansDocument: Codable {
    @OrNull var wateringDue: DayPlanDocument?
    @OrNull var reviewMissing: ReviewPlanDocument?
    @OrNull var birthday: DayPlanDocument?
    @OrNull var passedBirthday: DayPlanDocument?
    @OrNull var withered: DayPlanDocument?
    @OrNull var alarmedDueDates: [String]?
}

struct DayPlanDocument: Codable {
    var on: String
    var at: String
}

struct ReviewPlanDocument: Codable {
    /// The watering's.
    var number: Int
    var at: String
}

struct WateringDocument: Codable {
    var number: Int
    var wateredOn: String
    var recordedAt: String
    var method: String
    @OrNull var dueOn: String?
    var backdated: Bool
    @OrNull var keywords: [String]?
    @OrNull var memo: String?
    var reviewDeclined: Bool
    @OrNull var gained: [GainDocument]?
}

struct GainDocument: Codable {
    var reason: String
    var points: Int
    var gainedAt: String
}

struct PostponementDocument: Codable {
    var number: Int
    var postponedAt: String
    var fromDueOn: String
    var days: Int
}

struct DueDateChangeDocument: Codable {
    var changedAt: String
    var cycleDays: Int
    var dueOn: String
    var source: String
}

struct PushDocument: Codable {
    var plantId: String
    var kind: String
    /// The due date or the birthday; null for a missing review.
    @OrNull var on: String?
    /// The watering's; null for all but a missing review.
    @OrNull var number: Int?
    var plannedAt: String
    @OrNull var outcome: String?
    @OrNull var reason: String?
    @OrNull var finishedAt: String?
}

struct ImportDocument: Codable {
    var id: String
    var importedAt: String
    var fileName: String
    /// By id: a tag may have been deleted since.
    @OrNull var tags: [String]?
    @OrNull var undoneAt: String?
    @OrNull var changes: [ImportChangeDocument]?
}

struct ImportChangeDocument: Codable {
    var plantId: String
    var kind: String
    @OrNull var nameBefore: String?
    @OrNull var nameAfter: String?
    @OrNull var nicknameBefore: String?
    @OrNull var birthday: String?
    /// By id.
    @OrNull var tags: [String]?
    @OrNull var archivedAt: String?
    /// What a restored plant had.
    @OrNull var dueOn: String?
    @OrNull var dueSource: String?
    @OrNull var restoredOn: String?
    /// Of a new or restored plant, to tell whether it was changed since.
    @OrNull var careCount: Int?
    @OrNull var fingerprint: String?
}

/// An account that is to be made, with its friends: no ids and no history.
struct SeedDocument: Codable {
    @OrNull var format: String?
    @OrNull var version: Int?
    var account: SeedAccountDocument
    @OrNull var tags: [SeedTagDocument]?
    @OrNull var plants: [SeedPlantDocument]?
}

struct SeedAccountDocument: Codable {
    var email: String
    var nickname: String
    @OrNull var phone: String?
    var timeZone: String
    @OrNull var language: String?
    @OrNull var wateringPushes: Bool?
    @OrNull var reviewPushes: Bool?
    @OrNull var birthdayPushes: Bool?
    @OrNull var witheredPushes: Bool?
}

struct SeedTagDocument: Codable {
    var name: String
    @OrNull var colour: String?
    @OrNull var cycleDays: Int?
}

struct SeedPlantDocument: Codable {
    var name: String
    var phone: String
    @OrNull var nickname: String?
    @OrNull var birthday: String?
    @OrNull var cycleDays: Int?
    @OrNull var alarmTime: String?
    @OrNull var tags: [String]?
    @OrNull var favourite: Bool?
}

import DocumentEncoding

// An account's JSON document: each property is a key, and each non-optional one is required. Values have JSON's types;
// `DocumentWriting` and the reading files convert them from and to domain values.

/// The part of a document that identifies its kind.
struct HeadingEntry: Codable {
    struct Account: Codable {
        var id: String?
    }

    var format: String?
    var version: Int?
    var account: Account
}

/// An account with its history.
struct GardenEntry: Codable {
    static let format = "cherish-account"
    static let version = 1

    var format: String
    var version: Int
    var account: AccountEntry
    @OrNull var devices: [DeviceEntry]?
    @OrNull var tags: [TagEntry]?
    @OrNull var plants: [PlantEntry]?
    @OrNull var pushes: [PushEntry]?
    @OrNull var imports: [ImportEntry]?
    /// Documents of before there were things have none.
    @OrNull var things: [ThingEntry]?
    /// Documents of before there were pauses have none.
    @OrNull var pauses: [PauseEntry]?
}

struct AccountEntry: Codable {
    var id: String
    /// null for an anonymous account, which its id alone finds.
    @OrNull var email: String?
    var nickname: String
    @OrNull var phone: String?
    @OrNull var postcode: String?
    var timeZone: String
    @OrNull var dayEndsAt: String?
    var language: String
    @OrNull var appearance: JSONValue?
    /// A JPEG in Base64.
    @OrNull var picture: String?
    var wateringPushes: Bool
    var reviewPushes: Bool
    var birthdayPushes: Bool
    var witheredPushes: Bool
    @OrNull var thingPushes: Bool?
    @OrNull var expiryWarningDays: Int?
    var createdAt: String
    @OrNull var version: Int?
}

struct DeviceEntry: Codable {
    var id: String
    var platform: String
    var token: String
    @OrNull var secret: String?
    /// A browser's keys in Base64url.
    @OrNull var p256dh: String?
    @OrNull var auth: String?
    var addedAt: String
    @OrNull var retiredAt: String?
    @OrNull var retiredReason: String?
}

struct TagEntry: Codable {
    var id: String
    var name: String
    var colour: String
    @OrNull var cycleDays: Int?
    @OrNull var version: Int?
}

struct PlantEntry: Codable {
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
    /// The due date before a pause moved it.
    @OrNull var originalDueOn: String?
    var dueSource: String
    var affection: Int
    var wateringCount: Int
    var postponementCount: Int
    var pushesEnabled: Bool
    var favourite: Bool
    /// Tag names.
    @OrNull var tags: [String]?
    var createdAt: String
    @OrNull var archivedAt: String?
    @OrNull var restoredOn: String?
    @OrNull var version: Int?
    @OrNull var modifiedAt: String?
    @OrNull var plans: PlansEntry?
    @OrNull var waterings: [WateringEntry]?
    @OrNull var postponements: [PostponementEntry]?
    @OrNull var dueDateChanges: [DueDateChangeEntry]?
}

struct PlansEntry: Codable {
    @OrNull var wateringDue: DayPlanEntry?
    @OrNull var reviewMissing: ReviewPlanEntry?
    @OrNull var birthday: DayPlanEntry?
    @OrNull var passedBirthday: DayPlanEntry?
    @OrNull var withered: DayPlanEntry?
    @OrNull var alarmedDueDates: [String]?
}

struct DayPlanEntry: Codable {
    var on: String
    var at: String
}

struct ReviewPlanEntry: Codable {
    /// The number of the watering.
    var number: Int
    var at: String
}

struct WateringEntry: Codable {
    var number: Int
    var wateredOn: String
    var recordedAt: String
    var method: String
    @OrNull var dueOn: String?
    var backdated: Bool
    @OrNull var keywords: [String]?
    @OrNull var memo: String?
    var reviewDeclined: Bool
    @OrNull var gained: [GainEntry]?
}

struct GainEntry: Codable {
    var reason: String
    var points: Int
    var gainedAt: String
}

struct PostponementEntry: Codable {
    var number: Int
    var postponedAt: String
    var fromDueOn: String
    var days: Int
}

struct DueDateChangeEntry: Codable {
    var changedAt: String
    var cycleDays: Int
    var dueOn: String
    var source: String
    /// Where a pause puts it off; null for the day after the due date.
    @OrNull var withersOn: String?
}

struct PushEntry: Codable {
    var plantId: String
    var kind: String
    /// The due date or the birthday; null for a missing review.
    @OrNull var on: String?
    /// The number of the watering; null unless the kind is a missing review.
    @OrNull var number: Int?
    var plannedAt: String
    @OrNull var outcome: String?
    @OrNull var reason: String?
    @OrNull var finishedAt: String?
}

struct ImportEntry: Codable {
    var id: String
    var importedAt: String
    var fileName: String
    /// Tag ids, not names: a tag may have been deleted since.
    @OrNull var tags: [String]?
    @OrNull var undoneAt: String?
    @OrNull var changes: [ImportChangeEntry]?
}

struct ImportChangeEntry: Codable {
    var plantId: String
    var kind: String
    @OrNull var nameBefore: String?
    @OrNull var nameAfter: String?
    @OrNull var nicknameBefore: String?
    @OrNull var birthday: String?
    /// Tag ids.
    @OrNull var tags: [String]?
    @OrNull var archivedAt: String?
    /// The values of a brought-back plant before the import.
    @OrNull var dueOn: String?
    @OrNull var dueSource: String?
    @OrNull var restoredOn: String?
    /// For a new or brought-back plant, to detect later changes.
    @OrNull var careCount: Int?
    @OrNull var fingerprint: String?
}

/// An account to create, with its friends: no ids, no history.
struct SeedEntry: Codable {
    @OrNull var format: String?
    @OrNull var version: Int?
    var account: SeedAccountEntry
    @OrNull var tags: [SeedTagEntry]?
    @OrNull var plants: [SeedPlantEntry]?
}

struct SeedAccountEntry: Codable {
    var email: String
    var nickname: String
    @OrNull var phone: String?
    var timeZone: String
    @OrNull var language: String?
    @OrNull var wateringPushes: Bool?
    @OrNull var reviewPushes: Bool?
    @OrNull var birthdayPushes: Bool?
    @OrNull var witheredPushes: Bool?
    @OrNull var thingPushes: Bool?
}

struct SeedTagEntry: Codable {
    var name: String
    @OrNull var colour: String?
    @OrNull var cycleDays: Int?
}

struct SeedPlantEntry: Codable {
    var name: String
    var phone: String
    @OrNull var nickname: String?
    @OrNull var birthday: String?
    @OrNull var cycleDays: Int?
    @OrNull var alarmTime: String?
    @OrNull var tags: [String]?
    @OrNull var favourite: Bool?
}

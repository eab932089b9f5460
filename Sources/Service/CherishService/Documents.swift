import CherishCore
import CherishRuntime
import CherishStore
import DocumentEncoding
import Foundation
import GardenArchive

// JSON documents, shared by all programs. Every key is always present; absent values are null. They can be decoded, too:
// that is how OpenAPI learns what they look like, and how tests and clients in Swift read answers.

/// A document of something that has a version (rule 14.1).
public protocol VersionedDocument: Codable, Sendable {
    var version: Int { get }
}

/// A plant as its account sees it on a day.
public struct PlantDocument: VersionedDocument {
    let id, accountId, name, nickname, phone: String
    let birthday: Nullable<String>
    let species: String
    let cycleDays: Int
    let alarmTime, plantedOn: String
    let lastWateredOn: Nullable<String>
    let dueOn: String
    /// The due date before a pause moved it.
    let originalDueOn: Nullable<String>
    /// The first day on which it is withered unless it is watered.
    let withersOn: String
    /// The last day of the pause that today belongs to.
    let pausedUntil: Nullable<String>
    let daysLeft: Int
    let label, condition: String
    let gauge: Double
    let affection: Int
    let stage: String
    let full: Bool
    let phrase: String
    let wateringCount, postponementCount: Int
    let pushesEnabled, favourite: Bool
    let tags: [String]
    let archivedAt: Nullable<String>
    public let version: Int
    /// Null if the plant has not been changed since this was recorded.
    let modifiedAt: Nullable<String>

    init(_ plant: Plant, tags: [Tag], on today: CivilDay, language: Language) {
        let dDay = plant.dDay(on: today)
        id = plant.id.description
        accountId = plant.accountID.description
        name = plant.name.description
        nickname = plant.nickname.description
        phone = plant.phone.description
        birthday = Nullable(plant.birthday?.description)
        species = plant.cycle.species.rawValue
        cycleDays = plant.cycle.days
        alarmTime = plant.alarmTime.description
        plantedOn = plant.plantedOn.description
        lastWateredOn = Nullable(plant.lastWateredOn?.description)
        dueOn = plant.dueOn.description
        originalDueOn = Nullable(plant.ownDueOn == plant.dueOn ? nil : plant.ownDueOn.description)
        withersOn = plant.withersOn.description
        pausedUntil = Nullable(plant.pausedDays.lastDay(from: today)?.description)
        daysLeft = dDay.daysLeft
        label = dDay.label
        condition = dDay.condition.rawValue
        gauge = dDay.gauge
        affection = plant.affection.points
        stage = plant.affection.stage.rawValue
        full = plant.affection.isFull
        phrase = Phrases.phrase(for: plant.glance, on: today, language: language)
        wateringCount = plant.wateringCount
        postponementCount = plant.postponementCount
        pushesEnabled = plant.pushesEnabled
        favourite = plant.isFavourite
        self.tags = tags.map(\.name.description)
        archivedAt = Nullable(plant.archivedAt?.description)
        version = plant.version
        modifiedAt = Nullable(plant.modifiedAt?.description)
    }
}

/// A watering with its review and what it earned.
public struct WateringDocument: Codable, Sendable {
    let id, plantId, wateredOn, method: String
    let pointsGained: Int
    let keywords: [String]
    let memo: Nullable<String>
    let reviewDeclined: Bool

    init(_ recorded: RecordedWatering) {
        let watering = recorded.watering
        id = "\(recorded.plantID)/\(watering.number)"
        plantId = recorded.plantID.description
        wateredOn = watering.wateredOn.description
        method = watering.method.rawValue
        pointsGained = recorded.pointsGained
        keywords = watering.review?.keywords ?? []
        memo = Nullable(watering.review?.memo)
        reviewDeclined = watering.isReviewDeclined
    }
}

/// A recorded or changed watering, and its plant afterwards.
public struct WateringAnswer: Codable, Sendable {
    let watering: WateringDocument
    let plant: PlantDocument
}

/// A list of plants.
public struct GardenDocument: Codable, Sendable {
    let plants: [PlantDocument]
}

/// The document of `friend show`: the keys of ``PlantDocument``, plus two more.
public struct PlantDetailDocument: VersionedDocument {
    let plant: PlantDocument
    let reviews: [WateringDocument]
    let keywords: [String]

    public var version: Int { plant.version }

    private enum Key: String, CodingKey {
        case reviews, keywords
    }

    init(plant: PlantDocument, reviews: [WateringDocument], keywords: [String]) {
        (self.plant, self.reviews, self.keywords) = (plant, reviews, keywords)
    }

    public init(from decoder: any Decoder) throws {
        plant = try PlantDocument(from: decoder)
        let container = try decoder.container(keyedBy: Key.self)
        reviews = try container.decode([WateringDocument].self, forKey: .reviews)
        keywords = try container.decode([String].self, forKey: .keywords)
    }

    public func encode(to encoder: any Encoder) throws {
        try plant.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(reviews, forKey: .reviews)
        try container.encode(keywords, forKey: .keywords)
    }
}

/// An account with its settings.
public struct AccountDocument: VersionedDocument {
    let id: String
    /// null for an anonymous account.
    let email: Nullable<String>
    let nickname: String
    let phone, postcode, country: Nullable<String>
    let timeZone: String
    /// When its days end, from `00:00` to `04:00`.
    let dayEndsAt: String
    let language: String
    /// What apps keep here.
    let appearance: JSONValue
    let wateringPushes, reviewPushes, birthdayPushes, witheredPushes, thingPushes: Bool
    let expiryWarningDays: Int
    public let version: Int

    public init(_ account: Account) {
        id = account.id.description
        email = Nullable(account.email?.description)
        nickname = account.nickname.description
        phone = Nullable(account.phone?.description)
        postcode = Nullable(account.postcode?.description)
        country = Nullable(account.country?.description)
        appearance = account.appearance.document
        timeZone = account.timeZone
        dayEndsAt = account.dayEnd.description
        language = account.language.rawValue
        wateringPushes = account.switches.watering
        reviewPushes = account.switches.review
        birthdayPushes = account.switches.birthday
        witheredPushes = account.switches.withered
        thingPushes = account.switches.thing
        expiryWarningDays = account.warningDays.days
        version = account.version
    }
}

/// A device, without the secret of a webhook.
public struct DeviceDocument: Codable, Sendable {
    let id, platform, token, addedAt: String
    let retiredAt, retiredReason: Nullable<String>

    public init(_ device: Device) {
        id = device.id.description
        platform = device.platform.rawValue
        token = device.token
        addedAt = device.addedAt.description
        retiredAt = Nullable(device.retirement?.at.description)
        retiredReason = Nullable(device.retirement?.reason)
    }
}

/// A device that was just added: the only document that contains a webhook's secret.
public struct AddedDeviceDocument: Codable, Sendable {
    let id, platform, token, addedAt: String
    let secret: Nullable<String>

    public init(_ device: Device) {
        id = device.id.description
        platform = device.platform.rawValue
        token = device.token
        addedAt = device.addedAt.description
        secret = Nullable(device.secret?.text)
    }
}

/// A plant's calendar.
public struct CalendarDocument: Codable, Sendable {
    struct Day: Codable, Sendable {
        let day, kind: String
        let method: Nullable<String>
        let keywords: [String]
        let memo: Nullable<String>

        init(_ day: CalendarDay) {
            self.day = day.day.description
            kind = day.kind.rawValue
            method = Nullable(day.watering?.method.rawValue)
            keywords = day.watering?.review?.keywords ?? []
            memo = Nullable(day.watering?.review?.memo)
        }
    }

    let plant: String
    let days: [Day]
}

/// The account's statistics (rule 8.1).
public struct StatisticsDocument: Codable, Sendable {
    let plantCount, wateringCount, postponementCount, fullCount: Int

    public init(_ statistics: Statistics) {
        plantCount = statistics.plantCount
        wateringCount = statistics.wateringCount
        postponementCount = statistics.postponementCount
        fullCount = statistics.fullCount
    }
}

/// A planned push and how it ended.
public struct PushDocument: Codable, Sendable {
    let lane: Int
    let seq: Nullable<Int>
    /// null unless it is about a plant.
    let plantId: Nullable<String>
    let subject, subjectId, kind, occursOn, plannedAt: String
    let expiresAt, outcome, reason, finishedAt: Nullable<String>

    public init(_ push: PushRecord) {
        lane = Int(push.lane.number)
        seq = Nullable(push.seq)
        plantId = Nullable(plantOf: push.topic, push.subjectID)
        subject = push.topic.subject
        subjectId = push.subjectID.description
        kind = push.topic.label
        occursOn = push.occursOn.description
        plannedAt = push.plannedAt.description
        expiresAt = Nullable(push.expiresAt?.description)
        outcome = Nullable(push.outcome?.rawValue)
        reason = Nullable(push.reason?.rawValue)
        finishedAt = Nullable(push.finishedAt?.description)
    }
}

extension Nullable<String> {
    /// The id of the plant that a push is about; null for other subjects.
    init(plantOf topic: Topic, _ id: Subject.ID) {
        self.init(topic.subject == "plant" ? id.description : nil)
    }
}

/// Encodes an absent value as null instead of omitting it.
public struct Nullable<Value: Codable & Sendable>: Codable, Sendable {
    public let value: Value?

    public init(_ value: Value?) {
        self.value = value
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        value = container.decodeNil() ? nil : try container.decode(Value.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let value { try container.encode(value) } else { try container.encodeNil() }
    }
}

extension Nullable: Equatable where Value: Equatable {}

/// A tag and how many friends have it.
public struct TagDocument: VersionedDocument {
    let id, name, colour: String
    let cycleDays: Nullable<Int>
    let friendCount: Int
    public let version: Int

    init(_ view: TagView) {
        id = view.tag.id.description
        name = view.tag.name.description
        colour = view.tag.colour.description
        cycleDays = Nullable(view.tag.cycle?.days)
        friendCount = view.friendCount
        version = view.tag.version
    }
}

/// An import of an address book, as lists show it.
public struct ImportDocument: Codable, Sendable {
    public let id, importedAt, fileName: String
    public let planted, restored, updated: Int
    public let undoneAt: Nullable<String>

    public init(_ batch: ImportBatch) {
        func count(_ kind: ImportBatch.Change.Kind) -> Int { batch.changes.count { $0.kind == kind } }
        id = batch.id.description
        importedAt = batch.importedAt.description
        fileName = batch.fileName
        planted = count(.planted)
        restored = count(.restored)
        updated = count(.updated)
        undoneAt = Nullable(batch.undoneAt?.description)
    }
}

/// What undoing an import did.
public struct UndoneDocument: Codable, Sendable {
    /// A friend that was kept, and why.
    public struct Kept: Codable, Sendable {
        public let plantId, nickname, why: String
    }

    public let id: String
    public let deleted, reverted: Int
    public let kept: [Kept]

    public init(_ undone: UndoneImport) {
        id = undone.batch.id.description
        deleted = undone.deletedCount
        reverted = undone.revertedCount
        kept = undone.kept.map { plant, obstacle in
            let why =
                switch obstacle {
                case .caredFor: "watered or postponed since the import"
                case .edited: "edited since the import"
                case .removed: "removed since the import"
                }
            return Kept(plantId: plant.id.description, nickname: plant.nickname.description, why: why)
        }
    }
}

/// The proof that an account was erased: how many of its rows each table held before and after.
public struct ErasureDocument: Codable, Sendable {
    struct Remainder: Codable, Sendable {
        let table: String
        let before, after: Int
    }

    public let erasureId: String
    let plantCount, wateringCount, deviceCount: Int
    let tables: [Remainder]
    let plannedCount: Int

    public init(_ erasure: Erasure) {
        erasureId = erasure.id.uuidString.lowercased()
        plantCount = erasure.plantCount
        wateringCount = erasure.wateringCount
        deviceCount = erasure.deviceCount
        tables = erasure.tables.map { Remainder(table: $0.table, before: $0.before, after: $0.after) }
        plannedCount = erasure.plannedCount
    }
}

/// What the doctor found.
public struct DoctorDocument: Codable, Sendable {
    struct Row: Codable, Sendable {
        let check, verdict, message: String
        let remedy: Nullable<String>
    }

    let verdict: String
    let findings: [Row]

    public init(_ findings: [Finding]) {
        verdict = findings.verdict.rawValue
        self.findings = findings.map {
            Row(check: $0.check, verdict: $0.verdict.rawValue, message: $0.message, remedy: Nullable($0.remedy))
        }
    }
}

import CherishCore
import CherishRuntime
import CherishStore
import Foundation

// The JSON documents of the command line: every name is always present, what is absent is null.

struct PlantDocument: Encodable {
    let id, accountId, name, nickname, phone: String
    let birthday: Nullable<String>
    let species: String
    let cycleDays: Int
    let alarmTime, plantedOn: String
    let lastWateredOn: Nullable<String>
    let dueOn: String
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
        daysLeft = dDay.daysLeft
        label = dDay.label
        condition = dDay.condition.rawValue
        gauge = dDay.gauge
        affection = plant.affection.points
        stage = plant.affection.stage.rawValue
        full = plant.affection.isFull
        phrase = Phrases.phrase(for: plant, on: today, language: language)
        wateringCount = plant.wateringCount
        postponementCount = plant.postponementCount
        pushesEnabled = plant.pushesEnabled
        favourite = plant.isFavourite
        self.tags = tags.map(\.name.description)
        archivedAt = Nullable(plant.archivedAt?.description)
    }
}

struct WateringDocument: Encodable {
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

struct WateringAnswer: Encodable {
    let watering: WateringDocument
    let plant: PlantDocument
}

struct GardenDocument: Encodable {
    let plants: [PlantDocument]
}

/// `friend show`: the plant's own names, and two more.
struct PlantDetailDocument: Encodable {
    let plant: PlantDocument
    let reviews: [WateringDocument]
    let keywords: [String]

    private enum Key: String, CodingKey {
        case reviews, keywords
    }

    func encode(to encoder: any Encoder) throws {
        try plant.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(reviews, forKey: .reviews)
        try container.encode(keywords, forKey: .keywords)
    }
}

struct AccountDocument: Encodable {
    let id, email, nickname: String
    let phone: Nullable<String>
    let timeZone, language: String
    let wateringPushes, reviewPushes, birthdayPushes, witheredPushes: Bool

    init(_ account: Account) {
        id = account.id.description
        email = account.email.description
        nickname = account.nickname.description
        phone = Nullable(account.phone?.description)
        timeZone = account.timeZone
        language = account.language.rawValue
        wateringPushes = account.switches.watering
        reviewPushes = account.switches.review
        birthdayPushes = account.switches.birthday
        witheredPushes = account.switches.withered
    }
}

struct DeviceDocument: Encodable {
    let id, platform, token, addedAt: String
    let retiredAt, retiredReason: Nullable<String>

    init(_ device: Device) {
        id = device.id.description
        platform = device.platform.rawValue
        token = device.token
        addedAt = device.addedAt.description
        retiredAt = Nullable(device.retirement?.at.description)
        retiredReason = Nullable(device.retirement?.reason)
    }
}

/// A device as it is shown when it is added: the only time that the secret of a webhook is.
struct AddedDeviceDocument: Encodable {
    let id, platform, token, addedAt: String
    let secret: Nullable<String>

    init(_ device: Device) {
        id = device.id.description
        platform = device.platform.rawValue
        token = device.token
        addedAt = device.addedAt.description
        secret = Nullable(device.secret?.text)
    }
}

struct CalendarDocument: Encodable {
    struct Day: Encodable {
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

struct StatisticsDocument: Encodable {
    let plantCount, wateringCount, postponementCount, fullCount: Int

    init(_ statistics: Statistics) {
        plantCount = statistics.plantCount
        wateringCount = statistics.wateringCount
        postponementCount = statistics.postponementCount
        fullCount = statistics.fullCount
    }
}

struct PushDocument: Encodable {
    let lane: Int
    let seq: Nullable<Int>
    let plantId, kind, occursOn, plannedAt: String
    let expiresAt, outcome, reason, finishedAt: Nullable<String>

    init(_ push: PushRecord) {
        lane = Int(push.lane.number)
        seq = Nullable(push.seq)
        plantId = push.plantID.description
        kind = push.kind.rawValue
        occursOn = push.occursOn.description
        plannedAt = push.plannedAt.description
        expiresAt = Nullable(push.expiresAt?.description)
        outcome = Nullable(push.outcome?.rawValue)
        reason = Nullable(push.reason)
        finishedAt = Nullable(push.finishedAt?.description)
    }
}

extension Plant.ID {
    /// As much of the id as commands need.
    var short: String { String(description.prefix(8)) }
}

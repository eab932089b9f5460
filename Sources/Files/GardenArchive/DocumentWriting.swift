import CherishCore
import Foundation

extension GardenEntry {
    init(_ export: AccountExport) throws {
        let tagNames = Dictionary(
            export.tags.map { ($0.id, $0.name.description) }, uniquingKeysWith: { first, _ in first })
        self.init(
            format: GardenEntry.format, version: GardenEntry.version,
            account: AccountEntry(export),
            devices: export.devices.map { DeviceEntry($0) }, tags: export.tags.map { TagEntry($0) },
            plants: try Place.document["plants"].each(export.plants) { plant, place in
                try PlantEntry(plant, tagNames: tagNames, at: place)
            },
            pushes: export.pushes.map { PushEntry($0) }, imports: export.imports.map { ImportEntry($0) },
            things: try Place.document["things"].each(export.things) { thing, place in
                try ThingEntry(thing, tagNames: tagNames, at: place)
            },
            pauses: export.pauses.map { PauseEntry($0, tagNames: tagNames) })
    }
}

extension AccountEntry {
    fileprivate init(_ export: AccountExport) {
        let account = export.account
        self.init(
            id: account.id.description, email: account.email?.description, nickname: account.nickname.description,
            phone: account.phone?.description, postcode: account.postcode?.description, timeZone: account.timeZone,
            dayEndsAt: account.dayEnd.description, language: account.language.rawValue,
            appearance: account.appearance.document,
            picture: export.picture.map { Data($0).base64EncodedString() },
            wateringPushes: account.switches.watering, reviewPushes: account.switches.review,
            birthdayPushes: account.switches.birthday, witheredPushes: account.switches.withered,
            thingPushes: account.switches.thing, expiryWarningDays: account.warningDays.days,
            createdAt: export.createdAt.description, version: account.version)
    }
}

extension DeviceEntry {
    fileprivate init(_ device: Device) {
        self.init(
            id: device.id.description, platform: device.platform.rawValue, token: device.token,
            secret: device.secret?.text, p256dh: device.subscriptionKeys.map { Base64URL.encode($0.p256dh) },
            auth: device.subscriptionKeys.map { Base64URL.encode($0.auth) }, addedAt: device.addedAt.description,
            retiredAt: device.retirement?.at.description, retiredReason: device.retirement?.reason)
    }
}

extension TagEntry {
    fileprivate init(_ tag: Tag) {
        self.init(
            id: tag.id.description, name: tag.name.description, colour: tag.colour.description,
            cycleDays: tag.cycle?.days, version: tag.version)
    }
}

extension PlantEntry {
    init(_ history: PlantHistory, tagNames: [Tag.ID: String], at place: Place) throws {
        let plant = history.plant
        let gains = Dictionary(grouping: history.ledger, by: \.entry.wateringNumber)
        self.init(
            id: plant.id.description, name: plant.name.description, phone: plant.phone.description,
            nickname: plant.nickname.description, birthday: plant.birthday?.description, cycleDays: plant.cycle.days,
            alarmTime: plant.alarmTime.description, plantedOn: plant.plantedOn.description,
            lastWateredOn: plant.lastWateredOn?.description, dueOn: plant.dueOn.description,
            originalDueOn: plant.originalDueOn?.description, dueSource: plant.dueSource.rawValue,
            affection: plant.affection.points,
            wateringCount: plant.wateringCount, postponementCount: plant.postponementCount,
            pushesEnabled: plant.pushesEnabled, favourite: plant.isFavourite,
            tags: try place["tags"].names(of: history.tagIDs, tagNames),
            createdAt: history.createdAt.description, archivedAt: plant.archivedAt?.description,
            restoredOn: plant.restoredOn?.description, version: plant.version,
            modifiedAt: plant.modifiedAt?.description,
            plans: PlansEntry(plant.plans),
            waterings: history.waterings.map { WateringEntry($0, gains: gains[$0.number] ?? []) },
            postponements: history.postponements.map { PostponementEntry($0) },
            dueDateChanges: history.dueDateChanges.map { DueDateChangeEntry($0) })
    }
}

extension PlansEntry {
    fileprivate init(_ plans: Plans) {
        self.init(
            wateringDue: plans.wateringDue.map { DayPlanEntry($0) },
            reviewMissing: plans.reviewMissing.map {
                ReviewPlanEntry(number: $0.ref, at: $0.at.description)
            },
            birthday: plans.birthday.map { DayPlanEntry($0) },
            passedBirthday: plans.passedBirthday.map { DayPlanEntry($0) },
            withered: plans.withered.map { DayPlanEntry($0) },
            alarmedDueDates: plans.alarmedDueDates.map(\.description))
    }
}

extension DayPlanEntry {
    fileprivate init(_ planned: PlannedMoment) {
        self.init(on: CivilDay(ref: planned.ref).description, at: planned.at.description)
    }
}

extension WateringEntry {
    fileprivate init(_ watering: Watering, gains: [ExportedAffection]) {
        self.init(
            number: watering.number, wateredOn: watering.wateredOn.description,
            recordedAt: watering.recordedAt.description, method: watering.method.rawValue,
            dueOn: watering.dueOn?.description, backdated: watering.isBackdated,
            keywords: watering.review?.keywords ?? [], memo: watering.review?.memo,
            reviewDeclined: watering.isReviewDeclined,
            gained: gains.map { gain in
                GainEntry(
                    reason: gain.entry.reason.rawValue, points: gain.entry.points,
                    gainedAt: gain.gainedAt.description)
            })
    }
}

extension PostponementEntry {
    fileprivate init(_ exported: ExportedPostponement) {
        let postponement = exported.postponement
        self.init(
            number: postponement.number, postponedAt: exported.postponedAt.description,
            fromDueOn: postponement.fromDueOn.description, days: postponement.days)
    }
}

extension DueDateChangeEntry {
    fileprivate init(_ change: DueDateChange) {
        self.init(
            changedAt: change.changedAt.description, cycleDays: change.cycle.days, dueOn: change.dueOn.description,
            source: change.source.rawValue, withersOn: change.withersOn?.description)
    }
}

extension PushEntry {
    init(_ push: ExportedPush) {
        let occurrence = push.occurrence
        let isAboutWatering = occurrence.topic == .reviewMissing
        self.init(
            plantId: occurrence.subjectID.description, kind: occurrence.topic.label,
            on: isAboutWatering ? nil : CivilDay(ref: occurrence.ref).description,
            number: isAboutWatering ? occurrence.ref : nil, plannedAt: occurrence.at.description,
            outcome: push.end?.outcome.rawValue, reason: push.end?.reason,
            finishedAt: push.end?.finishedAt.description)
    }
}

extension ImportEntry {
    init(_ batch: ImportBatch) {
        self.init(
            id: batch.id.description, importedAt: batch.importedAt.description, fileName: batch.fileName,
            tags: batch.tagIDs.map(\.description), undoneAt: batch.undoneAt?.description,
            changes: batch.changes.map { ImportChangeEntry($0) })
    }
}

extension ImportChangeEntry {
    init(_ change: ImportBatch.Change) {
        self.init(
            plantId: change.plantID.description, kind: change.kind.rawValue,
            nameBefore: change.names?.before.description, nameAfter: change.names?.after.description,
            nicknameBefore: change.names?.nicknameBefore?.description,
            birthday: change.birthday?.description, tags: change.tagIDs.map(\.description),
            archivedAt: change.archivedAt?.description, dueOn: change.dueBefore?.on.description,
            dueSource: change.dueBefore?.source.rawValue,
            restoredOn: change.dueBefore?.restoredOn?.description, careCount: change.after?.careCount,
            fingerprint: change.after?.fingerprint)
    }
}

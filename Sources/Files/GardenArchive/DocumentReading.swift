import CherishCore
import Foundation

extension GardenEntry {
    /// The indices of the elements that a part of a document holds.
    struct Indices {
        var plants: [Int]?
        var pushes: [Int]?
        /// One list per import.
        var changes: [[Int]]?
    }

    /// - Parameter indices: The elements' indices in the whole document, if this is a part of one.
    /// - Throws: ``ExportProblem`` for the first problem.
    func read(_ indices: Indices = Indices()) throws -> AccountExport {
        let place = Place.document
        var account = try self.account.read(at: place["account"])
        let tags = try readTags(at: place["tags"])
        let tagIDs = Dictionary(tags.map { ($0.name, $0.id) }, uniquingKeysWith: { first, _ in first })
        let plantsPlace = place["plants"].holding(indices.plants)
        let pauses = try readPauses(at: place["pauses"], tagIDs: tagIDs)
        account.pausedDays = pauses.daysOfAccount
        let accountID = account.id
        let plants = try plantsPlace.each(self.plants) { entry, place in
            var history = try entry.read(at: place, of: accountID, tagIDs: tagIDs)
            history.plant.pausedDays = pauses.days(of: history.plant.id, tagIDs: history.tagIDs)
            return history
        }
        try plantsPlace.requireUnique(plants.map(\.plant.id), "id")
        // Rule 1.5: phones are unique among living plants. Removed plants keep theirs, so their ids stand in for it.
        try plantsPlace.requireUnique(
            plants.map { $0.plant.archivedAt == nil ? $0.plant.phone.description : $0.plant.id.description }, "phone")
        return AccountExport(
            account: account, createdAt: try place["account"]["createdAt"].instant(self.account.createdAt),
            picture: try self.account.readPicture(at: place["account"]["picture"]),
            devices: try readDevices(at: place["devices"]), tags: tags, plants: plants,
            pushes: try readPushes(at: place["pushes"].holding(indices.pushes), of: account.id, plants),
            imports: try readImports(at: place["imports"], indices.changes),
            things: try readThings(at: place["things"], of: account.id, tagIDs: tagIDs), pauses: pauses)
    }

    private func readPauses(at place: Place, tagIDs: [TagName: Tag.ID]) throws -> [Pause] {
        let pauses = try place.each(self.pauses) { try $0.read(at: $1, tagIDs: tagIDs) }
        try place.requireUnique(pauses.map(\.id), "id")
        return pauses
    }

    private func readThings(
        at place: Place, of account: Account.ID, tagIDs: [TagName: Tag.ID]
    ) throws -> [ThingHistory] {
        let things = try place.each(self.things) { try $0.read(at: $1, of: account, tagIDs: tagIDs) }
        try place.requireUnique(things.map(\.thing.id), "id")
        return things
    }

    private func readTags(at place: Place) throws -> [Tag] {
        let tags = try place.each(self.tags) { try $0.read(at: $1) }
        guard tags.count <= Tag.maximumPerAccount else {
            throw place.problem("these are \(tags.count) tags; keep \(Tag.maximumPerAccount)")
        }
        try place.requireUnique(tags.map(\.id), "id")
        try place.requireUnique(tags.map(\.name), "name")
        return tags
    }

    private func readDevices(at place: Place) throws -> [Device] {
        let devices = try place.each(self.devices) { try $0.read(at: $1) }
        try place.requireUnique(devices.map(\.id), "id")
        try place.requireUnique(devices.map { [$0.platform.rawValue, $0.token] }, "platform and token")
        return devices
    }

    private func readPushes(
        at place: Place, of accountID: Account.ID, _ plants: [PlantHistory]
    ) throws -> [ExportedPush] {
        let wateringCounts = Dictionary(
            plants.map { ($0.plant.id, $0.waterings.count) }, uniquingKeysWith: { first, _ in first })
        let pushes = try place.each(self.pushes) { try $0.read(at: $1, of: accountID, wateringCounts: wateringCounts) }
        try place.requireUnique(pushes.map(\.occurrence), "plant, kind, subject and instant")
        return pushes
    }

    private func readImports(at place: Place, _ changes: [[Int]]?) throws -> [ImportBatch] {
        let imports = try (self.imports ?? []).enumerated().map { index, batch in
            try batch.read(at: place[index], changes?[index])
        }
        try place.requireUnique(imports.map(\.id), "id")
        return imports
    }
}

extension AccountEntry {
    fileprivate func read(at place: Place) throws -> Account {
        guard !timeZone.isEmpty else { throw place["timeZone"].problem("is empty; write an IANA name like Asia/Seoul") }
        return Account(
            id: try place["id"].identifier(id),
            email: try email.map { text in try place["email"].checked { try EmailAddress(text) } },
            nickname: try place["nickname"].checked { try Nickname(nickname) },
            phone: try phone.map { text in try place["phone"].checked { try PhoneNumber(e164: text) } },
            postcode: try postcode.map { text in try place["postcode"].checked { try Postcode(text) } },
            timeZone: timeZone,
            dayEnd: try dayEndsAt.map { text in try place["dayEndsAt"].checked { try DayEnd(text) } } ?? .midnight,
            language: try place["language"].label(language),
            switches: NotificationSwitches(
                watering: wateringPushes, review: reviewPushes, birthday: birthdayPushes, withered: witheredPushes,
                thing: thingPushes),
            warningDays: try expiryWarningDays.map { days in
                try place["expiryWarningDays"].checked { try WarningDays(days) }
            } ?? .usual,
            appearance: try readAppearance(at: place["appearance"]), version: try place["version"].version(version))
    }
}

extension AccountEntry {
    private func readAppearance(at place: Place) throws -> Appearance {
        guard let appearance else { return .empty }
        return try place.checked { try Appearance(appearance) }
    }

    fileprivate func readPicture(at place: Place) throws -> [UInt8]? {
        guard let picture else { return nil }
        guard let bytes = Data(base64Encoded: picture), (1...1 << 20).contains(bytes.count),
            bytes.starts(with: [0xFF, 0xD8])
        else { throw place.problem("is no JPEG of at most 1 MiB in Base64; write null to leave it out") }
        return [UInt8](bytes)
    }
}

extension DeviceEntry {
    fileprivate func read(at place: Place) throws -> Device {
        guard (1...2000).contains(token.utf8.count) else {
            throw place["token"].problem("has \(token.utf8.count) bytes; a token has 1 to 2000")
        }
        let platform: Device.Platform = try place["platform"].label(self.platform)
        return Device(
            id: try place["id"].identifier(id), platform: platform, token: token,
            secret: try readSecret(at: place["secret"], platform: platform),
            subscriptionKeys: try readKeys(at: place, platform: platform),
            addedAt: try place["addedAt"].instant(addedAt), retirement: try readRetirement(at: place))
    }

    private func readSecret(at place: Place, platform: Device.Platform) throws -> WebhookSecret? {
        guard let secret else { return nil }
        guard platform == .webhook else { throw place.problem("only webhooks have one; write null") }
        guard let readable = WebhookSecret(secret) else {
            throw place.problem("this is no secret; write whsec_ and 24 to 64 bytes in Base64")
        }
        return readable
    }

    private func readKeys(at place: Place, platform: Device.Platform) throws -> PushSubscription.Keys? {
        guard platform == .web else {
            if p256dh == nil, auth == nil { return nil }
            throw place.problem("only browsers have p256dh and auth; write null for both")
        }
        guard let p256dh, let auth, let keys = PushSubscription.Keys(p256dh: p256dh, auth: auth) else {
            throw place.problem("a browser has p256dh, 65 bytes, and auth, 16 bytes, both in Base64url")
        }
        return keys
    }

    private func readRetirement(at place: Place) throws -> Device.Retirement? {
        guard let retiredAt, let retiredReason else {
            if retiredAt == nil, retiredReason == nil { return nil }
            throw place.problem("retiredAt and retiredReason belong together; write both, or null for both")
        }
        return Device.Retirement(at: try place["retiredAt"].instant(retiredAt), reason: retiredReason)
    }
}

extension TagEntry {
    fileprivate func read(at place: Place) throws -> Tag {
        Tag(
            id: try place["id"].identifier(id), name: try place["name"].checked { try TagName(name) },
            colour: try place["colour"].checked { try TagColour(colour) },
            cycle: try cycleDays.map { days in try place["cycleDays"].checked { try Cycle(days: days) } },
            version: try place["version"].version(version))
    }
}

extension PushEntry {
    fileprivate func read(
        at place: Place, of accountID: Account.ID, wateringCounts: [Plant.ID: Int]
    ) throws -> ExportedPush {
        let plantID: Plant.ID = try place["plantId"].identifier(plantId)
        guard let wateringCount = wateringCounts[plantID] else {
            throw place["plantId"].problem("no plant of this document has this id; add the plant or remove the push")
        }
        let topic = try readTopic(at: place["kind"])
        let occurrence = Occurrence(
            at: try place["plannedAt"].instant(plannedAt), accountID: accountID, subjectID: plantID.subject,
            topic: topic,
            ref: try topic == .reviewMissing
                ? readNumber(at: place, wateringCount: wateringCount) : readDay(at: place))
        return ExportedPush(occurrence: occurrence, end: try readEnd(at: place))
    }

    private func readTopic(at place: Place) throws -> Topic {
        guard let topic = Topic.ofPlants.first(where: { $0.label == kind }) else {
            throw place.unknown(kind, Topic.ofPlants.map(\.label))
        }
        return topic
    }

    private func readNumber(at place: Place, wateringCount: Int) throws -> Int {
        guard on == nil else { throw place["on"].problem("a missing review has no day; write null") }
        guard let number else { throw place["number"].problem("is missing; write the number of the watering") }
        try place["number"].requireWatering(number, of: wateringCount)
        return number
    }

    private func readDay(at place: Place) throws -> Int {
        guard number == nil else { throw place["number"].problem("only a missing review has one; write null") }
        guard let on else { throw place["on"].problem("is missing; write the due date or the birthday") }
        return Int(try place["on"].day(on).daysSinceEpoch)
    }

    private func readEnd(at place: Place) throws -> ExportedPush.End? {
        guard let outcome, let reason, let finishedAt else {
            if outcome == nil, reason == nil, finishedAt == nil { return nil }
            throw place.problem("outcome, reason and finishedAt belong together; write all of them, or null for all")
        }
        return ExportedPush.End(
            outcome: try place["outcome"].label(outcome), reason: reason,
            finishedAt: try place["finishedAt"].instant(finishedAt))
    }
}

extension ImportEntry {
    /// References may dangle: an import's tags may have been deleted, and an undo deletes the plants that it created.
    fileprivate func read(at place: Place, _ indices: [Int]?) throws -> ImportBatch {
        let changesPlace = place["changes"].holding(indices)
        let changes = try changesPlace.each(self.changes) { try $0.read(at: $1) }
        try changesPlace.requireUnique(changes.map(\.plantID), "plant")
        return ImportBatch(
            id: try place["id"].identifier(id), importedAt: try place["importedAt"].instant(importedAt),
            fileName: fileName, tagIDs: try place["tags"].each(tags) { try $1.identifier($0) }, changes: changes,
            undoneAt: try undoneAt.map { try place["undoneAt"].instant($0) })
    }
}

extension ImportChangeEntry {
    fileprivate func read(at place: Place) throws -> ImportBatch.Change {
        let kind: ImportBatch.Change.Kind = try place["kind"].label(self.kind)
        guard (kind == .restored) == (archivedAt != nil) else {
            throw place["archivedAt"].problem("is there for a restored plant and only then; write null for others")
        }
        return ImportBatch.Change(
            plantID: try place["plantId"].identifier(plantId), kind: kind, names: try readNames(at: place),
            birthday: try birthday.map { text in try place["birthday"].checked { try Birthday(text) } },
            tagIDs: try place["tags"].each(tags) { try $1.identifier($0) },
            archivedAt: try archivedAt.map { try place["archivedAt"].instant($0) },
            dueBefore: try readDueDate(at: place), after: try readState(at: place))
    }

    private func readNames(at place: Place) throws -> ImportBatch.NameChange? {
        guard let nameBefore, let nameAfter else {
            if nameBefore == nil, nameAfter == nil, nicknameBefore == nil { return nil }
            throw place.problem(
                "nameBefore and nameAfter belong together, nicknameBefore to them; write both, or null for all")
        }
        return ImportBatch.NameChange(
            before: try place["nameBefore"].checked { try ContactName(nameBefore) },
            after: try place["nameAfter"].checked { try ContactName(nameAfter) },
            nicknameBefore: try nicknameBefore.map { text in
                try place["nicknameBefore"].checked { try Nickname(text) }
            })
    }

    private func readDueDate(at place: Place) throws -> ImportBatch.DueDate? {
        guard let dueOn, let dueSource else {
            if dueOn == nil, dueSource == nil, restoredOn == nil { return nil }
            throw place.problem(
                "dueOn and dueSource belong together, restoredOn to them; write both, or null for all")
        }
        guard archivedAt != nil else {
            throw place["dueOn"].problem("is there for a restored plant only; write null for others")
        }
        return ImportBatch.DueDate(
            on: try place["dueOn"].day(dueOn), source: try place["dueSource"].label(dueSource),
            restoredOn: try restoredOn.map { try place["restoredOn"].day($0) })
    }

    private func readState(at place: Place) throws -> ImportBatch.PlantState? {
        guard let careCount, let fingerprint else {
            if careCount == nil, fingerprint == nil { return nil }
            throw place.problem("careCount and fingerprint belong together; write both, or null for both")
        }
        guard (0...Int(Int32.max)).contains(careCount) else {
            throw place["careCount"].problem("is \(careCount); it counts waterings and postponements")
        }
        guard fingerprint.utf8.count == 16, fingerprint.utf8.allSatisfy({ "0123456789abcdef".utf8.contains($0) })
        else { throw place["fingerprint"].problem("has 16 hexadecimal digits; write null for both if it is lost") }
        return ImportBatch.PlantState(careCount: careCount, fingerprint: fingerprint)
    }
}

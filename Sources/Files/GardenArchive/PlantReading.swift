import CherishCore

extension PlantEntry {
    /// - Parameter tagIDs: The tags of the account.
    /// - Throws: ``ExportProblem`` for the first problem.
    func read(at place: Place, of account: Account.ID, tagIDs: [TagName: Tag.ID]) throws -> PlantHistory {
        let waterings = try readWaterings(at: place)
        let ledger = try readLedger(at: place)
        return PlantHistory(
            plant: try readPlant(at: place, of: account), createdAt: try place["createdAt"].instant(createdAt),
            tagIDs: try place["tags"].tagIDs(tags, tagIDs), waterings: waterings,
            postponements: try readPostponements(at: place), dueDateChanges: try readDueDateChanges(at: place),
            ledger: ledger)
    }

    private func readPlant(at place: Place, of account: Account.ID) throws -> Plant {
        let dueOn = try place["dueOn"].day(self.dueOn)
        let dueSource: Plant.DueSource = try place["dueSource"].label(self.dueSource)
        return Plant(
            id: try place["id"].identifier(id), accountID: account,
            name: try place["name"].checked { try ContactName(name) },
            phone: try place["phone"].checked { try PhoneNumber(e164: phone) },
            nickname: try place["nickname"].checked { try Nickname(nickname) },
            birthday: try birthday.map { text in try place["birthday"].checked { try Birthday(text) } },
            cycle: try place["cycleDays"].checked { try Cycle(days: cycleDays) },
            alarmTime: try place["alarmTime"].checked { try TimeOfDay(alarm: alarmTime) },
            plantedOn: try place["plantedOn"].day(plantedOn),
            lastWateredOn: try lastWateredOn.map { try place["lastWateredOn"].day($0) }, dueOn: dueOn,
            dueSource: dueSource, affection: Affection(points: affection),
            wateringCount: wateringCount, postponementCount: postponementCount, pushesEnabled: pushesEnabled,
            isFavourite: favourite,
            plans: try plans?.read(at: place["plans"], dueOn: dueOn, wateringCount: wateringCount) ?? Plans(),
            archivedAt: try archivedAt.map { try place["archivedAt"].instant($0) },
            restoredOn: try restoredOn.map { try place["restoredOn"].day($0) },
            version: try place["version"].version(version),
            modifiedAt: try modifiedAt.map { try place["modifiedAt"].instant($0) },
            originalDueOn: try originalDueOn.map { try place["originalDueOn"].day($0) })
    }

    private func readWaterings(at place: Place) throws -> [Watering] {
        let waterings = try place["waterings"].each(self.waterings) { try $0.read(at: $1) }
        try place["waterings"].requireNumbered(waterings.map(\.number))
        try place["wateringCount"].requireCount(wateringCount, of: "waterings", waterings.count)
        let newest = waterings.map(\.wateredOn).max()
        let noted = try lastWateredOn.map { try place["lastWateredOn"].day($0) }
        guard noted == newest else {
            let expected = newest?.description ?? "null"
            throw place["lastWateredOn"].problem("is not the latest day of the waterings; write \(expected)")
        }
        return waterings
    }

    /// The ledger of all waterings, in the order gained.
    private func readLedger(at place: Place) throws -> [ExportedAffection] {
        let ledger = try place["waterings"].each(waterings) { try $0.readGains(at: $1["gained"]) }.flatMap { $0 }
        let sum = ledger.map(\.entry.points).reduce(0, +)
        guard affection == sum, sum <= Affection.full else {
            throw place["affection"].problem(
                "is \(affection), and the waterings gained \(sum); both are equal and \(Affection.full) at most")
        }
        return ledger.sorted { $0.order < $1.order }
    }

    private func readPostponements(at place: Place) throws -> [ExportedPostponement] {
        let postponements = try place["postponements"].each(self.postponements) { try $0.read(at: $1) }
        try place["postponements"].requireNumbered(postponements.map(\.postponement.number))
        try place["postponementCount"].requireCount(postponementCount, of: "postponements", postponements.count)
        return postponements
    }

    private func readDueDateChanges(at place: Place) throws -> [DueDateChange] {
        let place = place["dueDateChanges"]
        let changes = try place.each(dueDateChanges) { try $0.read(at: $1) }
        for (index, change) in changes.enumerated().dropFirst() where change.changedAt <= changes[index - 1].changedAt {
            throw place[index]["changedAt"].problem("is not after the one before it; write the oldest first")
        }
        return changes
    }
}

extension PlansEntry {
    fileprivate func read(at place: Place, dueOn: CivilDay, wateringCount: Int) throws -> Plans {
        Plans(
            wateringDue: try wateringDue.map { try $0.read(at: place["wateringDue"], dueOn: dueOn) },
            reviewMissing: try reviewMissing.map {
                try $0.read(at: place["reviewMissing"], wateringCount: wateringCount)
            },
            birthday: try birthday.map { try $0.read(at: place["birthday"]) },
            passedBirthday: try passedBirthday.map { try $0.read(at: place["passedBirthday"]) },
            withered: try withered.map { try $0.read(at: place["withered"], dueOn: dueOn) },
            alarmedDueDates: try place["alarmedDueDates"].each(alarmedDueDates) { try $1.day($0) })
    }
}

extension DayPlanEntry {
    fileprivate func read(at place: Place) throws -> PlannedMoment {
        PlannedMoment(ref: Int(try place["on"].day(on).daysSinceEpoch), at: try place["at"].instant(at))
    }

    /// Reads a plan that must be about the due date.
    fileprivate func read(at place: Place, dueOn: CivilDay) throws -> PlannedMoment {
        guard try place["on"].day(on) == dueOn else {
            throw place["on"].problem("is not the due date; write \(dueOn), or null instead of the plan")
        }
        return try read(at: place)
    }
}

extension ReviewPlanEntry {
    fileprivate func read(at place: Place, wateringCount: Int) throws -> PlannedMoment {
        try place["number"].requireWatering(number, of: wateringCount)
        return PlannedMoment(ref: number, at: try place["at"].instant(at))
    }
}

extension WateringEntry {
    fileprivate func read(at place: Place) throws -> Watering {
        let keywords = self.keywords ?? []
        let review =
            keywords.isEmpty && memo == nil ? nil : try place.checked { try Review(keywords: keywords, memo: memo) }
        return Watering(
            number: number, wateredOn: try place["wateredOn"].day(wateredOn),
            recordedAt: try place["recordedAt"].instant(recordedAt), method: try place["method"].label(method),
            dueOn: try dueOn.map { try place["dueOn"].day($0) }, isBackdated: backdated, review: review,
            isReviewDeclined: reviewDeclined)
    }

    fileprivate func readGains(at place: Place) throws -> [ExportedAffection] {
        let gains = try place.each(gained) { try $0.read(at: $1, wateringNumber: number) }
        try place.requireUnique(gains.map(\.entry.reason), "reason")
        return gains
    }
}

extension GainEntry {
    fileprivate func read(at place: Place, wateringNumber: Int) throws -> ExportedAffection {
        guard (1...Affection.pointsPerReason).contains(points) else {
            throw place["points"].problem("is \(points); a reason gains 1 to \(Affection.pointsPerReason)")
        }
        return ExportedAffection(
            entry: AffectionEntry(
                wateringNumber: wateringNumber, reason: try place["reason"].label(reason), points: points),
            gainedAt: try place["gainedAt"].instant(gainedAt))
    }
}

extension PostponementEntry {
    fileprivate func read(at place: Place) throws -> ExportedPostponement {
        guard Postponement.range.contains(days) else {
            throw place["days"].problem("is \(days); a postponement has 1 to \(Postponement.range.upperBound) days")
        }
        return ExportedPostponement(
            postponement: Postponement(
                number: number, fromDueOn: try place["fromDueOn"].day(fromDueOn), days: days),
            postponedAt: try place["postponedAt"].instant(postponedAt))
    }
}

extension DueDateChangeEntry {
    fileprivate func read(at place: Place) throws -> DueDateChange {
        let source: Plant.DueSource = try place["source"].label(self.source)
        // The others have lists of their own.
        guard source != .watering, source != .postponement else {
            throw place["source"].problem("is \(source.rawValue); write registration, edit, pause or outage")
        }
        return DueDateChange(
            changedAt: try place["changedAt"].instant(changedAt),
            cycle: try place["cycleDays"].checked { try Cycle(days: cycleDays) },
            dueOn: try place["dueOn"].day(dueOn), source: source,
            withersOn: try withersOn.map { try place["withersOn"].day($0) })
    }
}

extension Place {
    /// - Throws: ``ExportProblem`` if the plant has no watering with the number.
    func requireWatering(_ number: Int, of count: Int) throws {
        guard number >= 1, number <= count else {
            throw problem("is \(number), but the plant has \(count) waterings; write the number of one")
        }
    }
}

extension ExportedAffection {
    /// The sort key of the ledger.
    fileprivate var order: (Instant, Int, Int) {
        (gainedAt, entry.wateringNumber, AffectionReason.allCases.firstIndex(of: entry.reason) ?? 0)
    }
}

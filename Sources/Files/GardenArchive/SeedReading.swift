import CherishCore

extension SeedEntry {
    func read() throws -> AccountSeed {
        let place = Place.document
        let tags = try place["tags"].each(self.tags) { try $0.read(at: $1) }
        try place["tags"].requireUnique(tags.map(\.name), "name")
        return AccountSeed(
            email: account.email, nickname: account.nickname, timeZone: account.timeZone,
            language: try account.readLanguage(at: place["account"]["language"]),
            phone: account.phone, switches: account.switches, tags: tags, friends: (plants ?? []).map(\.friend))
    }
}

extension SeedAccountEntry {
    fileprivate func readLanguage(at place: Place) throws -> Language {
        guard let language else { return .english }
        return try place.label(language)
    }

    /// Switches that the document omits get a new account's defaults.
    fileprivate var switches: NotificationSwitches {
        let usual = NotificationSwitches()
        return NotificationSwitches(
            watering: wateringPushes ?? usual.watering, review: reviewPushes ?? usual.review,
            birthday: birthdayPushes ?? usual.birthday, withered: witheredPushes ?? usual.withered,
            thing: thingPushes ?? usual.thing)
    }
}

extension SeedTagEntry {
    fileprivate func read(at place: Place) throws -> TagSeed {
        TagSeed(
            name: try place["name"].checked { try TagName(name) },
            colour: try colour.map { text in try place["colour"].checked { try TagColour(text) } },
            cycle: try cycleDays.map { days in try place["cycleDays"].checked { try Cycle(days: days) } })
    }
}

extension SeedPlantEntry {
    var friend: FriendSeed {
        FriendSeed(
            name: name, phone: phone, nickname: nickname, birthday: birthday, cycleDays: cycleDays, alarm: alarmTime,
            tags: tags ?? [], isFavourite: favourite ?? false)
    }
}

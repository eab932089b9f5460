import CherishCore
import GardenGenerator
import Testing

@Suite("The garden generator")
struct GardenGeneratorTests {
    @Test("the same seed gives the same gardens, another seed gives others")
    func seeds() throws {
        let numbers = 0..<6
        let gardens = try numbers.map { try Gardens.generator(seed: 1).account($0) }
        let again = try numbers.map { try Gardens.generator(seed: 1).account($0) }
        let other = try numbers.map { try Gardens.generator(seed: 2).account($0) }
        #expect(gardens == again)
        let ids = Set((gardens + other).map(\.account.id))
        #expect(ids.count == 2 * numbers.count)
    }

    @Test("accounts can be generated in any order")
    func anyOrder() throws {
        let generator = Gardens.generator(seed: 3)
        let forwards = try (0..<6).map { try generator.account($0) }
        let backwards = try (0..<6).reversed().map { try generator.account($0) }
        #expect(forwards == Array(backwards.reversed()))
    }

    @Test("ids and e-mails are unique, and lanes are spread")
    func identities() throws {
        let accounts = try Gardens.accounts.get()
        let other = try (0..<20).map { try Gardens.generator(seed: 8).account($0) }
        let all = accounts + other
        #expect(Set(all.map(\.account.id)).count == all.count)
        #expect(Set(all.map(\.account.email?.key)).count == all.count)
        #expect(all.allSatisfy { $0.account.email?.key.hasSuffix("@example.com") == true })
        // 200 random accounts hit 139 of the 256 lanes, give or take a dozen.
        #expect(Set(accounts.map(\.account.id.lane)).count > 100)
        for id in all.map(\.account.id.description) {
            let characters = Array(id)
            #expect(characters[14] == "4" && "89ab".contains(characters[19]), "\(id) is not a version 4 UUID")
        }
    }

    @Test("gardens have as many friends and as long a past as requested")
    func sizes() throws {
        var generator = Gardens.generator(seed: 4)
        generator.friendsPerAccount = 20...20
        generator.pastDays = 10...10
        let export = try generator.account(1)
        let zone = try Gardens.zones.rules(export.account.timeZone)
        #expect(export.plants.count == 20)
        #expect(zone.day(at: Gardens.now) - zone.day(at: export.createdAt) == 10)
        generator.friendsPerAccount = 999...999
        generator.pastDays = 1...1
        let full = try generator.account(2)
        #expect(Set(full.plants.map(\.plant.phone)).count == 999)
        #expect(full.plants.allSatisfy { $0.createdAt <= Gardens.now })
    }

    @Test("two hundred accounts cover every case")
    func variety() throws {
        let accounts = try Gardens.accounts.get()
        let plants = try Gardens.plants()
        let living = plants.filter { $0.plant.archivedAt == nil }
        for condition in Condition.allCases {
            let today = living.filter { $0.plant.dDay(on: $0.zone.day(at: Gardens.now)).condition == condition }
            #expect(!today.isEmpty, "no plant is \(condition)")
        }
        for language in Language.allCases {
            #expect(accounts.contains { $0.account.language == language }, "nobody speaks \(language)")
        }
        for method in ContactMethod.allCases {
            #expect(plants.contains { $0.history.waterings.contains { $0.method == method } }, "no \(method)")
        }
        // Only the history knows pauses, and made-up gardens have no outages.
        for source in Plant.DueSource.allCases where source != .pause && source != .outage {
            #expect(plants.contains { $0.plant.dueSource == source }, "no due date by \(source)")
        }
        let species = Set(plants.map(\.plant.cycle.species))
        #expect(species.count == Species.allCases.count)
        #expect(plants.contains { $0.plant.affection.isFull })
        #expect(plants.contains { $0.plant.archivedAt != nil })
        #expect(plants.contains { $0.plant.isFavourite })
        #expect(plants.contains { !$0.plant.pushesEnabled })
        #expect(plants.contains { !$0.history.tagIDs.isEmpty })
        #expect(accounts.contains { !$0.imports.isEmpty }, "nobody was brought back")
    }

    @Test("waterings are backdated, reviewed, reviewed later and declined")
    func varietyOfWaterings() throws {
        let plants = try Gardens.plants()
        let waterings = plants.flatMap(\.history.waterings)
        #expect(waterings.contains { $0.isBackdated })
        #expect(waterings.contains { $0.dueOn == nil }, "none was older than the latest")
        #expect(waterings.contains { $0.isReviewDeclined })
        #expect(waterings.contains { $0.review?.memo != nil && $0.review?.keywords.isEmpty == false })
        let isReviewedLater = plants.contains { plant in
            plant.history.ledger.contains { row in
                plant.history.waterings[row.entry.wateringNumber - 1].recordedAt < row.gainedAt
            }
        }
        #expect(isReviewedLater)
        let birthdays = plants.compactMap(\.plant.birthday)
        #expect(birthdays.contains { $0.month == 2 && $0.day == 29 })
        #expect(birthdays.contains { $0.year == nil } && birthdays.contains { $0.year != nil })
    }

    @Test("phone numbers are fictional, and unique in their account")
    func phones() throws {
        for export in try Gardens.accounts.get() {
            let phones = export.plants.map(\.plant.phone) + [export.account.phone].compactMap { $0 }
            #expect(Set(phones).count == phones.count)
            for phone in phones {
                let text = phone.description
                let isFictional =
                    (text.hasPrefix("+82100000") && text.count == 13)
                    || (text.hasPrefix("+1") && text.dropFirst(5).hasPrefix("55501") && text.count == 12)
                    || (text.hasPrefix("+447700900") && text.count == 13)
                #expect(isFictional, "\(text)")
                let again = try PhoneNumber(e164: text)
                #expect(again == phone)
            }
            #expect(export.devices.allSatisfy { $0.platform != .webhook && $0.secret == nil })
            #expect(!export.devices.isEmpty)
        }
    }

    @Test("texts obey the rules")
    func texts() throws {
        for export in try Gardens.accounts.get() {
            let nickname = try Nickname(export.account.nickname.description)
            #expect(nickname == export.account.nickname)
            let names = export.tags.map(\.name)
            #expect(names == names.sorted())
            for tag in export.tags { _ = try TagName(tag.name.description) }
        }
        for growing in try Gardens.plants() {
            let name = try ContactName(growing.plant.name.description)
            let nickname = try Nickname(growing.plant.nickname.description)
            #expect(name == growing.plant.name && nickname == growing.plant.nickname)
            for review in growing.history.waterings.compactMap(\.review) {
                let again = try Review(keywords: review.keywords, memo: review.memo)
                #expect(again == review)
            }
            let tagIDs = growing.account.tags.map(\.id).filter { growing.history.tagIDs.contains($0) }
            #expect(tagIDs == growing.history.tagIDs)
        }
    }
}

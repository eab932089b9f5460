import Testing

@testable import CherishCore

@Suite("The order of a garden")
struct GardenOrderTests {
    /// Four plants that each order lists differently. The first is the thirstiest.
    private func garden() throws -> [Plant] {
        try [
            plant(1, "Bob", dueOn: "2027-03-05", affection: 8),
            plant(2, "alice", dueOn: "2027-03-06", affection: 40, isFavourite: true),
            plant(3, "Carol", dueOn: "2027-03-07", affection: 16),
            plant(4, "dave", dueOn: "2027-03-08", affection: 40, isFavourite: true),
        ]
    }

    private func plant(
        _ number: UInt8, _ name: String, dueOn: String, affection: Int = 0, isFavourite: Bool = false
    ) throws -> Plant {
        let account = try Garden(registeredAt: seoul("2027-03-01T10:00")).account
        let contactName = try ContactName(name)
        let registration = Registration(
            name: contactName, phone: try PhoneNumber(e164: "+82101234567\(number)"),
            nickname: try Nickname(nil, for: contactName), birthday: nil, cycle: try Cycle(days: 7),
            isFavourite: isFavourite)
        let start = try context(seoul("2027-03-01T10:00"))
        var plant = Plant.register(registration, id: identifier(number), for: account, in: start).plant
        plant.dueOn = try civilDay(dueOn)
        plant.affection = Affection(points: affection)
        return plant
    }

    /// The names in an order, which must not depend on the input's order.
    private func names(_ order: GardenOrder, firstTags: [Plant.ID: TagName] = [:]) throws -> [String] {
        let plants = try garden()
        let names = order.sorted(plants, firstTags: firstTags).map(\.name.description)
        let reversed = order.sorted(plants.reversed(), firstTags: firstTags).map(\.name.description)
        #expect(reversed == names)
        return names
    }

    @Test("2.4: the thirstiest first; within a day by ascending affection, then by nickname")
    func nearness() throws {
        let list = try names(.nearness)
        #expect(list == ["Bob", "alice", "Carol", "dave"])
        let sameDay = try [
            plant(5, "나래", dueOn: "2027-03-05", affection: 16), plant(6, "다미", dueOn: "2027-03-05"),
            plant(7, "가람", dueOn: "2027-03-05", affection: 16), plant(8, "라온", dueOn: "2027-03-04", affection: 100),
        ]
        let sorted = GardenOrder.nearness.sorted(sameDay).map(\.name.description)
        #expect(sorted == ["라온", "다미", "가람", "나래"])
    }

    @Test("9.6: by name, ignoring case")
    func name() throws {
        let list = try names(.name)
        #expect(list == ["alice", "Bob", "Carol", "dave"])
    }

    @Test("9.6: the highest affection first, then the thirstiest")
    func affection() throws {
        let list = try names(.affection)
        #expect(list == ["alice", "dave", "Carol", "Bob"])
    }

    @Test("9.6: favourites first, and each part by days left")
    func favourite() throws {
        let list = try names(.favourite)
        #expect(list == ["alice", "dave", "Bob", "Carol"])
    }

    @Test("9.6: by the first tag, ignoring case, and those without one last")
    func tag() throws {
        let (family, work) = (try TagName("family"), try TagName("Work"))
        let list = try names(.tag, firstTags: [identifier(1): work, identifier(3): family, identifier(4): work])
        #expect(list == ["Carol", "Bob", "dave", "alice"])
    }
}

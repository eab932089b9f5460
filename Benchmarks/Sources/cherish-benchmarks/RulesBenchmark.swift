import CherishCore
import Foundation
import Postgres
import SystemTimeZones

/// The rules alone, on one core, with Foundation's calendar as the reference for conversions.
enum RulesBenchmark {
    static func run(size: Size) async throws {
        let count = !size.isSmoke ? 1_000_000 : 10_000
        let zones = SystemTimeZones()
        let names = ["Asia/Seoul", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe"]
        let rules = try names.map { try zones.rules($0) }
        let calendars = names.map { name in
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = TimeZone(identifier: name) ?? .gmt
            return calendar
        }
        let instants = (0..<count).map { Garden.firstAlarm.adding(minutes: $0 * 37 % 2_000_000) }
        let dates = instants.map { Date(timeIntervalSince1970: Double($0.secondsSinceEpoch)) }
        let days = (0..<count).map { CivilDay(daysSinceEpoch: 20_000 + Int32($0 % 3000)) }
        let nine = TimeOfDay.defaultAlarm
        let planned = PlannedMoment(ref: 20_879, at: Garden.firstAlarm)
        let plants = (0..<count).map { number in
            PlantPushState(
                isArchived: false, pointer: number % 10 == 0 ? nil : planned, dueOn: days[number],
                dueSource: .watering, pushesEnabled: true, reviewState: .missing)
        }
        let account = Account(
            id: Account.ID(UUID()), email: try EmailAddress("a@example.com"), nickname: try Nickname("민지"), phone: nil,
            timeZone: "Asia/Seoul", language: .korean)
        let context = CommandContext(now: Garden.now, zone: rules[0], calendarCursor: Garden.firstAlarm)
        let name = try ContactName("김하나")
        let plant = Plant.register(
            Registration(
                name: name, phone: try PhoneNumber(e164: "+821012345678"), nickname: try Nickname("하나"), birthday: nil,
                cycle: try Cycle(days: 7)), id: Plant.ID(UUID()), for: account, in: context
        ).plant
        var rows = [["", "per second and core, median", "lowest – highest", "nanoseconds each"]]
        func measure(_ name: String, _ work: (Int) throws -> Int64) throws {
            var rates: [Double] = []
            for _ in 0..<size.rounds {
                var sum: Int64 = 0
                let start = ContinuousClock.now
                for number in 0..<count { sum &+= try work(number) }
                rates.append(Double(count) / ((ContinuousClock.now - start) / .seconds(1)))
                // Use the sum, so that the optimizer cannot remove the work.
                if sum == .min { progress("\(sum)") }
            }
            let figure = Standing.Figure(rates)
            rows.append([
                name, Report.count(figure.median), "\(Report.count(figure.lowest)) – \(Report.count(figure.highest))",
                Report.decimal(1_000_000_000 / figure.median, 0),
            ])
        }
        try measure("verdict on a push, with its expiry") { number in
            let zone = rules[number % 4]
            let candidate = PushCandidate(
                topic: .wateringDue, planned: planned,
                state: .init(end: plants[number].end(of: .wateringDue, planned), isTopicWanted: true, zone: zone))
            let expiry = candidate.expiry(in: zone)
            if case .send = candidate.verdict(at: Garden.now, expiresAt: expiry) {
                return expiry.microsecondsSinceEpoch
            }
            return 0
        }
        try measure("watering a plant: cycle, affection, alarm, reminder") { _ in
            var watered = plant
            let change = try watered.water(
                WateringRequest(method: .call), isFirstOfDay: true, for: account, in: context)
            return Int64(change.occurrences.count)
        }
        try measure("instant → civil day") { Int64(rules[$0 % 4].day(at: instants[$0]).daysSinceEpoch) }
        try measure("  Foundation's Calendar") { number in
            let parts = calendars[number % 4].dateComponents([.year, .month, .day], from: dates[number])
            return Int64(parts.day ?? 0)
        }
        try measure("civil day and alarm time → instant") {
            rules[$0 % 4].firstInstant(on: days[$0], at: nine).microsecondsSinceEpoch
        }
        try measure("  Foundation's Calendar") { number in
            let (year, month, day) = days[number].components
            let parts = DateComponents(year: year, month: month, day: day, hour: 9)
            return Int64(calendars[number % 4].date(from: parts)?.timeIntervalSince1970 ?? 0)
        }
        Report.table("rules", rows)
    }
}

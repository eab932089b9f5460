import CherishCore
import CherishTestSupport

/// The expected reports about history, derived by replaying it event by event and day by day.
struct HistoryTruth {
    struct Report {
        let name: String
        /// The column names, joined like the rows.
        let columns: String
        /// In the format of ``ServiceUnderTest/rows(_:at:)``, in any order.
        let rows: [String]
    }

    private let members: [Member]
    private let walks: [PlantWalk]

    /// - Parameter now: the moment at which the reports are read; nothing in the exports is later.
    init(_ exports: [AccountExport], at now: Instant) throws {
        var members: [Member] = []
        var walks: [PlantWalk] = []
        for export in exports {
            let zone = try ServiceUnderTest.zones.rules(export.account.timeZone)
            let today = zone.day(at: now)
            members.append(Member(export, today: today, zone: zone))
            walks += export.plants.map { history in
                PlantWalk(PastPlant(account: export.account, zone: zone, today: today, history: history))
            }
        }
        self.members = members
        self.walks = walks
    }

    var reports: [Report] {
        let ids = "lane|account_id|plant_id|is_archived"
        return [
            Report(
                name: "due_dates",
                columns: """
                    \(ids)|is_withered|set_at|set_on|source|watering_number|watered_on|due_on|due_on_before|\
                    due_on_after|replaced_on|replaced_by|replaced_by_method|until_on|withers_on|withers_on_after
                    """,
                rows: walks.flatMap(\.dueDateRows)),
            Report(
                name: "streaks",
                columns: "\(ids)|watered_days|in_time_count|late_count|current_streak|longest_streak",
                rows: walks.compactMap(\.streakRow)),
            Report(
                name: "revivals",
                columns: "\(ids)|withered_on|revived_on|revived_by|method|days_withered|is_withered",
                rows: walks.flatMap(\.revivalRows)),
            Report(
                name: "postponement_habits",
                columns: """
                    \(ids)|postponement_count|postponed_days|average_days|usual_days|usual_weekday|longest_chain|\
                    kept_count|last_postponed_on|watering_count
                    """,
                rows: walks.compactMap(\.habitRow)),
            Report(
                name: "service_postponement_daily", columns: "day|days|postponement_count",
                rows: postponementDailyRows),
            Report(
                name: "contact_rhythm",
                columns: "\(ids)|species|cycle_days|gap_count|median_gap_days|p90_gap_days|suggested_cycle_days",
                rows: walks.compactMap(\.rhythmRow)),
            Report(
                name: "cohort_retention",
                columns: "cohort_week|week_number|account_count|active_count|retention|is_complete",
                rows: cohortRows),
        ]
    }

    private var postponementDailyRows: [String] {
        var counts: [String: Int] = [:]
        for exported in walks.flatMap(\.history.postponements) {
            counts[row(exported.postponement.fromDueOn, exported.postponement.days), default: 0] += 1
        }
        return counts.map { row($0.key, $0.value) }
    }
}

/// A row in the format of ``ServiceUnderTest/rows(_:at:)``.
private func row(_ fields: (any CustomStringConvertible)?...) -> String {
    fields.map { $0?.description ?? "-" }.joined(separator: "|")
}

/// Events in chronological order; those of one instant keep their order.
private func inOrderOfTime<Event>(_ events: [Event], _ instant: (Event) -> Instant) -> [Event] {
    events.enumerated()
        .sorted { (instant($0.element), $0.offset) < (instant($1.element), $1.offset) }
        .map(\.element)
}

// MARK: - Due dates

/// A due date that a plant had, and what set it.
private struct DueDate {
    let setAt: Instant
    /// The day of that instant for the account.
    let setOn: CivilDay
    let source: Plant.DueSource
    let dueOn: CivilDay
    /// The watering that set it, if any.
    var watering: Watering?
}

/// One plant with all its due dates, in chronological order.
private struct PlantWalk {
    private let past: PastPlant
    private let dueDates: [DueDate]

    var history: PlantHistory { past.history }
    private var plant: Plant { past.plant }
    private var isRemoved: Bool { plant.archivedAt != nil }
    /// Today, or the day on which it was removed.
    private var lastDay: CivilDay { plant.archivedAt.map { past.zone.day(at: $0) } ?? past.today }

    private var isWithered: Bool {
        guard !isRemoved, let present = dueDates.last else { return false }
        return present.dueOn < past.today
    }

    init(_ past: PastPlant) {
        self.past = past
        let changed = past.history.dueDateChanges.map { change in
            DueDate(
                setAt: change.changedAt, setOn: past.zone.day(at: change.changedAt), source: change.source,
                dueOn: change.dueOn)
        }
        let postponed = past.history.postponements.map { exported in
            DueDate(
                setAt: exported.postponedAt, setOn: past.zone.day(at: exported.postponedAt), source: .postponement,
                dueOn: exported.postponement.dueOn)
        }
        // A watering older than the latest one sets no due date (rule 3.4).
        let watered = past.history.waterings.compactMap { watering in
            watering.dueOn.map { dueOn in
                DueDate(
                    setAt: watering.recordedAt, setOn: past.zone.day(at: watering.recordedAt), source: .watering,
                    dueOn: dueOn, watering: watering)
            }
        }
        // At one instant, changes come first, then postponements, then waterings, as in the view.
        dueDates = inOrderOfTime(changed + postponed + watered) { $0.setAt }
    }

    var dueDateRows: [String] {
        dueDates.indices.map { place in
            let date = dueDates[place]
            let before = place > 0 ? dueDates[place - 1] : nil
            let after = place + 1 < dueDates.count ? dueDates[place + 1] : nil
            let untilOn = after?.setOn ?? lastDay
            let setting = row(
                date.setAt, date.setOn, date.source.rawValue, date.watering?.number, date.watering?.wateredOn,
                date.dueOn)
            let replacing = row(
                before?.dueOn, after?.dueOn, after?.setOn, after?.source.rawValue, after?.watering?.method.rawValue,
                untilOn, date.dueOn + 1, (after?.dueOn).map { $0 + 1 })
            return row(past.key, isRemoved, isWithered, setting, replacing)
        }
    }
}

// MARK: - Streaks and revivals

extension PlantWalk {
    /// Judges the first watering of each day by the due date before it.
    var streakRow: String? {
        var judgedDays: Set<CivilDay> = []
        var lateCount = 0
        var streak = 0
        var longestStreak = 0
        var dueOn: CivilDay?
        for date in dueDates {
            if let watering = date.watering, judgedDays.insert(watering.wateredOn).inserted {
                let isLate = dueOn.map { watering.wateredOn > $0 } ?? false
                if isLate { lateCount += 1 }
                streak = isLate ? 0 : streak + 1
                longestStreak = max(longestStreak, streak)
            }
            dueOn = date.dueOn
        }
        if judgedDays.isEmpty { return nil }
        let inTimeCount = judgedDays.count - lateCount
        let currentStreak = isRemoved || isWithered ? 0 : streak
        return row(past.key, isRemoved, judgedDays.count, inTimeCount, lateCount, currentStreak, longestStreak)
    }

    /// Checks the plant each morning, and applies the events of that day.
    var revivalRows: [String] {
        guard var day = dueDates.first?.setOn else { return [] }
        var rows: [String] = []
        var ahead = dueDates[...]
        var dueOn: CivilDay?
        var witheredOn: CivilDay?
        while day <= lastDay {
            if let dueOn, dueOn < day { witheredOn = witheredOn ?? day }
            while let date = ahead.first, date.setOn <= day {
                ahead.removeFirst()
                dueOn = date.dueOn
                if date.dueOn < day {
                    witheredOn = witheredOn ?? day
                    continue
                }
                // Nobody knows how long it was withered before being removed and brought back.
                if let first = witheredOn, date.source != .registration {
                    rows.append(revivalRow(from: first, to: day, revivedBy: date))
                }
                witheredOn = nil
            }
            day = day + 1
        }
        if let first = witheredOn { rows.append(revivalRow(from: first, to: lastDay, revivedBy: nil)) }
        return rows
    }

    private func revivalRow(from first: CivilDay, to last: CivilDay, revivedBy date: DueDate?) -> String {
        let dayCount = last - first + 1
        let revival = row(date?.setOn, date?.source.rawValue, date?.watering?.method.rawValue)
        let isWithered = date == nil && !isRemoved
        return row(past.key, isRemoved, first, revival, dayCount, isWithered)
    }
}

// MARK: - Postponements

extension PlantWalk {
    var habitRow: String? {
        let postponements = history.postponements.map(\.postponement)
        guard let last = postponements.map(\.fromDueOn).max() else { return nil }
        let days = postponements.map(\.days)
        let sum = days.reduce(0, +)
        let average = nineDigits(Double(sum) / Double(days.count))
        let weekdays = postponements.map { weekday($0.fromDueOn) }
        let keptCount = history.postponements.filter(isKept).count
        return row(
            past.key, isRemoved, days.count, sum, average, mostFrequent(days), mostFrequent(weekdays), longestChain,
            keptCount, last, history.waterings.count)
    }

    /// Whether it was watered after being postponed, for a day until the new due date.
    private func isKept(_ exported: ExportedPostponement) -> Bool {
        let days = exported.postponement.fromDueOn...exported.postponement.dueOn
        return history.waterings.contains { watering in
            watering.recordedAt >= exported.postponedAt && days.contains(watering.wateredOn)
        }
    }

    /// The longest run of postponements: every watering, even one that sets no due date, and every change ends a run.
    private var longestChain: Int {
        let changes = history.dueDateChanges.map { (at: $0.changedAt, isPostponement: false) }
        let postponements = history.postponements.map { (at: $0.postponedAt, isPostponement: true) }
        let waterings = history.waterings.map { (at: $0.recordedAt, isPostponement: false) }
        var chain = 0
        var longest = 0
        for event in inOrderOfTime(changes + postponements + waterings, { $0.at }) {
            chain = event.isPostponement ? chain + 1 : 0
            longest = max(longest, chain)
        }
        return longest
    }
}

/// 1 Monday to 7 Sunday, from 1970 on.
private func weekday(_ day: CivilDay) -> Int {
    // 1 January 1970 was a Thursday.
    (Int(day.daysSinceEpoch) + 3) % 7 + 1
}

/// The most frequent number; of equally frequent ones, the smallest.
private func mostFrequent(_ numbers: [Int]) -> Int? {
    var counts: [Int: Int] = [:]
    for number in numbers { counts[number, default: 0] += 1 }
    return counts.max { ($0.value, -$0.key) < ($1.value, -$1.key) }?.key
}

// MARK: - Rhythm

extension PlantWalk {
    var rhythmRow: String? {
        let gaps = gapsInDays.sorted()
        guard let median = percentile(0.5, of: gaps), let long = percentile(0.9, of: gaps) else { return nil }
        let suggestion = gaps.count < 3 ? nil : min(max(Int((median + 0.5).rounded(.down)), 1), 90)
        return row(
            past.key, isRemoved, plant.cycle.species.rawValue, plant.cycle.days, gaps.count, nineDigits(median),
            nineDigits(long), suggestion)
    }

    /// The days from each day of contact to the next, except across a day on which the plant was brought back.
    private var gapsInDays: [Int] {
        let days = Set(history.waterings.map(\.wateredOn)).sorted()
        let registrations = history.dueDateChanges.filter { $0.source == .registration }
        let returns = registrations.dropFirst().map { past.zone.day(at: $0.changedAt) }
        return zip(days, days.dropFirst()).compactMap { day, next in
            returns.contains { day < $0 && $0 <= next } ? nil : next - day
        }
    }
}

/// A percentile of sorted numbers, by linear interpolation; nil if there are none.
private func percentile(_ fraction: Double, of sorted: [Int]) -> Double? {
    guard !sorted.isEmpty else { return nil }
    let place = fraction * Double(sorted.count - 1)
    let below = Double(sorted[Int(place.rounded(.down))])
    let above = Double(sorted[Int(place.rounded(.up))])
    return below + (above - below) * (place - place.rounded(.down))
}

// MARK: - Cohorts

/// What the retention of cohorts needs to know about an account.
private struct Member {
    let cohortWeek: CivilDay
    /// The days since it was added.
    let days: Int
    /// The weeks, counted from its first day, in which it watered.
    let activeWeeks: Set<Int>

    init(_ export: AccountExport, today: CivilDay, zone: TimeZoneRules) {
        let addedOn = zone.day(at: export.createdAt)
        cohortWeek = addedOn + (1 - weekday(addedOn))
        days = today - addedOn
        activeWeeks = Set(
            export.plants.flatMap(\.waterings).map { Member.weekNumber(daysSinceAdded: $0.wateredOn - addedOn) })
    }

    /// The 521st week includes all later ones.
    static func weekNumber(daysSinceAdded days: Int) -> Int { min(days / 7, 521) }
}

extension HistoryTruth {
    private var cohortRows: [String] {
        Dictionary(grouping: members, by: \.cohortWeek).flatMap { week, cohort in
            let weekNumbers = cohort.map { Member.weekNumber(daysSinceAdded: $0.days) }
            return (0...(weekNumbers.max() ?? 0)).map { number in
                let activeCount = cohort.filter { $0.activeWeeks.contains(number) }.count
                let retention = nineDigits(Double(activeCount) / Double(cohort.count))
                let isComplete = cohort.allSatisfy { $0.days >= 7 * (number + 1) }
                return row(week, number, cohort.count, activeCount, retention, isComplete)
            }
        }
    }
}

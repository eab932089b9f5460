import CherishCore

/// What one partition of the calendar or the log spans: a day or a month, in UTC.
struct Period: Hashable, Sendable {
    /// Tables whose partitions come and go together.
    enum Part: CaseIterable, Sendable {
        /// A day of the log. Releases before migration 23 kept the outcomes by day, too.
        case log
        /// A month of the outcomes: few beside the jobs, and each partition costs a report time to plan (decision 66).
        case outcomes
        /// A month of the calendar.
        case calendar

        var isMonth: Bool { self != .log }

        /// In dropping order: jobs before outcomes, so that no job looks pending.
        var tables: [String] {
            switch self {
            case .log:
                [
                    "push_job", "push_outcome", "push_receipt", "push_device_outcome", "sent_push",
                    "occurrence_outcome",
                ]
            case .outcomes: ["push_outcome"]
            case .calendar: ["occurrence"]
            }
        }
    }

    let part: Part
    let firstDay: CivilDay

    var start: Instant { Instant(secondsSinceEpoch: Int64(firstDay.daysSinceEpoch) * 86_400) }
    var end: Instant { next.start }

    var next: Period {
        guard part.isMonth else { return Period(part: part, firstDay: firstDay + 1) }
        let (year, month, _) = firstDay.components
        return Period(part: part, firstDay: firstDay + CivilDay.length(ofMonth: month, year: year))
    }

    /// Returns the partition's name as `make_partition` forms it: `push_job_20270302`, `occurrence_202703`.
    func partition(of table: String) -> String {
        let digits = firstDay.description.filter { $0 != "-" }
        return "\(table)_\(digits.prefix(part.isMonth ? 6 : 8))"
    }

    /// Returns the partitions that the period's rows need and that are not among those found. A month of outcomes
    /// serves each of its days.
    func missing(in found: Set<String>) -> [String] {
        let outcomes = Period(.outcomes, containing: start).partition(of: "push_outcome")
        return part.tables.compactMap { table in
            if found.contains(partition(of: table)) { return nil }
            guard part == .log, table == "push_outcome" else { return partition(of: table) }
            return found.contains(outcomes) ? nil : outcomes
        }
    }
}

extension Period {
    /// The period that contains an instant.
    init(_ part: Part, containing instant: Instant) {
        let day = TimeZoneRules.utc.day(at: instant)
        self.init(part: part, firstDay: part.isMonth ? day + (1 - day.components.day) : day)
    }

    /// The period of a partition; nil if no partition has this name or the date does not exist.
    init?(partition name: String) {
        for part in Part.allCases {
            for table in part.tables where name.hasPrefix(table + "_") {
                let digits = String(name.dropFirst(table.count + 1)) + (part.isMonth ? "01" : "")
                guard digits.count == 8, let number = Int(digits),
                    let day = CivilDay(year: number / 10_000, month: number / 100 % 100, day: number % 100)
                else { continue }
                self.init(part: part, firstDay: day)
                return
            }
        }
        return nil
    }

    /// Returns the period that contains `first`, and the later ones that start by `last`.
    static func all(_ part: Part, from first: Instant, to last: Instant) -> [Period] {
        sequence(first: Period(part, containing: first), next: { $0.next }).prefix { $0.start <= last }
    }
}

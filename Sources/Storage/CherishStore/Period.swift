import CherishCore

/// The span of one partition: a day of the log or a month of the calendar, in UTC.
struct Period: Hashable, Sendable {
    enum Length: String, Sendable {
        case day, month

        /// The tables partitioned by this length, in dropping order: jobs before outcomes, so that no job looks
        /// pending.
        var tables: [String] {
            switch self {
            case .day:
                [
                    "push_job", "push_outcome", "push_receipt", "push_device_outcome", "sent_push",
                    "occurrence_outcome",
                ]
            case .month: ["occurrence"]
            }
        }
    }

    let length: Length
    let firstDay: CivilDay

    var start: Instant { Instant(secondsSinceEpoch: Int64(firstDay.daysSinceEpoch) * 86_400) }
    var end: Instant { next.start }

    var next: Period {
        switch length {
        case .day: return Period(length: .day, firstDay: firstDay + 1)
        case .month:
            let (year, month, _) = firstDay.components
            return Period(length: .month, firstDay: firstDay + CivilDay.length(ofMonth: month, year: year))
        }
    }

    /// Returns the partition's name as `make_partition` forms it: `push_job_20270302`, `occurrence_202703`.
    func partition(of table: String) -> String {
        let digits = firstDay.description.filter { $0 != "-" }
        return "\(table)_\(digits.prefix(length == .day ? 8 : 6))"
    }
}

extension Period {
    /// The period that contains an instant.
    init(_ length: Length, containing instant: Instant) {
        let day = TimeZoneRules.utc.day(at: instant)
        self.init(length: length, firstDay: length == .day ? day : day + (1 - day.components.day))
    }

    /// The period of a partition; nil if no partition has this name or the date does not exist.
    init?(partition name: String) {
        for length in [Length.day, .month] {
            for table in length.tables where name.hasPrefix(table + "_") {
                let digits = String(name.dropFirst(table.count + 1)) + (length == .day ? "" : "01")
                guard digits.count == 8, let number = Int(digits),
                    let day = CivilDay(year: number / 10_000, month: number / 100 % 100, day: number % 100)
                else { continue }
                self.init(length: length, firstDay: day)
                return
            }
        }
        return nil
    }

    /// Returns the period that contains `first`, and the later ones that start by `last`.
    static func all(_ length: Length, from first: Instant, to last: Instant) -> [Period] {
        sequence(first: Period(length, containing: first), next: { $0.next }).prefix { $0.start <= last }
    }
}

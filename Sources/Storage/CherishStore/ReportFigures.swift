import CherishCore
import Postgres

extension Reports {
    /// Whose figures to read, and how to select a view's rows.
    private struct Scope {
        let account: ReportedAccount?
        let today: CivilDay

        /// Returns the view itself for one account. For the whole service, returns the service view if there is one.
        func view(_ name: SQL, ofService service: SQL? = nil) -> SQL {
            "report.\(account == nil ? service ?? name : name)"
        }

        /// Always uses parameters 1 and 2, whether the condition needs them or not.
        var condition: SQL {
            account == nil ? "$1::smallint IS NULL AND $2::uuid IS NULL" : "lane = $1 AND account_id = $2"
        }

        func statement(_ sql: SQL, _ parameters: [any PostgresEncodable] = []) -> Statement {
            let own: [any PostgresEncodable] = [account?.id.lane, account?.id]
            return Statement(sql, own + parameters)
        }
    }

    /// Reads the figures behind a report page's charts, in one snapshot.
    ///
    /// For a service with more than 50,000 living plants, the rhythm comes from a sample of about that size. The
    /// service's keywords omit those with fewer than five reviews.
    ///
    /// - Parameters:
    ///   - account: nil for the whole service.
    ///   - days: for how many days to count waterings and pushes, including today.
    ///   - daysAhead: for how many days to count due dates, including today.
    /// - Throws: ``SchemaError/reportsDiffer``.
    public func figures(of account: ReportedAccount?, days: Int, daysAhead: Int) async throws -> GardenFigures {
        try await figures(of: account, days: days, daysAhead: daysAhead, rhythmSample: 50_000)
    }

    /// - Parameter rhythmSample: if the service has more living plants than this, the rhythm comes from a sample.
    func figures(
        of account: ReportedAccount?, days: Int, daysAhead: Int, rhythmSample: Int
    ) async throws -> GardenFigures {
        do {
            return try await reading { connection in
                let scope = Scope(account: account, today: try await today(of: account, on: connection))
                let first = scope.today + (1 - days)
                let last = scope.today + (daysAhead - 1)
                let groups = try await groups(scope, connection)
                let lanes = Reports.lanesForRhythm(
                    account == nil ? rhythmSample : nil, of: groups.reduce(0) { $0 + $1.plantCount })
                return GardenFigures(
                    today: scope.today, firstDay: first, lastDay: last, groups: groups,
                    dueDays: try await dueDays(scope, until: last, connection),
                    wateringDays: try await wateringDays(scope, from: first, connection),
                    rhythms: try await rhythms(scope, lanes: lanes, connection),
                    isRhythmSampled: lanes < Lane.all.count,
                    keywords: try await keywords(scope, connection),
                    pushDays: try await pushDays(scope, from: first, connection))
            }
        } catch let error as PostgresError where error.isAboutAnotherSchema {
            throw SchemaError.reportsDiffer
        }
    }

    private func today(of account: ReportedAccount?, on connection: Connection) async throws -> CivilDay {
        if let account { return account.today }
        let rows = try await connection.query("SELECT (report.present() AT TIME ZONE 'UTC')::date")
        guard let row = rows.first else { throw UnreadableRow(what: "no present") }
        return try row.decode(0)
    }

    private func groups(_ scope: Scope, _ connection: Connection) async throws -> [GardenFigures.Group] {
        try await connection.query(
            scope.statement(
                """
                SELECT species::text, stage::text, count(*) FILTER (WHERE condition = 'thriving'),
                    count(*) FILTER (WHERE condition = 'thirsty'), count(*) FILTER (WHERE condition = 'withered'),
                    count(*) FILTER (WHERE is_full)
                FROM report.dday WHERE \(scope.condition) GROUP BY species, stage ORDER BY species, stage
                """)
        ).map { row in
            var reader = row.reader
            return GardenFigures.Group(
                species: try reader.next(label: Species.self), stage: try reader.next(label: GrowthStage.self),
                thriving: try reader.nextCount(), thirsty: try reader.nextCount(), withered: try reader.nextCount(),
                full: try reader.nextCount())
        }
    }

    private func dueDays(
        _ scope: Scope, until last: CivilDay, _ connection: Connection
    ) async throws -> [GardenFigures.DueDay] {
        try await connection.query(
            scope.statement(
                """
                SELECT due_on, count(*) FROM report.dday
                WHERE \(scope.condition) AND due_on BETWEEN $3 AND $4 GROUP BY due_on ORDER BY due_on
                """, [scope.today, last])
        ).map { row in
            var reader = row.reader
            return GardenFigures.DueDay(day: try reader.next(), plantCount: try reader.nextCount())
        }
    }

    private func wateringDays(
        _ scope: Scope, from first: CivilDay, _ connection: Connection
    ) async throws -> [GardenFigures.WateringDay] {
        try await connection.query(
            scope.statement(
                """
                SELECT day, watering_count, reviewed_count
                FROM \(scope.view("watering_daily", ofService: "service_watering_daily"))
                WHERE \(scope.condition) AND day BETWEEN $3 AND $4 ORDER BY day
                """, [first, scope.today])
        ).map { row in
            var reader = row.reader
            return GardenFigures.WateringDay(
                day: try reader.next(), wateringCount: try reader.nextCount(), reviewedCount: try reader.nextCount())
        }
    }

    /// Returns how many lanes to sample for the rhythm, which sorts every watering. Accounts are distributed randomly
    /// over the lanes.
    private static func lanesForRhythm(_ sample: Int?, of plantCount: Int) -> Int {
        guard let sample, plantCount > sample else { return Lane.all.count }
        return max(1, Lane.all.count * sample / plantCount)
    }

    private func rhythms(
        _ scope: Scope, lanes: Int, _ connection: Connection
    ) async throws -> [GardenFigures.Rhythm] {
        try await connection.query(
            scope.statement(
                """
                SELECT cycle_days, count(*), percentile_cont(0.5) WITHIN GROUP (ORDER BY median_gap_days),
                    percentile_cont(0.5) WITHIN GROUP (ORDER BY p90_gap_days)
                FROM report.contact_rhythm
                WHERE \(scope.condition) AND lane < $3 AND NOT is_archived GROUP BY cycle_days ORDER BY cycle_days
                """, [lanes])
        ).map { row in
            var reader = row.reader
            return GardenFigures.Rhythm(
                cycleDays: try Cycle(days: try reader.next()).days, plantCount: try reader.nextCount(),
                medianGapDays: try gap(&reader), longGapDays: try gap(&reader))
        }
    }

    /// Reads days between two contacts, within the range of civil days.
    private func gap(_ reader: inout RowReader) throws -> Double {
        try reader.next(Double.self)
            .within(0...Double(RowLimit.days.count), orHolds: "days between contacts that cannot be")
    }

    /// A keyword with fewer reviews could identify a person.
    private static let fewestReviewsOfService = 5

    private func keywords(_ scope: Scope, _ connection: Connection) async throws -> [GardenFigures.Keyword] {
        try await connection.query(
            scope.statement(
                """
                SELECT keyword, review_count
                FROM \(scope.view("review_keywords", ofService: "service_review_keywords"))
                WHERE \(scope.condition) AND review_count >= $3
                ORDER BY review_count DESC, keyword COLLATE "C" LIMIT 40
                """, [scope.account == nil ? Reports.fewestReviewsOfService : 1])
        ).map { row in
            var reader = row.reader
            return GardenFigures.Keyword(text: try reader.next(), reviewCount: try reader.nextCount())
        }
    }

    private func pushDays(
        _ scope: Scope, from first: CivilDay, _ connection: Connection
    ) async throws -> [GardenFigures.PushDay] {
        try await connection.query(
            scope.statement(
                """
                SELECT day, outcome::text, reason, sum(push_count)::bigint
                FROM \(scope.view("push_outcomes", ofService: "service_push_outcomes"))
                WHERE \(scope.condition) AND day BETWEEN $3 AND $4
                GROUP BY day, outcome, reason ORDER BY day, outcome, reason
                """, [first, scope.today])
        ).map { row in
            var reader = row.reader
            return GardenFigures.PushDay(
                day: try reader.next(), outcome: try reader.next(String?.self).flatMap(PushOutcome.init),
                reason: try reader.next(String?.self).map { PushReason(rawValue: $0) },
                pushCount: try reader.nextCount())
        }
    }
}

extension PostgresError {
    /// A table, column, function or schema does not exist.
    fileprivate var isAboutAnotherSchema: Bool {
        ["42P01", "42703", "42883", "3F000"].contains(sqlState ?? "")
    }
}

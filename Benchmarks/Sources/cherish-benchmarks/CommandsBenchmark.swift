import CherishCore
import CherishStore
import Foundation
import Postgres
import SystemTimeZones

/// Commands as library calls, against SQL that writes the same rows in one round trip and checks no rules.
enum CommandsBenchmark {
    private enum Command: String, CaseIterable {
        case water, postpone, edit
    }

    static func run(size: Size, in laboratory: Laboratory) async throws {
        let count = !size.isSmoke ? 4000 : 100
        let turns = size.rounds * 2
        try await Garden(accounts: count, plants: count * turns, due: count * turns).plant(in: laboratory)
        try await laboratory.script(
            """
            INSERT INTO plant
            SELECT lane, md5('many' || number)::uuid, account_id, name, '+8230' || 10000000 + number, nickname, NULL, NULL,
                NULL, cycle_days, alarm_minute, planted_on, last_watered_on, due_on, due_source, 0, 0, 0, true, NULL, '{}',
                NULL, NULL, NULL, NULL, NULL, NULL, NULL, created_at, NULL
            FROM generate_series(1, 300) AS number, (SELECT * FROM plant ORDER BY lane, account_id LIMIT 1) AS plant;
            CREATE TABLE plant_before AS SELECT * FROM plant;
            CREATE TABLE occurrence_before AS SELECT * FROM occurrence;
            ANALYZE;
            """)
        let references = try await laboratory.pool.withConnection { connection in
            try await connection.query(
                "SELECT lane, account_id, id FROM plant WHERE phone NOT LIKE '+8230%' ORDER BY id")
        }.map { row in
            Reference(lane: try row.decode(0), account: try row.decode(1), plant: try row.decode(2))
        }
        for (connections, delay) in [(1, nil), (8, nil), (8, Duration.milliseconds(1))] {
            let setting =
                (connections == 1 ? "one connection" : "\(connections) connections")
                + (delay.map { ", network delay of \($0 / .milliseconds(1)) ms" } ?? "")
            for command in Command.allCases {
                try await laboratory.script(
                    """
                    TRUNCATE plant CASCADE;
                    TRUNCATE occurrence, account_change, account_change_head, edited_item;
                    INSERT INTO plant SELECT * FROM plant_before ORDER BY lane, id;
                    INSERT INTO occurrence SELECT * FROM occurrence_before ORDER BY lane, at;
                    """)
                try await laboratory.script("VACUUM ANALYZE plant")
                // Each turn has its own plants: a postponed plant is no longer due.
                let next = Counter()
                let slice: @Sendable () async -> [Reference] = {
                    let turn = await next.next() % turns
                    return Array(references[turn * count..<(turn + 1) * count])
                }
                let contest = Contest(
                    title: "\(command.rawValue), \(setting)",
                    rounds: size.rounds,
                    contestants: [
                        Contestant(name: "Cherish", expectedItems: count) { laboratory in
                            try await commands(command, await slice(), connections, laboratory)
                        },
                        Contestant(name: "SQL: one round trip, no rules", expectedItems: count) { laboratory in
                            try await statements(command, await slice(), connections, laboratory)
                        },
                    ])
                if let delay {
                    _ = try await laboratory.withNetworkDelay(delay) { try await contest.run(in: $0) }
                } else {
                    _ = try await contest.run(in: laboratory)
                }
            }
            if delay == nil { try await list(size, connections, in: laboratory) }
        }
    }

    /// A plant's key.
    struct Reference: Sendable {
        let lane: Int16
        let account: UUID
        let plant: UUID
    }

    private actor Counter {
        private var number = -1

        func next() -> Int {
            number += 1
            return number
        }
    }

    private static func commands(
        _ command: Command, _ references: [Reference], _ connections: Int, _ laboratory: Laboratory
    ) async throws -> Work {
        var edit = PlantEdit()
        edit.cycle = try Cycle(days: 10)
        let longerCycle = edit
        return try await laboratory.withConnections(connections) { pool in
            // Other devices are told as the server tells them.
            let announcer = ChangeAnnouncer(pool: pool, pause: .milliseconds(5))
            let store = CareStore(
                pool: pool, zones: SystemTimeZones(), time: .fixed(Garden.now), announcer: announcer)
            try await open(connections, of: pool)
            let time = try await seconds {
                try await inParallel(references, connections) { reference in
                    let garden = store.garden(of: Account.ID(reference.account))
                    let plant = Plant.ID(reference.plant)
                    switch command {
                    case .water: _ = try await garden.water(plant, WateringRequest(method: .call))
                    case .postpone: _ = try await garden.postpone(plant, days: 3)
                    case .edit: _ = try await garden.editFriend(plant, longerCycle)
                    }
                }
                await announcer.finish()
            }
            return Work(items: references.count, seconds: time)
        }
    }

    private static func statements(
        _ command: Command, _ references: [Reference], _ connections: Int, _ laboratory: Laboratory
    ) async throws -> Work {
        try await laboratory.withConnections(connections) { pool in
            try await open(connections, of: pool)
            let time = try await seconds {
                try await pool.forEach(references, connections: connections) { connection, place in
                    let writes =
                        switch command {
                        case .water: water(place)
                        case .postpone: postpone(place)
                        case .edit: edit(place)
                        }
                    _ = try await connection.pipeline(lock(place) + writes)
                }
            }
            return Work(items: references.count, seconds: time)
        }
    }

    private static func open(_ connections: Int, of pool: ConnectionPool) async throws {
        try await pool.forEach(Array(0..<connections), connections: connections) { connection, _ in
            _ = try await connection.query("SELECT 1")
        }
    }

    private static func lock(_ place: Reference) -> [Statement] {
        [
            Statement("SELECT cursor_at FROM lane WHERE lane = $1 FOR SHARE", [place.lane]),
            Statement("SELECT * FROM account WHERE lane = $1 AND id = $2 FOR SHARE", [place.lane, place.account]),
            Statement("SELECT * FROM plant WHERE lane = $1 AND id = $2 FOR UPDATE", [place.lane, place.plant]),
        ]
    }

    private static func water(_ place: Reference) -> [Statement] {
        [
            Statement(
                """
                UPDATE plant SET last_watered_on = '2027-03-02', due_on = '2027-03-09', due_source = 'watering',
                    watering_count = watering_count + 1, affection = least(affection + 8, 100),
                    alarm_at = '2027-03-09T00:00Z', reminder_number = watering_count + 1, reminder_at = $3
                WHERE lane = $1 AND id = $2
                """, [place.lane, place.plant, Garden.now]),
            Statement(
                """
                INSERT INTO watering SELECT $1, $2, watering_count, '2027-03-02', $3, 'call', due_on, false, '{}', NULL, false
                FROM plant WHERE lane = $1 AND id = $2
                """, [place.lane, place.plant, Garden.now]),
            Statement(
                """
                INSERT INTO affection_entry SELECT $1, $2, watering_count, 'contact', 8, $3
                FROM plant WHERE lane = $1 AND id = $2
                """, [place.lane, place.plant, Garden.now]),
            Statement(
                """
                INSERT INTO occurrence VALUES ($1, '2027-03-09T00:00Z', $4, $2, 'watering_due', 20886),
                    ($1, $3, $4, $2, 'review_missing', 1) ON CONFLICT DO NOTHING
                """, [place.lane, place.plant, Garden.now, place.account]),
            Statement(
                "SELECT note_changes($1, $2, $3, '{friend,watering}', ARRAY[$4, $4], '{0,1}')",
                [place.lane, place.account, Garden.now, place.plant]),
        ]
    }

    /// For devices that keep a copy: the plant has changed.
    private static func note(_ place: Reference) -> Statement {
        Statement(
            "SELECT note_changes($1, $2, $3, '{friend}', ARRAY[$4], '{0}')",
            [place.lane, place.account, Garden.now, place.plant])
    }

    private static func postpone(_ place: Reference) -> [Statement] {
        [
            Statement(
                """
                UPDATE plant SET due_on = due_on + 3, due_source = 'postponement',
                    postponement_count = postponement_count + 1, alarm_at = alarm_at + interval '3 days'
                WHERE lane = $1 AND id = $2
                """, [place.lane, place.plant]),
            Statement(
                """
                INSERT INTO postponement SELECT $1, $2, postponement_count, $3, due_on - 3, 3, due_on
                FROM plant WHERE lane = $1 AND id = $2
                """, [place.lane, place.plant, Garden.now]),
            Statement(
                """
                INSERT INTO occurrence SELECT $1, alarm_at, account_id, $2, 'watering_due', due_on - '1970-01-01'::date
                FROM plant WHERE lane = $1 AND id = $2 ON CONFLICT DO NOTHING
                """, [place.lane, place.plant]),
            note(place),
        ]
    }

    /// A longer cycle, which moves the due date.
    private static func edit(_ place: Reference) -> [Statement] {
        [
            Statement(
                """
                UPDATE plant SET cycle_days = 10, due_on = due_on + 3, due_source = 'edit',
                    alarm_at = alarm_at + interval '3 days', version = version + 1, modified_at = $3
                WHERE lane = $1 AND id = $2
                """, [place.lane, place.plant, Garden.now]),
            Statement(
                """
                INSERT INTO edited_item (lane, account_id, kind, id, number, parts, made_at, newest_at)
                VALUES ($1, $2, 'friend', $3, 0, '{cycleDays}', ARRAY[$4], $4)
                """, [place.lane, place.account, place.plant, Garden.now]),
            Statement(
                """
                INSERT INTO cycle_change (lane, plant_id, changed_at, cycle_days, due_on, source, withers_on)
                SELECT $1, $2, $3, cycle_days, due_on, 'edit', due_on + 1 FROM plant WHERE lane = $1 AND id = $2
                """, [place.lane, place.plant, Garden.now]),
            Statement(
                """
                INSERT INTO occurrence SELECT $1, alarm_at, account_id, $2, 'watering_due', due_on - '1970-01-01'::date
                FROM plant WHERE lane = $1 AND id = $2 ON CONFLICT DO NOTHING
                """, [place.lane, place.plant]),
            note(place),
        ]
    }

    private static func list(_ size: Size, _ connections: Int, in laboratory: Laboratory) async throws {
        let count = !size.isSmoke ? 500 : 10
        let owner = try await laboratory.value(
            "SELECT account_id FROM plant WHERE phone LIKE '+8230%' LIMIT 1", as: UUID.self)
        try await Contest(
            title: "list of 300 plants, \(connections == 1 ? "one connection" : "\(connections) connections")",
            rounds: size.rounds,
            contestants: [
                Contestant(name: "Cherish", expectedItems: count) { laboratory in
                    try await laboratory.withConnections(connections) { pool in
                        let store = CareStore(pool: pool, zones: SystemTimeZones(), time: .fixed(Garden.now))
                        let account = try await store.account(owner.uuidString)
                        let time = try await seconds {
                            try await inParallel(Array(0..<count), connections) { _ in
                                let plants = try await store.garden(of: account.id).plants()
                                if plants.count < 300 { throw BenchmarkError("\(plants.count) plants") }
                            }
                        }
                        return Work(items: count, seconds: time)
                    }
                },
                Contestant(name: "SQL: the same SELECT, nothing decoded", expectedItems: count) { laboratory in
                    try await laboratory.withConnections(connections) { pool in
                        let time = try await seconds {
                            try await pool.forEach(Array(0..<count), connections: connections) { connection, _ in
                                _ = try await connection.query(
                                    """
                                    SELECT * FROM plant
                                    WHERE lane = get_byte(uuid_send($1), 15) AND account_id = $1 AND removed_at IS NULL
                                    """, [owner])
                            }
                        }
                        return Work(items: count, seconds: time)
                    }
                },
            ]
        ).run(in: laboratory)
    }

    /// Runs work on the elements, `count` at a time.
    private static func inParallel<Element: Sendable>(
        _ elements: [Element], _ count: Int, _ work: @escaping @Sendable (Element) async throws -> Void
    ) async throws {
        let rest = Rest(elements)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count {
                group.addTask { while let element = await rest.next() { try await work(element) } }
            }
            try await group.waitForAll()
        }
    }
}

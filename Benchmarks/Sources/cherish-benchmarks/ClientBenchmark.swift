import Foundation
import Postgres

/// The PostgreSQL client alone, against fast clients of Python.
enum ClientBenchmark {
    /// One row in Swift values.
    struct Sample: Sendable {
        let id: Int64
        let uid: UUID
        let name: String
        let at: PostgresTimestamp
        let day: PostgresDate

        init(number: Int) {
            id = Int64(number)
            let half = UInt64(number).bigEndian
            uid = withUnsafeBytes(of: (half, half)) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
            name = "name \(number)"
            at = PostgresTimestamp(microsecondsSince1970: 1_803_945_600_000_000 + Int64(number) * 1_000_000)
            day = PostgresDate(daysSince1970: 20_879 + Int32(number % 1000))
        }

        init(_ row: Row) throws {
            var reader = row.reader
            id = try reader.next()
            uid = try reader.next()
            name = try reader.next()
            at = try reader.next()
            day = try reader.next()
        }
    }

    static func run(size: Size, in laboratory: Laboratory) async throws {
        let count = size.rows
        try await laboratory.script(
            """
            CREATE TABLE sample (
                id bigint NOT NULL, uid uuid NOT NULL, name text NOT NULL, at timestamptz NOT NULL, day date NOT NULL);
            INSERT INTO sample SELECT number, md5(number::text)::uuid, 'name ' || number,
                '2027-03-02Z'::timestamptz + number * interval '1 second', '2027-03-02'::date + number % 1000
            FROM generate_series(0, \(count) - 1) AS number;
            CREATE TABLE target (LIKE sample);
            """)
        try await laboratory.script("VACUUM ANALYZE sample")
        try await contest("read", count, size, laboratory) { connection in
            let rows = try await connection.query("SELECT id, uid, name, at, day FROM sample")
            let samples = try rows.map(Sample.init)
            if samples.count != count { throw BenchmarkError("\(samples.count) rows") }
        }
        // One statement per row is slow for every client; fewer rows suffice.
        let few = count / 5
        let bound = (0..<few).map(Sample.init)
        try await contest("bind", few, size, laboratory) { connection in
            try await connection.script("BEGIN")
            for start in stride(from: 0, to: few, by: 1000) {
                _ = try await connection.pipeline(
                    bound[start..<min(start + 1000, few)].map { sample in
                        Statement(
                            "INSERT INTO target (id, uid, name, at, day) VALUES ($1, $2, $3, $4, $5)",
                            [sample.id, sample.uid, sample.name, sample.at, sample.day])
                    })
            }
            try await connection.script("COMMIT")
        }
        let copied = (0..<count).map(Sample.init)
        try await contest("copy", count, size, laboratory) { connection in
            _ = try await connection.copyIn(
                "COPY target (id, uid, name, at, day) FROM STDIN (FORMAT binary)"
            ) { rows in
                for sample in copied { try rows.append(sample.id, sample.uid, sample.name, sample.at, sample.day) }
            }
        }
    }

    private static func contest(
        _ task: String, _ count: Int, _ size: Size, _ laboratory: Laboratory,
        _ work: @escaping @Sendable (Connection) async throws -> Void
    ) async throws {
        let empty: @Sendable (Laboratory) async throws -> Void = { try await $0.script("TRUNCATE target") }
        var contestants = [
            Contestant(name: "Cherish's client", prepare: empty) { laboratory in
                try await laboratory.withConnections(1) { pool in
                    try await pool.withConnection { connection in
                        _ = try await connection.query("SELECT 1")
                        return Work(items: count, seconds: try await seconds { try await work(connection) })
                    }
                }
            }
        ]
        for library in PythonClient.isThere ? ["psycopg", "asyncpg"] : [] {
            contestants.append(
                Contestant(name: library == "psycopg" ? "psycopg 3 (C)" : library, prepare: empty) { laboratory in
                    Work(items: count, seconds: try python(library, task, count, laboratory))
                })
        }
        try await Contest(
            title: "client: \(task) \(Report.count(Double(count))) rows, one connection", rounds: size.rounds,
            contestants: contestants
        ).run(in: laboratory)
    }

    private static func python(_ library: String, _ task: String, _ count: Int, _ laboratory: Laboratory) throws
        -> Double
    {
        try PythonClient.run(
            "client.py",
            [library, task, laboratory.connectionString, laboratory.cluster.socketDirectory, "\(count)"])
    }
}

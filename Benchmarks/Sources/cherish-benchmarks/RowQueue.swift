import Foundation

/// A conventional PostgreSQL job queue: a row per job, taken with SKIP LOCKED and deleted when done; run by pgbench.
enum RowQueue {
    static func contestant(_ name: String, _ script: @escaping @Sendable (Int) -> String, batch: Int, size: Size)
        -> Contestant
    {
        Contestant(
            name: name,
            prepare: { laboratory in
                // Batches of one are slow; fewer jobs suffice.
                try await fill(laboratory, jobs: jobs(batch, size))
            },
            expectedItems: jobs(batch, size),
            work: { laboratory in
                let file = laboratory.cluster.home + "/queue.sql"
                try script(batch).write(toFile: file, atomically: true, encoding: .utf8)
                let jobs = jobs(batch, size)
                let time = try await PgBench(laboratory).run(
                    file, clients: size.connections, transactions: jobs / batch / size.connections)
                let left = try await laboratory.value("SELECT count(*) FROM queue", as: Int.self)
                return Work(items: jobs - left, seconds: time)
            })
    }

    private static func jobs(_ batch: Int, _ size: Size) -> Int {
        let most = batch == 1 ? 20_000 : batch == 100 ? 200_000 : 1_000_000
        return max(min(most, size.plants) / (batch * size.connections), 1) * batch * size.connections
    }

    private static func fill(_ laboratory: Laboratory, jobs: Int) async throws {
        try await laboratory.script(
            """
            DROP TABLE IF EXISTS queue;
            CREATE TABLE queue (
                id bigserial PRIMARY KEY, state smallint NOT NULL DEFAULT 0, account_id uuid NOT NULL,
                subject_id uuid NOT NULL, topic topic NOT NULL, ref integer NOT NULL, planned_at timestamptz NOT NULL,
                expires_at timestamptz NOT NULL);
            INSERT INTO queue (account_id, subject_id, topic, ref, planned_at, expires_at)
            SELECT account_id, subject_id, topic, ref, planned_at, expires_at FROM push_job LIMIT \(jobs);
            INSERT INTO queue (account_id, subject_id, topic, ref, planned_at, expires_at)
            SELECT account_id, subject_id, topic, ref, planned_at, expires_at FROM queue
            LIMIT \(jobs) - (SELECT count(*) FROM queue);
            CREATE INDEX ON queue (id) WHERE state = 0;
            """)
        try await laboratory.script("VACUUM ANALYZE queue")
    }

    /// Takes and completes jobs in one statement: the least that a row queue can do.
    @Sendable static func delete(_ batch: Int) -> String {
        """
        DELETE FROM queue WHERE id IN (SELECT id FROM queue WHERE state = 0 ORDER BY id LIMIT \(batch) \
        FOR UPDATE SKIP LOCKED) RETURNING *;

        """
    }

    /// Takes jobs in one transaction and completes them in the next, like queues that survive a crash in between.
    @Sendable static func updateDelete(_ batch: Int) -> String {
        """
        WITH taken AS (UPDATE queue SET state = 1 WHERE id IN (SELECT id FROM queue WHERE state = 0 ORDER BY id \
        LIMIT \(batch) FOR UPDATE SKIP LOCKED) RETURNING *) \
        SELECT coalesce(string_agg(id::text, ','), '0') AS ids, count(account_id) + count(subject_id) + count(topic) \
        + count(ref) + count(planned_at) + count(expires_at) AS fields FROM taken \\gset
        DELETE FROM queue WHERE id IN (:ids);

        """
    }
}

/// PostgreSQL's own load generator.
struct PgBench: Sendable {
    private let laboratory: Laboratory

    init(_ laboratory: Laboratory) {
        self.laboratory = laboratory
    }

    /// Runs a script `transactions` times in each client.
    ///
    /// - Returns: the seconds it took, without connecting.
    func run(_ file: String, clients: Int, transactions: Int, define: [String: Int] = [:]) async throws -> Double {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try Self.path)
        process.arguments =
            ["--no-vacuum", "--client=\(clients)", "--jobs=2", "--transactions=\(transactions)", "--file=\(file)"]
            + define.map { "--define=\($0.key)=\($0.value)" } + [
                laboratory.connectionString + " application_name=contestant"
            ]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0, let rate = text.firstMatch(of: #/tps = ([0-9.]+)/#),
            let perSecond = Double(rate.1)
        else { throw BenchmarkError("pgbench failed: \(text)") }
        return Double(transactions * clients) / perSecond
    }

    private static var path: String {
        get throws {
            let versions = try FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")
            guard let newest = versions.compactMap(Int.init).max() else { throw BenchmarkError("pgbench is missing") }
            return "/usr/lib/postgresql/\(newest)/bin/pgbench"
        }
    }
}

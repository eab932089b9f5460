import CherishCore
import CherishTestSupport
import Postgres
import Testing

@testable import CherishSchema
@testable import CherishStore

@Suite("Migrations", .emptyDatabase, .serialized)
struct MigrationTests {
    private static let known = Schema.migrations.count

    /// The contents of the database, including when each migration was applied.
    private func content(_ service: ServiceUnderTest) async throws -> [String] {
        try await service.texts(
            """
            SELECT concat_ws(' ', version, name, checksum, applied_at) FROM schema_migration
            UNION ALL SELECT concat_ws(' ', oid, relname, relfilenode) FROM pg_class
            WHERE relnamespace = 'public'::regnamespace ORDER BY 1
            """)
    }

    @Test("are applied once by four concurrent programs")
    func atOnce() async throws {
        let service = ServiceUnderTest(maximumConnections: 8)
        let results = await concurrently(4) { _ in try await Migrator(pool: service.pool).migrate() }
        for result in results { try result.get() }
        let versions = try await service.texts(
            "SELECT version::text FROM schema_migration ORDER BY schema_migration.version")
        #expect(versions == Schema.migrations.map { "\($0.version)" })
        #expect(try await service.rows(of: "lane") == 256)
    }

    @Test("are not applied again")
    func again() async throws {
        let service = ServiceUnderTest()
        let migrator = Migrator(pool: service.pool)
        try await migrator.migrate()
        let before = try await content(service)
        try await migrator.migrate()
        #expect(try await content(service) == before)
        let status = try await migrator.status()
        #expect(status.applied == Self.known)
        #expect(status.known == Self.known)
        try await migrator.requireCurrent()
    }

    @Test("are reported when missing, and not applied by checking")
    func missing() async throws {
        let service = ServiceUnderTest()
        let migrator = Migrator(pool: service.pool)
        let status = try await migrator.status()
        #expect(status.applied == 0)
        #expect(status.known == Self.known)
        let error = SchemaError.missing(applied: 0, known: Self.known)
        await #expect(throws: error) { try await migrator.requireCurrent() }
        #expect(error.code == "not_migrated")
        #expect(try await service.tables().isEmpty)
    }

    @Test("of a newer program are refused")
    func newer() async throws {
        let service = ServiceUnderTest()
        let migrator = Migrator(pool: service.pool)
        try await migrator.migrate()
        try await service.execute("INSERT INTO schema_migration (version, name, checksum) VALUES (99, 'later', 'x')")
        let before = try await content(service)
        let error = SchemaError.newer(applied: 99, known: Self.known)
        await #expect(throws: error) { try await migrator.migrate() }
        await #expect(throws: error) { try await migrator.requireCurrent() }
        await #expect(throws: error) { try await migrator.status() }
        #expect(error.code == "schema_newer")
        #expect(try await content(service) == before)
    }

    @Test("of a database of before the first release are refused, and the refusal says how to move")
    func beforeBaseline() async throws {
        let service = ServiceUnderTest()
        let old = Schema.Migration(
            1, "care_and_lanes", Array("CREATE TABLE account (lane smallint NOT NULL)".utf8))
        try await Migrator(pool: service.pool, migrations: [old]).migrate()
        let migrator = Migrator(pool: service.pool)
        let before = try await service.fingerprint()
        await #expect(throws: SchemaError.beforeBaseline) { try await migrator.migrate() }
        await #expect(throws: SchemaError.beforeBaseline) { try await migrator.requireCurrent() }
        #expect(try await service.fingerprint() == before)
        let error = SchemaError.beforeBaseline
        #expect(error.code == "schema_older")
        #expect(error.description.contains("export each account") && error.description.contains("seed the exports"))
    }

    @Test("changed after being applied are refused")
    func changed() async throws {
        let service = ServiceUnderTest()
        let first = Schema.Migration(1, "first", Array("CREATE TABLE first (id integer)".utf8))
        try await Migrator(pool: service.pool, migrations: [first]).migrate()
        let edited = Schema.Migration(1, "first", Array("CREATE TABLE first (id bigint)".utf8))
        let second = Schema.Migration(2, "second", Array("CREATE TABLE second (id bigint)".utf8))
        let migrator = Migrator(pool: service.pool, migrations: [edited, second])
        await #expect(throws: SchemaError.changed(version: 1)) { try await migrator.migrate() }
        await #expect(throws: SchemaError.changed(version: 1)) { try await migrator.requireCurrent() }
        #expect(try await service.tables() == ["first", "schema_migration"])
    }

    @Test("that fail leave nothing behind; earlier ones stay, and the next attempt continues there")
    func failing() async throws {
        let service = ServiceUnderTest()
        let first = Schema.Migration(1, "first", Array("CREATE TABLE first (id integer)".utf8))
        let broken = Schema.Migration(2, "second", Array("CREATE TABLE second (id integer); SELECT 1 / 0".utf8))
        let failing = Migrator(pool: service.pool, migrations: [first, broken])
        let error = try await #require(throws: PostgresError.self) { try await failing.migrate() }
        #expect(error.sqlState == "22012")
        #expect(try await service.tables() == ["first", "schema_migration"])
        let status = try await failing.status()
        #expect(status.applied == 1)
        await #expect(throws: SchemaError.missing(applied: 1, known: 2)) { try await failing.requireCurrent() }

        let second = Schema.Migration(2, "second", Array("CREATE TABLE second (id integer)".utf8))
        let repaired = Migrator(pool: service.pool, migrations: [first, second])
        try await repaired.migrate()
        try await repaired.requireCurrent()
        #expect(try await service.tables() == ["first", "schema_migration", "second"])
    }

    @Test("are numbered 1, 2, 3 … as listed in Schema")
    func numbers() {
        #expect(Schema.migrations.map(\.version) == Array(1...Self.known))
    }
}

@Suite("The schema", .migratedDatabase, .serialized)
struct SchemaTests {
    @Test("every table, view and column has a comment")
    func comments() async throws {
        let service = ServiceUnderTest()
        let silent = try await service.texts(
            """
            SELECT class.relname || '.' || attribute.attname
            FROM pg_class AS class JOIN pg_attribute AS attribute ON attribute.attrelid = class.oid
            WHERE class.relnamespace = 'public'::regnamespace AND class.relkind IN ('r', 'p', 'v', 'm')
                AND attribute.attnum > 0 AND NOT attribute.attisdropped
                AND (coalesce(col_description(class.oid, attribute.attnum), '') = ''
                    OR coalesce(obj_description(class.oid, 'pg_class'), '') = '')
            """)
        #expect(silent.isEmpty)
    }

    @Test("every type, function and index of ours has a comment")
    func moreComments() async throws {
        let service = ServiceUnderTest()
        let silent = try await service.texts(
            """
            SELECT typname::text FROM pg_type
            WHERE typnamespace = 'public'::regnamespace AND typtype IN ('e', 'd')
                AND coalesce(obj_description(oid, 'pg_type'), '') = ''
            UNION ALL
            SELECT proname::text FROM pg_proc
            WHERE pronamespace = 'public'::regnamespace AND coalesce(obj_description(oid, 'pg_proc'), '') = ''
            UNION ALL
            SELECT class.relname::text FROM pg_class AS class
            WHERE class.relnamespace = 'public'::regnamespace AND class.relkind IN ('i', 'I')
                AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = class.oid)
                AND coalesce(obj_description(class.oid, 'pg_class'), '') = ''
            """)
        #expect(silent.isEmpty)
    }

    @Test("every constraint has a name from a migration, which begins with its table's")
    func constraintNames() async throws {
        let service = ServiceUnderTest()
        let names = try await service.texts(
            """
            SELECT class.relname || ' ' || conname FROM pg_constraint
            JOIN pg_class AS class ON class.oid = conrelid
            WHERE connamespace = 'public'::regnamespace AND contype IN ('p', 'f', 'u', 'c', 'x')
                AND NOT class.relispartition AND class.relname <> 'schema_migration'
            """)
        #expect(names.count > 40)
        let migrations = Schema.migrations.map(\.sql).joined()
        for name in names {
            let parts = name.split(separator: " ")
            #expect(migrations.contains("CONSTRAINT \(parts[1]) "), "\(name)")
            #expect(parts[1].hasPrefix("\(parts[0])_"), "\(name)")
        }
    }

    @Test("every table has a primary key, which begins with the lane except for tables outside the lanes")
    func lanesFirst() async throws {
        let service = ServiceUnderTest()
        let others = try await service.texts(
            """
            SELECT class.relname FROM pg_class AS class
            WHERE class.relnamespace = 'public'::regnamespace AND class.relkind IN ('r', 'p') AND NOT class.relispartition
                AND NOT EXISTS (
                    SELECT FROM pg_index JOIN pg_attribute AS attribute
                        ON attribute.attrelid = class.oid AND attribute.attnum = indkey[0]
                    WHERE indrelid = class.oid AND indisprimary AND attribute.attname = 'lane')
            ORDER BY 1
            """)
        #expect(
            others == [
                "account_email", "account_identity", "account_phone", "database_mark", "device_token", "engine_lock",
                "place", "postcode", "push_day", "schema_migration", "store", "throttle", "verification_code",
            ])
    }

    @Test("every foreign key and unique index begins with the lane, so that it stays inside one shard")
    func keysInsideLanes() async throws {
        let service = ServiceUnderTest()
        let others = try await service.texts(
            """
            SELECT conname FROM pg_constraint JOIN pg_attribute AS attribute
                ON attribute.attrelid = conrelid AND attribute.attnum = conkey[1]
            WHERE connamespace = 'public'::regnamespace AND contype = 'f' AND attribute.attname <> 'lane'
            UNION ALL
            SELECT class.relname FROM pg_index JOIN pg_class AS class ON class.oid = indexrelid
            JOIN pg_attribute AS attribute ON attribute.attrelid = indrelid AND attribute.attnum = indkey[0]
            WHERE class.relnamespace = 'public'::regnamespace AND indisunique AND attribute.attname <> 'lane'
            ORDER BY 1
            """)
        #expect(
            others == [
                "account_email_pkey", "account_identity_pkey", "account_phone_pkey", "database_mark_pkey",
                "device_token_pkey", "engine_lock_pkey", "place_pkey", "postcode_pkey", "push_day_pkey",
                "schema_migration_pkey", "store_by_name", "store_pkey", "throttle_pkey",
                "verification_code_pkey",
            ])
    }

    @Test("every foreign key has an index, so that cascading deletes read no whole tables")
    func servedKeys() async throws {
        let service = ServiceUnderTest()
        let unserved = try await service.texts(
            """
            SELECT conname FROM pg_constraint
            WHERE connamespace = 'public'::regnamespace AND contype = 'f' AND NOT EXISTS (
                SELECT FROM pg_index WHERE indrelid = conrelid
                    AND (indpred IS NULL OR pg_get_expr(indpred, indrelid) = '(account_id IS NOT NULL)'
                        AND 'account_id' IN (SELECT attname FROM pg_attribute WHERE attrelid = conrelid AND attnum = ANY (conkey)))
                    AND (SELECT array_agg(key ORDER BY key) FROM unnest(conkey) AS key) = (
                        SELECT array_agg(key ORDER BY key)
                        FROM unnest(indkey::int2[]) WITH ORDINALITY AS indexed (key, place)
                        WHERE place <= cardinality(conkey)))
            """)
        #expect(unserved.isEmpty)
    }

    @Test("the check of a foreign key finds one index only, so that no plan reads a whole lane for each row")
    func checkedKeys() async throws {
        let service = ServiceUnderTest()
        let misleading = try await service.texts(
            """
            SELECT DISTINCT indexrelid::regclass::text FROM pg_constraint
            JOIN pg_index ON indrelid = confrelid AND indexrelid <> conindid AND indpred IS NULL
            WHERE connamespace = 'public'::regnamespace AND contype = 'f' AND confkey <@ indkey::int2[]
            """)
        #expect(misleading.isEmpty)
    }

    @Test("each of the 256 lanes has its rows, and an account's lane is the last byte of its id")
    func lanes() async throws {
        let service = ServiceUnderTest()
        #expect(try await service.count("SELECT count(*) FROM lane JOIN lane_delivery USING (lane)") == 256)
        for lane in [Lane(0), Lane(7), Lane(255)] {
            let account = try await service.account(
                lane: lane, email: "lane-\(lane)@example.com", at: seoul("2027-02-23T10:00"))
            #expect(account.id.lane == lane)
        }
        #expect(try await service.texts("SELECT lane::text FROM account ORDER BY account.lane") == ["0", "7", "255"])
        let error = try await #require(throws: PostgresError.self) {
            try await service.execute("UPDATE account SET lane = 8 WHERE lane = 7")
        }
        #expect(error.constraint == "account_lane_is_last_byte_of_id")
    }

    @Test("topics have the same order in the database as in the rules, which cursors depend on")
    func kinds() async throws {
        let service = ServiceUnderTest()
        let labels = try await service.texts("SELECT unnest(enum_range(NULL::topic))::text")
        #expect(labels == (Topic.ofPlants + Topic.ofThings + Topic.ofLists).map(\.label))
        let others: [(name: String, labels: [String])] = [
            ("identity_provider", IdentityProvider.allCases.map(\.rawValue)),
            ("language", Language.allCases.map(\.rawValue)), ("contact_method", ContactMethod.allCases.map(\.rawValue)),
            ("due_source", Plant.DueSource.allCases.map(\.rawValue)),
            ("affection_reason", AffectionReason.allCases.map(\.rawValue)),
            ("device_platform", Device.Platform.allCases.map(\.rawValue)),
            ("push_outcome_kind", PushOutcome.allCases.map(\.rawValue)),
            ("device_outcome", DeviceOutcome.allCases.map(\.rawValue)),
        ]
        for other in others {
            let found = try await service.texts("SELECT unnest(enum_range(NULL::\(other.name)))::text")
            #expect(found == other.labels)
        }
    }
}

@Suite("Partitions", .migratedDatabase, .serialized)
struct PartitionTests {
    private func partitions(of table: String, _ service: ServiceUnderTest) async throws -> [String] {
        try await service.texts(
            """
            SELECT relname FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
            WHERE inhparent = $1::regclass ORDER BY 1
            """, [table])
    }

    @Test("of the calendar are made on demand, by month in UTC, however far ahead an occurrence is")
    func calendar() async throws {
        let service = ServiceUnderTest()
        #expect(try await partitions(of: "occurrence", service).isEmpty)
        _ = try await service.garden()
        #expect(try await partitions(of: "occurrence", service) == ["occurrence_202703"])
        let later = try instant("2041-12-20T10:00:00+09:00")
        let account = try await service.account(email: "later@example.com", at: later)
        _ = try await service.friend(of: account, cycle: 90, at: later)
        _ = try await service.friend(of: account, number: 2, cycle: 12, alarm: "08:59", at: later)
        #expect(
            try await partitions(of: "occurrence", service)
                == ["occurrence_202703", "occurrence_204112", "occurrence_204203"])
        // 1 January at 08:59 in Seoul is still December in UTC.
        #expect(try await service.rows(of: "occurrence_204112") == 1)
    }

    @Test("of the log are made on demand, by day or month of the database's clock")
    func log() async throws {
        let service = ServiceUnderTest()
        let (_, plant) = try await service.garden()
        let now = try seoul("2027-03-02T09:00")
        _ = try await service.store(at: now.adding(minutes: -1)).removeFriend(plant.reference)
        try await service.run(at: now)
        let tables = [
            "occurrence_outcome", "push_device_outcome", "push_job", "sent_push", "push_outcome", "push_receipt",
        ]
        for table in tables {
            let made = try await partitions(of: table, service)
            #expect(made.count == 1)
            let form = table == "push_outcome" ? "_YYYYMM" : "_YYYYMMDD"
            let matches = try await service.count(
                "SELECT count(*) FROM occurrence_outcome WHERE $1 = $2 || to_char(recorded_at AT TIME ZONE 'UTC', $3)",
                [made.first, table, form])
            #expect(matches == 1)
        }
    }

    @Test("are made once by eight concurrent programs that need the same one")
    func atOnce() async throws {
        let service = ServiceUnderTest(maximumConnections: 8)
        let at = try instant("2031-05-05T00:00:00Z")
        let results = await concurrently(8) { number in
            let sql =
                number.isMultiple(of: 2)
                ? "SELECT make_partition('occurrence', 'month', $1) IS NULL" : "SELECT make_log_partitions($1) IS NULL"
            _ = try await service.pool.withConnection { connection in try await connection.query("\(sql)", [at]) }
        }
        for result in results { try result.get() }
        #expect(try await partitions(of: "occurrence", service) == ["occurrence_203105"])
        #expect(try await partitions(of: "push_job", service) == ["push_job_20310505"])
    }

    @Test("are made alongside commands in flight for other accounts")
    func besideCommands() async throws {
        let service = ServiceUnderTest(maximumConnections: 8)
        let (_, plant) = try await service.garden(lane: Lane(1))
        let later = try instant("2041-12-20T10:00:00+09:00")
        let account = try await service.account(lane: Lane(2), email: "later@example.com", at: later)
        try await service.pool.withConnection { connection in
            try await connection.script("BEGIN")
            try await connection.execute(
                "INSERT INTO occurrence SELECT lane, at + interval '1 hour', account_id, subject_id, topic, ref FROM occurrence"
            )
            // Must not wait for the command above, or this test would never end.
            _ = try await service.friend(of: account, cycle: 90, at: later)
            try await connection.script("COMMIT")
        }
        #expect(try await service.count("SELECT count(*) FROM occurrence WHERE subject_id = $1", [plant.id]) == 2)
    }
}

import CherishCore
import CherishTestSupport
import Postgres
import Testing

@testable import CherishStore

@Suite("Replanning gardens in pieces", .migratedDatabase, .serialized)
struct ReplanningTests {
    private static let atNewYork = "2027-03-02T14:00:00Z"

    /// A garden of eleven plants, all due at 09:00 on 2 March in Seoul.
    private func garden(_ service: ServiceUnderTest) async throws -> Account {
        let (account, plant) = try await service.garden()
        try await service.multiply(plant, by: 10)
        return account
    }

    private func store(_ service: ServiceUnderTest, pieces: Int = 3) throws -> CareStore {
        var store = service.store(at: try seoul("2027-02-24T10:00"))
        store.replanningPiece = pieces
        return store
    }

    private func zone(_ name: String) -> AccountEdit {
        var edit = AccountEdit()
        edit.timeZone = name
        return edit
    }

    /// How many plants point at an instant that is in the calendar.
    private func pointing(at instant: String, _ service: ServiceUnderTest) async throws -> Int {
        try await service.count(
            """
            SELECT count(*) FROM plant JOIN occurrence AS planned
                ON planned.lane = plant.lane AND planned.at = plant.alarm_at AND planned.subject_id = plant.id
            WHERE plant.alarm_at = $1::text::timestamptz
            """, [instant])
    }

    /// Refuses changes to the seventh plant.
    private func obstruct(_ service: ServiceUnderTest) async throws {
        try await service.pool.withConnection { connection in
            try await connection.script(
                """
                CREATE FUNCTION obstruct() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    IF NEW.id = (SELECT id FROM plant ORDER BY id OFFSET 6 LIMIT 1) THEN RAISE 'not this one'; END IF;
                    RETURN NEW;
                END $$;
                CREATE TRIGGER obstruct BEFORE UPDATE ON plant FOR EACH ROW EXECUTE FUNCTION obstruct();
                """)
        }
    }

    @Test("7.5: pieces of any size give the same result", arguments: [1, 3, 11, 12, 2_000])
    func sizes(pieces: Int) async throws {
        let service = ServiceUnderTest()
        let account = try await garden(service)
        let edited = try await store(service, pieces: pieces).editAccount(account.id, zone("America/New_York"))
        #expect(edited.timeZone == "America/New_York")
        #expect(try await pointing(at: Self.atNewYork, service) == 11)
        #expect(try await service.store(at: seoul("2027-02-24T10:00")).accountsToReplan().isEmpty)
    }

    @Test("an interrupted edit is kept, and the next command or worker completes it", arguments: [true, false])
    func interrupted(byEdit: Bool) async throws {
        let service = ServiceUnderTest()
        let account = try await garden(service)
        let store = try store(service)
        try await obstruct(service)
        await #expect(throws: PostgresError.self) {
            try await store.editAccount(account.id, zone("America/New_York"))
        }
        #expect(try await store.account(account.id.description).timeZone == "America/New_York")
        #expect(try await store.accountsToReplan() == [account.id])
        #expect(try await pointing(at: Self.atNewYork, service) == 6)
        await #expect(throws: PostgresError.self) { try await store.resumeReplanning() }

        try await service.execute("DROP TRIGGER obstruct ON plant")
        if byEdit {
            var edit = AccountEdit()
            edit.nickname = try Nickname("Minji")
            _ = try await store.editAccount(account.id, edit)
        } else {
            #expect(try await store.resumeReplanning() == 1)
        }
        #expect(try await pointing(at: Self.atNewYork, service) == 11)
        #expect(try await store.accountsToReplan().isEmpty)
        #expect(try await store.resumeReplanning() == 0)
    }

    @Test("a locked account is left for the next round, without waiting")
    func held() async throws {
        let service = ServiceUnderTest()
        let account = try await garden(service)
        let store = try store(service)
        try await service.execute("UPDATE account SET replan_after = '00000000-0000-0000-0000-000000000000'")
        try await service.pool.withConnection { connection in
            try await connection.script("BEGIN; SELECT FROM account FOR UPDATE")
            #expect(try await store.resumeReplanning() == 0)
            #expect(try await store.accountsToReplan() == [account.id])
            try await connection.script("ROLLBACK")
        }
        #expect(try await store.resumeReplanning() == 1)
        #expect(try await store.accountsToReplan().isEmpty)
    }

    @Test("7.2: an alarm reached before its plant was replanned stays reached, and comes once")
    func reachedInBetween() async throws {
        let service = ServiceUnderTest()
        let account = try await garden(service)
        let store = try store(service)
        try await obstruct(service)
        await #expect(throws: PostgresError.self) {
            try await store.editAccount(account.id, zone("America/New_York"))
        }
        try await service.execute("DROP TRIGGER obstruct ON plant")
        try await service.run(at: seoul("2027-03-02T09:00"))
        #expect(await service.sender.sent.count == 5)
        #expect(try await service.store(at: seoul("2027-03-02T09:10")).resumeReplanning() == 1)
        try await service.run(at: instant(Self.atNewYork))
        #expect(await service.sender.sent.count == 11)
        #expect(Set(await service.sender.sent.map(\.plantID)).count == 11)
        #expect(try await service.unaccounted(upTo: instant(Self.atNewYork)).isEmpty)
    }

    @Test("concurrent edits and workers: all plants end up planned by the account's final zone")
    func atOnce() async throws {
        let service = ServiceUnderTest(maximumConnections: 8)
        let account = try await garden(service)
        let store = try store(service)
        let zones = ["America/New_York", "Europe/Berlin", "Asia/Tokyo", "Pacific/Kiritimati"]
        let results = await concurrently(8) { number in
            if number.isMultiple(of: 2) {
                _ = try await store.editAccount(account.id, zone(zones[number / 2 - 1]))
            } else {
                try await store.resumeReplanning()
            }
        }
        for result in results { try result.get() }
        let final = try await store.account(account.id.description)
        let alarm = try ServiceUnderTest.zones.rules(final.timeZone).firstInstant(
            on: civilDay("2027-03-02"), at: .defaultAlarm)
        #expect(try await pointing(at: alarm.description, service) == 11)
        #expect(try await store.accountsToReplan().isEmpty)
    }

    @Test("a broken row does not keep other plants from being replanned")
    func brokenRow() async throws {
        let service = ServiceUnderTest()
        let account = try await garden(service)
        try await service.execute(
            "ALTER TABLE plant DROP CONSTRAINT plant_cycle_days_range")
        try await service.execute(
            "UPDATE plant SET cycle_days = 500 WHERE id = (SELECT id FROM plant ORDER BY id OFFSET 4 LIMIT 1)")
        _ = try await store(service).editAccount(account.id, zone("America/New_York"))
        #expect(try await pointing(at: Self.atNewYork, service) == 10)
        #expect(try await service.store(at: seoul("2027-02-24T10:00")).accountsToReplan().isEmpty)
    }

    // MARK: - Without statistics

    @Test("a large garden right after its import: commands read each friend a few times, not quadratically")
    func withoutStatistics() async throws {
        let count = 4_000
        let service = ServiceUnderTest(maximumConnections: 1)
        for table in ["plant", "plant_tag", "cycle_change", "import_change", "watering"] {
            try await service.execute("ALTER TABLE \(table) SET (autovacuum_enabled = false)")
        }
        let (account, plant) = try await service.garden()
        try await service.multiply(plant, by: count - 1)
        let store = service.store(at: try seoul("2027-02-24T10:00"))

        var before = try await service.rowsRead()
        _ = try await store.editAccount(account.id, zone("America/New_York"))
        #expect(try await service.rowsRead() - before < 20 * count)
        #expect(try await pointing(at: Self.atNewYork, service) == count)

        // Every friend has another name now, and a tag.
        let contacts = try (1..<count).map { number in
            FriendContact(
                name: try ContactName("김두리"), phones: [try PhoneNumber(e164: "+8220\(10_000_000 + number)")],
                tags: [try TagName("가족")])
        }
        before = try await service.rowsRead()
        let imported = try await store.importFriends(
            contacts, to: account.id, importOptions(merging: true), fileName: "contacts.vcf")
        #expect(try await service.rowsRead() - before < 30 * count)
        #expect(try await service.count("SELECT count(*) FROM plant WHERE name = '김두리'") == count - 1)

        before = try await service.rowsRead()
        let batch = try #require(imported.batchID)
        let undone = try await store.undoImport(batch.description)
        #expect(undone.revertedCount == count - 1)
        #expect(try await service.rowsRead() - before < 40 * count)
        #expect(try await service.count("SELECT count(*) FROM plant WHERE name = '김두리'") == 0)
    }

    @Test("with statistics of other lanes only, checking keys does not read the whole lane per friend")
    func statisticsOfOthers() async throws {
        let count = 300
        let service = ServiceUnderTest(maximumConnections: 1)
        try await service.execute("ALTER TABLE plant SET (autovacuum_enabled = false)")
        let (_, other) = try await service.garden(lane: Lane(1), email: "jun@example.com")
        try await service.multiply(other, by: count)
        try await service.execute("ANALYZE plant")
        let (account, plant) = try await service.garden(lane: Lane(2))
        try await service.multiply(plant, by: count)

        // The planner assumes an empty lane, so this index looks as good as any for finding one friend.
        func scansOfTheWholeLane() async throws -> Int {
            try await service.execute("SELECT pg_stat_force_next_flush()")
            return try await ServiceUnderTest(maximumConnections: 1).count(
                "SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 'plant_by_account'")
        }
        let contacts = try (1...count).map { number in
            FriendContact(
                name: try ContactName("김두리"), phones: [try PhoneNumber(e164: "+8220\(10_000_000 + number)")],
                tags: [try TagName("가족")])
        }
        let store = service.store(at: try seoul("2027-02-24T10:00"))
        try await service.execute("UPDATE plant SET removed_at = now(), alarm_at = NULL WHERE lane = 2")
        let before = try await scansOfTheWholeLane()
        _ = try await store.importFriends(
            contacts, to: account.id, importOptions(restoring: true), fileName: "contacts.vcf")
        #expect(try await scansOfTheWholeLane() - before < 30)
        #expect(try await service.count("SELECT count(*) FROM plant_tag WHERE lane = 2") == count)
        #expect(try await service.count("SELECT count(*) FROM cycle_change WHERE lane = 2") > count)
    }

    @Test("after a large import, programs update the planner's statistics; sessions for one account do not")
    func analyzed() async throws {
        let service = ServiceUnderTest()
        try await service.execute("ALTER TABLE plant SET (autovacuum_enabled = false)")
        let (_, plant) = try await service.garden()
        try await service.multiply(plant, by: 300)
        let name = TestDatabase.current.name
        _ = try await Roles(
            pool: service.pool, application: "app_\(name)", reporting: "reader_\(name)", account: "account_\(name)"
        ).establish()
        let session = ServiceUnderTest(role: "account_\(name)", settings: ["search_path": "garden,public"])
        await session.store(at: try seoul("2027-02-24T10:00")).analyzeGardens()
        #expect(try await plantsKnown(service) == 0)
        let program = ServiceUnderTest(role: "app_\(name)")
        await program.store(at: try seoul("2027-02-24T10:00")).analyzeGardens()
        #expect(try await plantsKnown(service) == 301)
    }

    @Test("statistics wait for autovacuum to give way")
    func analyzedBesideAutovacuum() async throws {
        let service = ServiceUnderTest()
        try await service.execute("ALTER TABLE plant SET (autovacuum_enabled = false)")
        let (_, plant) = try await service.garden()
        try await service.multiply(plant, by: 300)
        // As autovacuum does, for longer than deadlock_timeout, after which it gives way.
        async let vacuuming: Void = service.pool.withConnection { connection in
            try await connection.script(
                "BEGIN; LOCK TABLE plant IN SHARE UPDATE EXCLUSIVE MODE; SELECT pg_sleep(1.5); COMMIT")
        }
        try await eventually("the table is locked") {
            try await service.count(
                """
                SELECT count(*) FROM pg_locks
                WHERE relation = 'plant'::regclass AND mode = 'ShareUpdateExclusiveLock'
                """) == 1
        }
        await service.store(at: try seoul("2027-02-24T10:00")).analyzeGardens()
        try await vacuuming
        #expect(try await plantsKnown(service) == 301)
    }

    @Test("while the planner believes the gardens empty, a plant is found by its id, and a garden by its account")
    func foundWithoutStatistics() async throws {
        let service = ServiceUnderTest()
        let (_, plant) = try await service.garden()
        try await service.multiply(plant, by: 300)
        // As after VACUUM beside an import that is not committed: pages, and no row in them.
        try await service.execute(
            """
            UPDATE pg_class SET reltuples = 0, relpages = pg_relation_size(oid) / 8192 WHERE oid = 'plant'::regclass
            """)
        func plan(_ condition: SQL) async throws -> String {
            try await service.texts(
                "EXPLAIN SELECT FROM ONLY plant AS x WHERE lane = 2 AND \(condition) FOR KEY SHARE OF x"
            )
            .joined()
        }
        let id = "'00000000-0000-0000-0000-000000000000'" as SQL
        // The check of a foreign key.
        #expect(try await plan("id = \(id)").contains("plant_pkey"))
        for condition: SQL in ["account_id = \(id)", "account_id = ANY (ARRAY[\(id), \(id)]::uuid[])"] {
            #expect(try await plan(condition).contains("plant_by_account"))
        }
    }

    /// How many plants the planner assumes; 0 before the first ANALYZE.
    private func plantsKnown(_ service: ServiceUnderTest) async throws -> Int {
        try await service.count("SELECT greatest(reltuples, 0)::int8 FROM pg_class WHERE oid = 'plant'::regclass")
    }

    @Test("an import of more than 5,000 friends and taggings updates the planner's statistics")
    func analyzedByImport() async throws {
        let service = ServiceUnderTest()
        try await service.execute("ALTER TABLE plant SET (autovacuum_enabled = false)")
        let (account, _) = try await service.garden()
        let tags = try (1...10).map { try TagName("tag \($0)") }
        let contacts = try (1...500).map { number in
            FriendContact(
                name: try ContactName("김두리"), phones: [try PhoneNumber(e164: "+8220\(10_000_000 + number)")],
                tags: tags)
        }
        let store = service.store(at: try seoul("2027-02-24T10:00"))
        _ = try await store.importFriends(contacts, to: account.id, importOptions(), fileName: "contacts.vcf")
        #expect(try await service.rows(of: "plant_tag") == 5_000)
        #expect(try await plantsKnown(service) == 501)
    }
}

import CherishTestSupport
import Simulation
import Testing

@Suite("The simulation", .migratedDatabase, .serialized)
struct SimulationTests {
    private func run(
        days: Int = 60, seed: UInt64 = 7, usesPhones: Bool = false, dailyCap: Int = 2,
        _ variant: SimulationVariant = SimulationVariant()
    ) async throws -> SimulationReport {
        var settings = SimulationSettings(days: days, accounts: 20, seed: seed)
        settings.usesPhones = usesPhones
        settings.dailyCap = dailyCap
        let database = TestDatabase.current.connectionString
        return try await Simulation(settings, connectionString: database, variant: variant).run()
    }

    /// What a short run finds in a broken engine.
    private func promisesBroken(
        by variant: SimulationVariant, within days: Int = 60, usesPhones: Bool = false, dailyCap: Int = 2
    ) async throws -> Set<Violation.Promise> {
        let report = try await run(days: days, usesPhones: usesPhones, dailyCap: dailyCap, variant)
        // A statement that does not even run breaks no promise.
        #expect(!report.violations.contains { $0.what.contains("failed: server 42") }, "\(report.text)")
        return Set(report.violations.map(\.promise))
    }

    /// An engine some of whose statements are others.
    private func commands(_ rewrite: @escaping @Sendable (String) -> String) -> SimulationVariant {
        var variant = SimulationVariant()
        variant.commandStatement = rewrite
        return variant
    }

    private func workers(_ rewrite: @escaping @Sendable (String) -> String) -> SimulationVariant {
        var variant = SimulationVariant()
        variant.workerStatement = rewrite
        return variant
    }

    // MARK: The engine as it is

    @Test("keeps all promises, whatever goes wrong", arguments: zip([7, 8] as [UInt64], [true, false]))
    func keepsPromises(seed: UInt64, usesPhones: Bool) async throws {
        let report = try await run(seed: seed, usesPhones: usesPhones)
        #expect(report.violations.isEmpty, "\(report.text)")
        // It has to have happened, or nothing was tried.
        #expect(report.days == 60)
        #expect(report.acts.count >= 13, "\(report.acts)")
        #expect(report.pushes["watering_due", default: 0] > 50 && report.pushes["review_missing", default: 0] > 30)
        #expect(report.pushes["birthday", default: 0] > 5 && report.pushes["withered", default: 0] > 20)
        #expect((report.pushes["digest", default: 0] > 5) == usesPhones, "\(report.pushes)")
        #expect((report.pushes["several watering_due", default: 0] > 5) == usesPhones, "\(report.pushes)")
        let wanted = ["change birthday"] + (usesPhones ? ["add phone", "remove phone", "uninstall"] : [])
        for act in wanted { #expect(report.acts[act, default: 0] > 0, "no \(act) in \(report.acts)") }
        #expect((report.pushes["several review_missing", default: 0] > 0) == usesPhones, "\(report.pushes)")
        #expect(report.faults.count >= 12 && report.repetitions > 0, "\(report.faults)")
        #expect(report.checks > 10_000)
    }

    @Test("keeps them when delivery is told in short: what is broken below is what is found")
    func keepsPromisesInShort() async throws {
        let report = try await run(days: 40, BrokenDelivery().variant)
        #expect(report.violations.isEmpty, "\(report.text)")
    }

    @Test("the same seed gives the same history, another one another")
    func sameSeed() async throws {
        var digests: [String] = []
        for seed in [3, 3, 4] as [UInt64] {
            let report = try await Simulation.onPrivateCluster(
                SimulationSettings(days: 8, accounts: 8, seed: seed), progress: { _ in })
            #expect(report.violations.isEmpty, "\(report.text)")
            digests.append(report.digest)
        }
        #expect(digests[0] == digests[1])
        #expect(digests[0] != digests[2])
    }

    // MARK: Engines that are broken

    @Test("finds that a receipt is written without looking at the fence")
    func noFence() async throws {
        let found = try await promisesBroken(
            by: workers { sql in
                guard sql.contains("held AS") else { return sql }
                return sql.replacing("fence = $2 AND leased_by = $3", with: "$2::bigint > 0 AND $3::text <> ''")
            })
        #expect(found.contains(.oneOutcome))
    }

    @Test("finds that the cursor is moved before anything is sent")
    func recordsFirst() async throws {
        let found = try await promisesBroken(by: BrokenDelivery(recordsFirst: true).variant)
        #expect(found.contains(.nothingLost))
    }

    @Test("finds that an occurrence is added behind the cursor")
    func behindTheCursor() async throws {
        let found = try await promisesBroken(
            by: commands { sql in
                guard sql.hasSuffix("FOR SHARE") else { return sql }
                return sql.replacing("cursor_at FROM lane", with: "timestamptz 'epoch' FROM lane")
            })
        #expect(!found.isDisjoint(with: [.oneOutcome, .nothingLost]))
    }

    @Test("finds that the lane's lock and its calendar are seen as of one moment")
    func lockAndReadAtOnce() async throws {
        let found = try await promisesBroken(
            by: workers { $0.replacing("ISOLATION LEVEL READ COMMITTED", with: "ISOLATION LEVEL REPEATABLE READ") })
        #expect(!found.isDisjoint(with: [.oneOutcome, .nothingLost]))
    }

    @Test("finds that the second look is left out")
    func noSecondLook() async throws {
        let hasty = BrokenDelivery(look: { verdict in
            if case .wait = verdict { return verdict }
            return .send
        })
        let found = try await promisesBroken(by: hasty.variant, within: 365)
        #expect(!found.isDisjoint(with: [.notWhenDone, .switchedOff, .archived]))
    }

    @Test("finds that quiet hours are ignored")
    func noQuietHours() async throws {
        let ignoring = BrokenDelivery(look: { verdict in
            if case .wait = verdict { return .send }
            return verdict
        })
        let found = try await promisesBroken(by: ignoring.variant)
        #expect(found.contains(.quietHours))
    }

    @Test("finds that affection is not in the ledger")
    func noLedger() async throws {
        let found = try await promisesBroken(
            by: commands { sql in
                guard sql.hasPrefix("INSERT INTO affection_entry") else { return sql }
                let end = sql.replacing("VALUES (", with: "SELECT ")
                return String(end.dropLast()) + " WHERE false"
            })
        #expect(found.contains(.affection))
    }

    @Test("finds that D-day is counted in UTC")
    func dDayInUTC() async throws {
        let found = try await promisesBroken(
            by: commands { sql in
                sql.hasPrefix("SELECT id, email") ? sql.replacing("time_zone", with: "'UTC'::text") : sql
            })
        #expect(found.contains(.dueDate))
    }

    @Test("finds that a plant is called withered though it was watered")
    func wateredPlantsWither() async throws {
        let found = try await promisesBroken(
            by: workers { sql in
                let planned = sql.contains("CASE job.kind") ? "job" : "due"
                return sql.replacing("ELSE plant.due_on - date '1970-01-01' END", with: "ELSE \(planned).subject END")
                    .replacing("THEN plant.withered_at END", with: "THEN \(planned).planned_at END")
            })
        #expect(found.contains(.notWhenDone))
    }

    @Test("finds that a birthday is forgotten once the next one is planned")
    func forgottenBirthdays() async throws {
        let found = try await promisesBroken(
            by: workers { $0.replacing("plant.passed_birthday_at = job.planned_at", with: "false") })
        #expect(found.contains(.nothingLost))
    }

    @Test("finds that birthday and withered pushes come to those who switched them off")
    func unaskedPushes() async throws {
        let found = try await promisesBroken(
            by: workers { sql in
                guard sql.hasPrefix("SELECT account.id, time_zone") else { return sql }
                return sql.replacing("birthday_pushes, withered_pushes", with: "true, true")
            })
        #expect(found.contains(.switchedOff))
    }

    @Test("finds that nobody remembers what an account was told")
    func forgottenNotices() async throws {
        let found = try await promisesBroken(
            by: workers { sql in
                guard sql.hasPrefix("SELECT account_id, collapse_id") else { return sql }
                return sql.replacing("WHERE lane = $1", with: "WHERE false AND lane = $1")
            }, usesPhones: true)
        #expect(found.contains(.dailyCap))
    }

    @Test("finds that a digest tells of plants that another push told of")
    func toldTwice() async throws {
        let found = try await promisesBroken(
            by: workers { $0.replacing("told.plant_ids::uuid[]", with: "'{}'::uuid[]") }, within: 180,
            usesPhones: true, dailyCap: 1)
        #expect(found.contains(.sentOnce))
    }

    @Test("finds that a push speaks only of the plants of its batch")
    func withoutCompanions() async throws {
        let found = try await promisesBroken(
            by: workers { $0.replacing("WHERE pointer.kind = wanted.kind", with: "WHERE false") }, usesPhones: true)
        #expect(found.contains(.folding))
    }

    @Test("finds that a push speaks of plants whose review was written")
    func companionsWithReviews() async throws {
        let found = try await promisesBroken(
            by: workers { sql in
                guard sql.contains("AS wanted (account_id, kind, minute)") else { return sql }
                return sql.replacing("watering.is_review_declined, watering.is_reviewed", with: "false, false")
            }, usesPhones: true)
        #expect(found.contains(.folding))
    }

    @Test("finds that pushes count as told by a digest that nobody got")
    func digestThatNeverCame() async throws {
        // Every day on which an account was told anything looks as if it had its digest.
        let digests = """
             UNION ALL SELECT account_id, concat('digest-', told_on), told_on, '{}'::uuid[] FROM push_notice
            WHERE lane = $1 AND account_id = ANY ($2)
            """
        let found = try await promisesBroken(
            by: workers { $0.hasPrefix("SELECT account_id, collapse_id") ? $0 + digests : $0 }, usesPhones: true)
        #expect(found.contains(.nothingLost))
    }

    @Test("finds that a phone whose provider says that it is gone is not retired")
    func deadPhones() async throws {
        let found = try await promisesBroken(
            by: workers { $0.replacing("device.added_at <= dead.since", with: "false") }, usesPhones: true)
        #expect(found.contains(.deadPhones))
    }

    @Test("finds that the alarms of removed plants ring")
    func archivedPlantsRing() async throws {
        let found = try await promisesBroken(
            by: workers { $0.replacing("plant.archived_at IS NOT NULL", with: "false") })
        #expect(found.contains(.archived))
    }
}

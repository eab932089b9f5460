import CherishCore
import CherishStore
import CherishTestSupport
import Simulation
import Testing

@Suite("The simulation", .migratedDatabase)
struct SimulationTests {
    private func run(
        days: Int, usesPhones: Bool = false, dailyCap: Int = 2, _ variant: SimulationVariant
    ) async throws -> SimulationReport {
        var settings = SimulationSettings(days: days, accounts: 20, seed: 7)
        settings.usesPhones = usesPhones
        settings.dailyCap = dailyCap
        let database = TestDatabase.current.connectionString
        return try await Simulation(settings, connectionString: database, variant: variant).run()
    }

    /// The violations a short run finds in an engine with broken commands or workers.
    private func violations(
        commands: Mutations = Mutations(), workers: Mutations = Mutations(), delivery: BrokenDelivery? = nil,
        within days: Int = 60, usesPhones: Bool = false, dailyCap: Int = 2
    ) async throws -> [Violation] {
        var variant = delivery?.variant ?? SimulationVariant()
        variant.commandStatement = { commands.apply(to: $0) }
        variant.workerStatement = { workers.apply(to: $0) }
        let report = try await run(days: days, usesPhones: usesPhones, dailyCap: dailyCap, variant)
        let withoutEffect = commands.withoutEffect.union(workers.withoutEffect)
        #expect(withoutEffect.isEmpty, "the engine was not broken: no statement has this part")
        // A statement that fails to run at all breaks no promise.
        #expect(!report.violations.contains { $0.what.contains("failed: server 42") }, "\(report.text)")
        return report.violations
    }

    /// The promises broken. No test asks whether workers make progress, because any error stops them.
    private func promisesBroken(
        commands: Mutations = Mutations(), workers: Mutations = Mutations(), delivery: BrokenDelivery? = nil,
        within days: Int = 60, usesPhones: Bool = false, dailyCap: Int = 2
    ) async throws -> Set<Violation.Promise> {
        let found = try await violations(
            commands: commands, workers: workers, delivery: delivery, within: days, usesPhones: usesPhones,
            dailyCap: dailyCap)
        return Set(found.map(\.promise))
    }

    // MARK: The engine as it is

    @Test("keeps all promises, whatever goes wrong")
    func keepsPromises() async throws {
        var happened: Set<String> = []
        for (seed, usesPhones) in [(7, true), (8, false)] as [(UInt64, Bool)] {
            var settings = SimulationSettings(days: 60, accounts: 20, seed: seed)
            settings.usesPhones = usesPhones
            let report = try await Simulation.onPrivateCluster(settings, progress: { _ in })
            #expect(report.violations.isEmpty, "\(report.text)")
            expectPushes(in: report)
            expectActsAndFaults(in: report)
            happened.formUnion(Array(report.acts.keys) + Array(report.faults.keys))
        }
        // Too rare for every history of sixty days.
        let wanted = [
            "leave", "bring back", "worker: killed before a statement", "worker: killed after a statement",
            "worker: cut before a statement", "worker: cut after a statement", "worker: answer of a commit lost",
        ]
        for name in wanted { #expect(happened.contains(name), "no \(name) in \(happened)") }
    }

    private func expectPushes(in report: SimulationReport) {
        let usesPhones = report.settings.usesPhones
        #expect(report.pushes["watering_due", default: 0] > 50 && report.pushes["review_missing", default: 0] > 30)
        #expect(report.pushes["birthday", default: 0] > 5 && report.pushes["withered", default: 0] > 20)
        #expect((report.pushes["digest", default: 0] > 5) == usesPhones, "\(report.pushes)")
        #expect((report.pushes["several watering_due", default: 0] > 5) == usesPhones, "\(report.pushes)")
        #expect((report.pushes["several review_missing", default: 0] > 0) == usesPhones, "\(report.pushes)")
    }

    /// Without acts and faults, nothing would have been tested.
    private func expectActsAndFaults(in report: SimulationReport) {
        #expect(report.days == 60)
        #expect(report.acts.count >= 13, "\(report.acts)")
        let acts = [
            "travel", "change cycle", "change alarm", "change birthday", "switch pushes", "switch plant", "postpone",
            "review", "decline", "archive", "change end of day",
        ]
        let phoneActs = report.settings.usesPhones ? ["add phone", "remove phone", "uninstall"] : []
        for act in acts + phoneActs { #expect(report.acts[act, default: 0] > 0, "no \(act) in \(report.acts)") }
        let faults = [
            "people: answer of a commit lost", "provider outage", "answer of a provider lost",
            "lease ran out while sending", "sessions cut off", "clock jump", "scheduler during a command",
        ]
        for fault in faults { #expect(report.faults[fault, default: 0] > 0, "no \(fault) in \(report.faults)") }
        #expect(report.faults.count >= 13 && report.repetitions > 0, "\(report.faults)")
        #expect(report.checks > 10_000)
    }

    @Test("keeps them with two workers and with four", arguments: [2, 4])
    func keepsPromisesOfWorkers(count: Int) async throws {
        let settings = SimulationSettings(days: 10, accounts: 10, seed: 9, workers: count)
        let report = try await Simulation(settings, connectionString: TestDatabase.current.connectionString).run()
        #expect(report.violations.isEmpty, "\(report.text)")
        #expect(report.days == 10 && report.pushes["watering_due", default: 0] > 0, "\(report.text)")
    }

    @Test("keeps them with the short delivery, so violations below come from the breakage", .inLongRuns)
    func keepsPromisesInShort() async throws {
        let report = try await run(days: 40, BrokenDelivery().variant)
        #expect(report.violations.isEmpty, "\(report.text)")
    }

    @Test("the same seed gives the same history, another seed another")
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

    @Test("finds a receipt written without checking the fence")
    func noFence() async throws {
        let found = try await violations(
            workers: Mutations([.fence: { _ in "$2::bigint > 0 AND $3::text <> ''" }, .leaseHolder: { _ in "$3" }]))
        // The keys of receipts and outcomes may refuse a batch's second receipt before the oracle looks for it.
        let isFound = found.contains { $0.promise == .oneOutcome || $0.what.contains("failed: server 23505") }
        #expect(isFound, "\(found)")
    }

    @Test("finds a cursor moved before anything is sent")
    func recordsFirst() async throws {
        let found = try await promisesBroken(delivery: BrokenDelivery(recordsFirst: true))
        #expect(found.contains(.nothingLost))
    }

    @Test("finds an occurrence added behind the cursor")
    func behindTheCursor() async throws {
        let found = try await promisesBroken(commands: Mutations([.laneCursor: { _ in "timestamptz 'epoch'" }]))
        #expect(!found.isDisjoint(with: [.oneOutcome, .nothingLost]))
    }

    @Test("finds a lane's lock and calendar read from one snapshot")
    func lockAndReadAtOnce() async throws {
        let found = try await promisesBroken(
            workers: Mutations(begin: { $0.replacing("READ COMMITTED", with: "REPEATABLE READ") }))
        #expect(!found.isDisjoint(with: [.oneOutcome, .nothingLost]))
    }

    @Test("finds a missing second look", .inLongRuns)
    func noSecondLook() async throws {
        let hasty = BrokenDelivery(look: { verdict in
            if case .wait = verdict { return verdict }
            return .send
        })
        let found = try await promisesBroken(delivery: hasty, within: 365)
        #expect(!found.isDisjoint(with: [.notWhenDone, .switchedOff, .archived]))
    }

    @Test("finds ignored quiet hours")
    func noQuietHours() async throws {
        let ignoring = BrokenDelivery(look: { verdict in
            if case .wait = verdict { return .send }
            return verdict
        })
        let found = try await promisesBroken(delivery: ignoring)
        #expect(found.contains(.quietHours))
    }

    @Test("finds a command that notes less than it has changed")
    func notesTooLittle() async throws {
        // Of several items the first alone, such as a friend without its watering.
        let found = try await promisesBroken(
            commands: Mutations([
                .notedChanges: { _ in
                    "note_changes($1, $2, $3, ($4::text[]::change_kind[])[1:1], ($5::uuid[])[1:1], ($6::integer[])[1:1])"
                }
            ]))
        #expect(found == [.onEveryDevice])
    }

    @Test("finds affection missing from the ledger")
    func noLedger() async throws {
        let found = try await promisesBroken(
            commands: Mutations([
                .ledgerEntry: { row in
                    String(row.replacing("VALUES (", with: "SELECT ").dropLast()) + " WHERE false"
                }
            ]))
        #expect(found.contains(.affection))
    }

    @Test("finds D-days counted in UTC")
    func dDayInUTC() async throws {
        let found = try await promisesBroken(commands: Mutations([.timeZone: { _ in "'UTC'::text" }]))
        #expect(found.contains(.dueDate))
    }

    @Test("finds D-days that end at midnight, whenever the account's days do")
    func dDayEndsAtMidnight() async throws {
        let found = try await promisesBroken(commands: Mutations([.dayEnd: { _ in "0::smallint" }]))
        // The next edit of the account writes what it has read.
        #expect(!found.isDisjoint(with: [.dueDate, .wholeCommands]))
    }

    @Test("finds workers whose days end at midnight, whenever the account's days do", .inLongRuns)
    func workersEndDaysAtMidnight() async throws {
        let found = try await promisesBroken(
            workers: Mutations([.dayEnd: { _ in "0::smallint" }]), within: 365)
        // A birthday is planned for another date, or a push expires before its day has ended.
        #expect(!found.isDisjoint(with: [.dueDate, .nothingLost]))
    }

    @Test("finds a withered push for a plant that was watered")
    func wateredPlantsWither() async throws {
        let found = try await promisesBroken(
            workers: Mutations([
                .pointedRef: { self.always("ref", of: .withered, elsewhere: $0) },
                .pointedInstant: { self.always("at", of: .withered, elsewhere: $0) },
            ]))
        #expect(found.contains(.notWhenDone))
    }

    /// A pointer that always equals the planned value, for one topic.
    private func always(_ column: String, of topic: Topic, elsewhere: String) -> String {
        "CASE planned.topic WHEN '\(topic)' THEN planned.\(column) ELSE \(elsewhere) END"
    }

    @Test("finds a birthday forgotten once the next one is planned")
    func forgottenBirthdays() async throws {
        let found = try await promisesBroken(
            workers: Mutations([
                .deliveredSubject: { state in MutationPoint.passedBirthday.replace(in: state) { _ in "false" } }
            ]))
        #expect(found.contains(.nothingLost))
    }

    @Test("finds birthday and withered pushes to accounts that switched them off", .inLongRuns)
    func unaskedPushes() async throws {
        let found = try await promisesBroken(workers: Mutations([.switches: { _ in "true, true" }]))
        #expect(found.contains(.switchedOff))
    }

    @Test("finds an account's sent pushes forgotten")
    func forgottenPushes() async throws {
        let found = try await promisesBroken(
            workers: Mutations([.sentPushes: { "SELECT * FROM (\($0)) AS sent WHERE false" }]), usesPhones: true)
        #expect(found.contains(.dailyCap))
    }

    @Test("finds a digest that names plants another push named")
    func namedTwice() async throws {
        let found = try await promisesBroken(
            workers: Mutations([.subjectsOfSentPush: { _ in "'{}'::uuid[]" }]), within: 180, usesPhones: true,
            dailyCap: 1
        )
        #expect(found.contains(.sentOnce))
    }

    @Test("finds a push that names only the plants of its batch")
    func withoutGroupMembers() async throws {
        let found = try await promisesBroken(workers: Mutations([.groupOfPointer: { _ in "false" }]), usesPhones: true)
        #expect(found.contains(.folding))
    }

    @Test("finds a push that names plants whose review was written")
    func groupMembersWithReviews() async throws {
        let found = try await promisesBroken(
            workers: Mutations([
                .groupMember: { plant in MutationPoint.reviewState.replace(in: plant) { _ in "false" } }
            ]), usesPhones: true)
        #expect(found.contains(.folding))
    }

    @Test("finds pushes counted as sent by a digest that was never sent")
    func digestThatNeverCame() async throws {
        // Pretends that every account with any push on a day also got that day's digest.
        let digests = """
             UNION ALL SELECT account_id, concat('digest-', sent_on), sent_on, '{}'::uuid[], true FROM sent_push
            WHERE lane = $1 AND account_id = ANY ($2)
            """
        let found = try await promisesBroken(workers: Mutations([.sentPushes: { $0 + digests }]), usesPhones: true)
        #expect(found.contains(.nothingLost))
    }

    @Test("finds a dead phone that is not retired")
    func deadPhones() async throws {
        let found = try await promisesBroken(workers: Mutations([.retirement: { _ in "false" }]), usesPhones: true)
        #expect(found.contains(.deadPhones))
    }

    @Test("finds alarms of removed plants")
    func removedPlantsRing() async throws {
        let found = try await promisesBroken(workers: Mutations([.removal: { _ in "false" }]))
        #expect(found.contains(.archived))
    }

    @Test("finds the next birthday of a removed plant planned", .inLongRuns)
    func removedPlantsArePlanned() async throws {
        let found = try await promisesBroken(
            workers: Mutations([
                .scheduledSubject: { state in
                    MutationPoint.removal.replace(in: state) { "\($0) AND planned.topic <> 'birthday'" }
                },
                .plantToPlan: { $0.replacing("removed_at", with: "NULL::timestamptz") },
                // The plant stays removed: of its columns, only restored_on, version and modified_at follow removed_at.
                .changes: { values in
                    var values = values.split(separator: ", ").map(String.init)
                    values[values.count - 4] = "coalesce(removed_at, \(values[values.count - 4]))"
                    return values.joined(separator: ", ")
                },
            ]), within: 365)
        #expect(found.contains(.archived))
    }

    @Test("finds a second alarm: the plant forgets that the first was reached", .inLongRuns)
    func forgottenAlarms() async throws {
        // Only after an hour, when the alarm has been sent, so that no push is lost.
        let pointer = """
            CASE WHEN alarm_at > (SELECT cursor_at FROM lane WHERE lane.lane = plant.lane) - interval '1 hour'
                THEN alarm_at END
            """
        let found = try await promisesBroken(
            commands: Mutations([.plantToChange: { $0.replacing(" alarm_at,", with: " \(pointer),") }]), within: 180)
        #expect(found.contains(.sentOnce))
    }

    @Test("finds an account that left but was not erased", .inLongRuns)
    func accountsStay() async throws {
        let pretence = """
            (SELECT 'account' AS table_name, 1::bigint AS before, 0::bigint AS after
            WHERE ($1::smallint, $2::uuid, $3::uuid, $4::timestamptz) IS NOT NULL)
            """
        let found = try await promisesBroken(commands: Mutations([.erasedAccount: { _ in pretence }]), within: 365)
        #expect(found.contains(.erased))
    }

    @Test("finds a review that earns affection but is not written")
    func unwrittenReviews() async throws {
        let found = try await promisesBroken(commands: Mutations([.writtenReview: { $0 + " AND false" }]))
        #expect(found.contains(.wholeCommands))
    }
}

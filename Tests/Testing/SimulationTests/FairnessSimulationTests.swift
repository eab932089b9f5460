import CherishCore
import CherishStore
import CherishTestSupport
import Simulation
import Testing

extension SimulationTests {
    /// What a simulation with pauses and outages finds.
    private func run(
        days: Int = 60, seed: UInt64 = 7, usesPhones: Bool = true, commands: Mutations = Mutations(),
        workers: Mutations = Mutations()
    ) async throws -> SimulationReport {
        var settings = SimulationSettings(days: days, accounts: 20, seed: seed)
        (settings.usesPhones, settings.hasPauses, settings.hasOutages) = (usesPhones, true, true)
        var variant = SimulationVariant()
        variant.commandStatement = { commands.apply(to: $0) }
        variant.workerStatement = { workers.apply(to: $0) }
        let report = try await Simulation(
            settings, connectionString: TestDatabase.current.connectionString, variant: variant
        ).run()
        #expect(commands.withoutEffect.union(workers.withoutEffect).isEmpty, "the engine was not broken")
        #expect(!report.violations.contains { $0.what.contains("failed: server 42") }, "\(report.text)")
        return report
    }

    /// - Parameter seed: of a history that has what shows the defect.
    private func promisesBroken(
        seed: UInt64 = 7, commands: Mutations = Mutations(), workers: Mutations = Mutations()
    ) async throws -> Set<Violation.Promise> {
        Set(try await run(seed: seed, commands: commands, workers: workers).violations.map(\.promise))
    }

    // MARK: Pauses and outages (rule 13)

    @Test(
        "keeps the promises about pauses and outages",
        arguments: arguments([(8 as UInt64, true), (10, false)], otherwise: 1))
    func keepsPromisesOfFairness(seed: UInt64, usesPhones: Bool) async throws {
        let report = try await run(days: 40, seed: seed, usesPhones: usesPhones)
        #expect(report.violations.isEmpty, "\(report.text)")
        #expect(report.days == 40)
        for act in ["begin pause", "end pause", "tag"] + (usesPhones ? ["edit pause"] : []) {
            #expect(report.acts[act, default: 0] > 0, "no \(act) in \(report.acts)")
        }
        for fault in ["no worker", "outage declared"] + (usesPhones ? ["long provider outage"] : []) {
            #expect(report.faults[fault, default: 0] > 0, "no \(fault) in \(report.faults)")
        }
        #expect(report.excused > 5, "\(report.text)")
    }

    @Test("finds pushes in a pause")
    func pushesInAPause() async throws {
        let found = try await promisesBroken(workers: Mutations([.pausedDays: { _ in "'{}'::date[]" }]))
        #expect(found.contains(.paused))
    }

    @Test("finds due dates that stay in a pause")
    func dueInAPause() async throws {
        let found = try await promisesBroken(
            commands: Mutations([.plantToChange: { $0.replacing(" pauses,", with: " '{}'::date[],") }]))
        #expect(found.contains(.dueDate))
    }

    @Test("finds due dates that do not move back when a pause is ended early")
    func staysAfterThePause() async throws {
        let found = try await promisesBroken(
            commands: Mutations([.plantToChange: { $0.replacing(" original_due_on,", with: " NULL::date,") }]))
        #expect(found.contains(.dueDate))
    }

    @Test("finds due dates that are not spread after a pause")
    func notSpread() async throws {
        let found = try await promisesBroken(
            commands: Mutations([.plantToChange: { $0.replacing(" spread_days,", with: " '{}'::date[],") }]))
        #expect(found.contains(.dueDate))
    }

    @Test("finds plants that a declared outage does not excuse")
    func declaredInVain() async throws {
        let found = try await promisesBroken(
            workers: Mutations([.outageToExcuse: { "\($0) AND cause <> 'declared'" }]))
        #expect(found == [.excused])
    }

    @Test("finds plants that nobody excuses, because nobody noticed that workers were away")
    func unnoticedOutages() async throws {
        let found = try await promisesBroken(seed: 8, workers: Mutations([.unseenLane: { _ in "false" }]))
        #expect(found == [.excused])
    }

    @Test("finds plants excused although no outage kept their pushes back")
    func excusedForNothing() async throws {
        let found = try await promisesBroken(
            seed: 9, workers: Mutations([.missedPush: { "(\($0) OR ended.outcome <> 'expired')" }]))
        #expect(found.contains(.excused))
    }
}

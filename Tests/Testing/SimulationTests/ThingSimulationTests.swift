import CherishCore
import CherishStore
import CherishTestSupport
import Simulation
import Testing

extension SimulationTests {
    private func settings(days: Int, usesPhones: Bool) -> SimulationSettings {
        var settings = SimulationSettings(days: days, accounts: 12, seed: 22)
        (settings.usesPhones, settings.hasThings) = (usesPhones, true)
        return settings
    }

    // MARK: Things

    @Test("keeps the promises of things among those of plants", arguments: arguments([true, false], otherwise: 1))
    func keepsPromisesOfThings(usesPhones: Bool) async throws {
        let report = try await Simulation(
            settings(days: 40, usesPhones: usesPhones), connectionString: TestDatabase.current.connectionString
        ).run()
        #expect(report.violations.isEmpty, "\(report.text)")
        #expect(report.days == 40)
        let acts = [
            "record thing", "complete thing", "reopen thing", "remove thing", "move thing", "change alerts",
            "rename thing", "switch thing", "travel",
        ]
        for act in acts { #expect(report.acts[act, default: 0] > 0, "no \(act) in \(report.acts)") }
        #expect(report.pushes["thing_alert", default: 0] > 100, "\(report.pushes)")
        #expect((report.pushes["several thing_alert", default: 0] > 0) == usesPhones, "\(report.pushes)")
        #expect(report.faults.count > 5 && report.repetitions > 0, "\(report.faults)")
    }

    /// What a simulation with things finds in a broken engine, about things.
    private func violations(
        commands: Mutations = Mutations(), workers: Mutations = Mutations(), within days: Int = 60,
        usesPhones: Bool = false
    ) async throws -> Set<Violation.Promise> {
        var variant = SimulationVariant()
        variant.commandStatement = { commands.apply(to: $0) }
        variant.workerStatement = { workers.apply(to: $0) }
        let report = try await Simulation(
            settings(days: days, usesPhones: usesPhones),
            connectionString: TestDatabase.current.connectionString, variant: variant
        ).run()
        #expect(commands.withoutEffect.union(workers.withoutEffect).isEmpty, "the engine was not broken")
        #expect(!report.violations.contains { $0.what.contains("failed: server 42") }, "\(report.text)")
        return Set(report.violations.filter { $0.what.contains("thing_alert") }.map(\.promise))
    }

    @Test("finds the alert forgotten that follows another")
    func forgottenAlert() async throws {
        let found = try await violations(workers: Mutations([.thingWithMoreAlerts: { _ in "false" }]))
        #expect(found.contains(.nothingLost))
    }

    @Test("finds things that ring although they were completed or moved")
    func doneThingsRing() async throws {
        let planned = { @Sendable (column: String, usual: String) in
            "CASE planned.topic WHEN 'thing_alert' THEN planned.\(column) ELSE \(usual) END"
        }
        let found = try await violations(
            workers: Mutations([
                .thingIsDone: { _ in "false" }, .pointedRef: { planned("ref", $0) },
                .pointedInstant: { planned("at", $0) }, .pointedExpiry: { _ in "planned.at + interval '1 day'" },
            ]))
        #expect(found.contains(.notWhenDone))
    }

    @Test("finds the switch of a thing ignored")
    func ignoredSwitch() async throws {
        let found = try await violations(
            workers: Mutations([.thingSwitch: { _ in "CASE WHEN thing.lane IS NOT NULL THEN true END" }]))
        #expect(found.contains(.notWhenDone))
    }

    @Test("finds an alert that rings again after a journey", .inLongRuns)
    func ringsAgain() async throws {
        let forget = { @Sendable (columns: String) in
            columns.replacing("reached_alert_wall_minute", with: "NULL::integer")
                .replacing("alert_wall_minute", with: "NULL::integer")
        }
        let found = try await violations(commands: Mutations([.thingToReplan: forget]), within: 365)
        #expect(!found.isDisjoint(with: [.sentOnce, .notWhenDone]))
    }

    @Test("finds appointments in a digest")
    func appointmentsInDigests() async throws {
        let found = try await violations(
            workers: Mutations([.appointment: { _ in "NULL::smallint" }]), usesPhones: true)
        #expect(found.contains(.dailyCap))
    }
}

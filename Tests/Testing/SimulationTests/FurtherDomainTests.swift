import CherishCore
import CherishTestSupport
import Simulation
import Testing

extension SimulationTests {
    /// Some weeks with plants and letters.
    private func runWithLetters(usesPhones: Bool, flaw: LetterDomain.Flaw? = nil) async throws -> SimulationReport {
        var settings = SimulationSettings(days: 21, accounts: 12, seed: 11)
        settings.usesPhones = usesPhones
        settings.furtherDomains = [SimulatedLetters(flaw: flaw)]
        return try await Simulation(settings, connectionString: TestDatabase.current.connectionString).run()
    }

    // MARK: A further domain

    @Test("keeps the promises of a further domain among those of plants", arguments: [true, false])
    func keepsPromisesOfLetters(usesPhones: Bool) async throws {
        let report = try await runWithLetters(usesPhones: usesPhones)
        #expect(report.violations.isEmpty, "\(report.text)")
        #expect(report.days == 21)
        for act in ["plan letters", "write letter", "register", "water", "travel"] {
            #expect(report.acts[act, default: 0] > 0, "no \(act) in \(report.acts)")
        }
        #expect(report.pushes["letter_due", default: 0] > 10, "\(report.pushes)")
        #expect(report.pushes["watering_due", default: 0] > 10, "\(report.pushes)")
        #expect((report.pushes["several letter_due", default: 0] > 0) == usesPhones, "\(report.pushes)")
        #expect(report.faults.count > 5 && report.repetitions > 0, "\(report.faults)")
    }

    @Test(
        "finds letters of the next week that are not planned, and written letters that are sent", .inLongRuns,
        arguments: [(.forgetsNextLetter, .nothingLost), (.pushesWrittenLetters, .notWhenDone)]
            as [(LetterDomain.Flaw, Violation.Promise)])
    func brokenLetters(flaw: LetterDomain.Flaw, promise: Violation.Promise) async throws {
        let report = try await runWithLetters(usesPhones: false, flaw: flaw)
        let isFound = report.violations.contains { $0.promise == promise && $0.what.contains("letter_due") }
        #expect(isFound, "\(report.text)")
        #expect(!report.text.contains("again: "), "no command repeats a simulation with letters")
    }

    @Test("the same seed gives the same history with a further domain too", .inLongRuns)
    func sameSeedWithLetters() async throws {
        var settings = SimulationSettings(days: 4, accounts: 6, seed: 3)
        settings.furtherDomains = [SimulatedLetters()]
        var digests: [String] = []
        for _ in 0..<2 {
            let report = try await Simulation.onPrivateCluster(settings, progress: { _ in })
            #expect(report.violations.isEmpty, "\(report.text)")
            digests.append(report.digest)
        }
        #expect(digests[0] == digests[1])
    }
}

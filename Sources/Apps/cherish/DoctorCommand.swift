import ArgumentParser
import CherishRuntime
import CherishService
import Foundation

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Checks database, clocks, lag, leases, keys and time zones, and says what to do.",
        discussion: """
            It changes nothing and sends nothing. The exit status is 0 without a problem, warnings or not; 69 where \
            the database cannot be used, else 1. Run it with the environment of the worker.

            EXAMPLES
              cherish doctor
              cherish doctor --output json
            """)
    @OptionGroup var common: CommonOptions

    func run() async throws {
        let settings = try Settings()
        let findings = await Doctor(settings, now: common.now).examine() + DoctorCommand.pushFindings(settings)
        try Output.print(
            common.output, json: DoctorDocument(findings),
            table: Table(
                ["VERDICT", "CHECK", "FOUND", "WHAT TO DO"].map { Table.Column(title: $0) },
                rows: findings.map { [$0.verdict.rawValue, $0.check, $0.message, $0.remedy ?? ""] }),
            text: DoctorCommand.text(findings))
        if findings.exitStatus != 0 { throw ExitCode(findings.exitStatus) }
    }

    /// Runs `cherish-worker --check`, which opens the senders as if to push, unless pushes only go to lines.
    private static func pushFindings(_ settings: Settings) -> [Finding] {
        if !settings.providers.areSetUp, let lines = Finding(lines: settings.workerPush) { return [lines] }
        do {
            return try JSONDecoder().decode([Finding].self, from: ProgramBeside("cherish-worker").output(["--check"]))
        } catch {
            return [Finding(broken: "pushes", error)]
        }
    }

    private static func text(_ findings: [Finding]) -> String {
        let table = Table(
            [Table.Column(title: "VERDICT"), Table.Column(title: "CHECK"), Table.Column(title: "FOUND")],
            rows: findings.map { [$0.verdict.rawValue, $0.check, $0.message] })
        let remedies = findings.compactMap { finding in finding.remedy.map { "\(finding.check): \($0)" } }
        guard !remedies.isEmpty else { return table.text }
        return "\(table.text)\n\nWhat to do:\n" + remedies.map { "  \($0.harmless)" }.joined(separator: "\n")
    }
}

import ArgumentParser
import CherishCore
import CherishRuntime
import Foundation
import WorkerRuntime

/// The worker: schedules and delivers pushes until a signal stops it.
struct WorkerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cherish-worker",
        abstract: "Schedules and delivers pushes until SIGTERM or SIGINT, then finishes what it holds.",
        discussion: """
            Settings come from the environment: DATABASE_URL, CHERISH_HOME, CHERISH_PUSH, CHERISH_LOG_LEVEL, \
            CHERISH_POLL_MILLISECONDS, CHERISH_LEASE_MILLISECONDS, CHERISH_CONCURRENCY, CHERISH_LINK_SCHEME, \
            CHERISH_RETENTION_DAYS, CHERISH_METRICS_PORT, CHERISH_METRICS_HOST.

            EXAMPLES
              cherish-worker --check
              DATABASE_URL=postgres://cherish@db/cherish \\
                CHERISH_PUSH=jsonl:/var/lib/cherish/pushes.jsonl cherish-worker
            """,
        version: "0.1.0")

    @Flag(
        help:
            "Schedule and deliver what is due, print the counts as JSON, and exit. 'cherish tick' uses it for devices.")
    var once = false
    @Flag(help: "Check where pushes go, print the findings as JSON, and exit. 'cherish doctor' uses it.") var check =
        false
    @Option(help: "With --once: the instant that counts as now, like 2027-03-02T09:00:00+09:00.") var now: String?

    func validate() throws {
        if once && check || now != nil && !once {
            throw ValidationError("write --once, with or without --now, or --check")
        }
        if let now, Instant(now) == nil { throw ValidationError("write --now like 2027-03-02T09:00:00+09:00") }
    }

    func run() async throws {
        let settings = try Settings()
        if check {
            try Self.print(await WorkerProcess.check(settings))
        } else if once {
            try Self.print(try await WorkerProcess.tick(settings, now: now.flatMap { Instant($0) }))
        } else {
            try await WorkerProcess.run(settings)
        }
    }

    private static func print(_ document: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        try StandardStreams.write(String(decoding: try encoder.encode(document), as: UTF8.self) + "\n")
    }
}

@main
enum Main {
    static func main() async {
        signal(SIGPIPE, SIG_IGN)
        StandardStreams.reserve()
        do {
            try await WorkerCommand.parse().run()
        } catch {
            Failure.end(
                with: error, status: WorkerCommand.exitCode(for: error).rawValue,
                message: WorkerCommand.fullMessage(for: error))
        }
    }
}

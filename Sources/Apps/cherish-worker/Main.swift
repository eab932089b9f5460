import ArgumentParser
import CherishRuntime
import Foundation

/// The worker: plans and delivers pushes until it is told to stop.
struct WorkerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cherish-worker",
        abstract: "Schedules and delivers pushes until SIGTERM or SIGINT, then finishes what it holds.",
        discussion: """
            Settings come from the environment: DATABASE_URL, CHERISH_HOME, CHERISH_PUSH, CHERISH_LOG_LEVEL, \
            CHERISH_POLL_MILLISECONDS, CHERISH_LEASE_MILLISECONDS, CHERISH_CONCURRENCY, CHERISH_LINK_SCHEME, \
            CHERISH_RETENTION_DAYS, CHERISH_METRICS_PORT, CHERISH_METRICS_HOST.

            EXAMPLE
              DATABASE_URL=postgres://cherish@db/cherish \\
                CHERISH_PUSH=jsonl:/var/lib/cherish/pushes.jsonl cherish-worker
            """,
        version: "0.1.0")

    func run() async throws {
        try await WorkerProcess.run(try Settings())
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
            let status = WorkerCommand.exitCode(for: error).rawValue
            // Help and version are asked for, not errors; only the parser's own errors have 64.
            if status == 0 { tell(WorkerCommand.fullMessage(for: error)) }
            let failure = status == 64 ? Failure(usage: WorkerCommand.fullMessage(for: error)) : Failure(error)
            failure.end()
        }
    }

    private static func tell(_ text: String) -> Never {
        do {
            try StandardStreams.write(text.withWrappedUsage(toWidth: Terminal.widthOfHelp) + "\n")
            exit(0)
        } catch {
            Failure(error).end()
        }
    }
}

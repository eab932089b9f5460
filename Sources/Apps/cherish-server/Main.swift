import ArgumentParser
import CherishCore
import CherishRuntime
import Foundation

/// The server: answers the HTTP API, and with a worker in the same process is a whole service.
struct ServerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cherish-server",
        abstract:
            "Answers the HTTP API and the web garden until SIGTERM or SIGINT, then finishes what is being answered.",
        discussion: """
            Settings come from the environment: those of cherish-worker, and CHERISH_HTTP, CHERISH_PUBLIC_URL, \
            CHERISH_TLS_CERTIFICATE, CHERISH_TLS_KEY, CHERISH_TRUSTED_PROXIES, CHERISH_HTTP_CONNECTIONS, CHERISH_MAIL, \
            CHERISH_SMS, CHERISH_ENQUIRIES, CHERISH_PRIVACY_FILE, CHERISH_TERMS_FILE, CHERISH_GOOGLE_CLIENT_IDS, \
            CHERISH_APPLE_CLIENT_IDS, CHERISH_WORKER_DATABASE_URL. Without CHERISH_MAIL or CHERISH_SMS, codes go to files \
            that only you can read.

            EXAMPLES
              cherish-server --with-worker
              CHERISH_HTTP=0.0.0.0:8080 CHERISH_PUBLIC_URL=https://cherish.example \\
                DATABASE_URL=postgres://cherish_server@db/cherish cherish-server
            """,
        version: "0.1.0")

    @Flag(help: "Also schedule and deliver pushes: one program is a whole service.") var withWorker = false
    @Option(
        help: "Start a running test clock at this instant, like 2027-03-02T08:59:00+09:00; not with DATABASE_URL.")
    var now: String?

    func validate() throws {
        if let now, Instant(now) == nil { throw ValidationError("write --now like 2027-03-02T09:00:00+09:00") }
        if withWorker && now != nil {
            throw ValidationError("write --now without --with-worker, which has its own clock")
        }
    }

    func run() async throws {
        try await ServerProcess.run(
            Settings(), ServerSetting(), withWorker: withWorker, now: now.flatMap { Instant($0) })
    }
}

@main
enum Main {
    static func main() async {
        signal(SIGPIPE, SIG_IGN)
        StandardStreams.reserve()
        do {
            try await ServerCommand.parse().run()
        } catch {
            Failure.end(
                with: error, status: ServerCommand.exitCode(for: error).rawValue,
                message: ServerCommand.fullMessage(for: error))
        }
    }
}

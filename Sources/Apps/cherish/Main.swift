import ArgumentParser
import CherishRuntime
import CherishService
import Foundation

/// The admin CLI of Cherish.
struct Cherish: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cherish",
        abstract: "Keeps friendships alive: every friend is a plant, contact is water.",
        discussion: """
            EXAMPLES
              cherish account add --email minji@example.com --nickname Minji \\
                --time-zone Asia/Seoul
              cherish friend import minji@example.com contacts.vcf --cycle-days 14
              cherish friend list minji@example.com
              cherish water 5f3e2a10 --by call --keyword sea --memo "moved to Busan"
              cherish tick

            Without DATABASE_URL a private PostgreSQL cluster is used, made when first needed.
            """,
        version: "0.1.0",
        subcommands: [
            DatabaseCommand.self, AccountCommand.self, SessionCommand.self, DeviceCommand.self, FriendCommand.self,
            TagCommand.self, ImportsCommand.self, ExportCommand.self, SeedCommand.self, WaterCommand.self,
            ReviewCommand.self, PostponeCommand.self, CalendarCommand.self, StatsCommand.self, ThingCommand.self,
            StoreCommand.self, ListCommand.self, PostcodeCommand.self, AgendaCommand.self, FeedCommand.self,
            TickCommand.self, PushCommand.self,
            PreviewCommand.self,
            PauseCommand.self, OutageCommand.self, ReportCommand.self,
            DoctorCommand.self, SimulateCommand.self,
        ])
}

@main
enum Main {
    static func main() async {
        // A broken connection must be reported as an error, not kill the process.
        signal(SIGPIPE, SIG_IGN)
        StandardStreams.reserve()
        do {
            try requireUTF8Arguments()
            var command = try Cherish.parseAsRoot()
            if var asyncCommand = command as? any AsyncParsableCommand {
                try await asyncCommand.run()
            } else {
                try command.run()
            }
        } catch {
            end(with: error)
        }
    }

    /// Swift silently repairs invalid UTF-8, such as a lone surrogate, and would store text that nobody wrote.
    private static func requireUTF8Arguments() throws {
        for position in 1..<max(1, Int(CommandLine.argc)) {
            guard let argument = CommandLine.unsafeArgv[position] else { continue }
            if String(validatingCString: argument) == nil {
                throw UsageError("argument \(position) is not text in UTF-8; check the terminal's encoding")
            }
        }
    }

    private static func end(with error: any Error) -> Never {
        // A reader that closes the pipe early, such as `head`, ends this program silently, as it ends others.
        if (error as? OutputError)?.isBrokenPipe == true {
            signal(SIGPIPE, SIG_DFL)
            raise(SIGPIPE)
        }
        // The command has already printed everything.
        if let status = error as? ExitCode { exit(status.rawValue) }
        let status = Cherish.exitCode(for: error).rawValue
        if status == 0 { printAndExit(Cherish.fullMessage(for: error)) }
        // Only the parser's own errors have this status.
        let failure = status == 64 ? Failure(usage: Cherish.fullMessage(for: error)) : Failure(error)
        failure.end()
    }

    /// Prints requested output: help, the version or a completion script.
    private static func printAndExit(_ text: String) -> Never {
        do {
            try StandardStreams.write(text.withWrappedUsage(toWidth: Terminal.widthOfHelp) + "\n")
            exit(0)
        } catch {
            end(with: error)
        }
    }
}

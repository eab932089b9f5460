import ArgumentParser
import CherishCore
import CherishRuntime
import CherishService
import Foundation

struct SessionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session", abstract: "Lists and ends sessions of people who are signed in.",
        subcommands: [List.self, End.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists an account's sessions, the one used last first.")
        @Argument(help: "The account's e-mail or id.") var account: String
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withService { service in
                let sessions = try await service.sessions(of: account)
                try Output.print(
                    common.output, json: SessionsDocument(sessions, current: nil),
                    table: Table(
                        ["ID", "DEVICE", "SIGNED IN AT", "USED AT"].map { Table.Column(title: $0) },
                        rows: sessions.map {
                            [$0.id.description, $0.deviceName, $0.signedInAt.description, $0.usedAt.description]
                        }), text: sessions.isEmpty ? "nobody is signed in" : nil)
            }
        }
    }

    struct End: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Ends a session.")
        @Argument(help: "The session's id.") var id: String
        @OptionGroup var common: CommonOptions

        func run() async throws {
            guard let uuid = UUID(uuidString: id) else { throw CareError.notFound(.session) }
            try await common.withService { service in
                try await service.endSession(SignInSession.ID(uuid))
                let ended = uuid.uuidString.lowercased()
                try Output.print(
                    common.output, json: ["ended": ended],
                    table: Table([Table.Column(title: "ENDED")], rows: [[ended]]))
            }
        }
    }
}

extension AccountCommand {
    struct Password: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sets an account's password, and ends all its sessions.",
            discussion: """
                Asks on the terminal, without showing what is typed.

                EXAMPLE
                  cherish account password minji@example.com --password-stdin < password.txt
                """)
        @Argument(help: "The account's e-mail or id.") var account: String
        @Flag(help: "Read the password from the first line of standard input.") var passwordStdin = false
        @OptionGroup var common: CommonOptions

        func run() async throws {
            let password = try passwordStdin ? Self.firstLine() : Self.ask()
            try await common.withService { service in
                try AccountCommand.show(try await service.setPassword(password, of: account), common.output)
            }
        }

        private static func firstLine() throws -> String {
            guard let line = readLine(), !line.isEmpty else {
                throw UsageError("standard input has no first line; write the password there")
            }
            return line
        }

        private static func ask() throws -> String {
            guard isatty(STDIN_FILENO) == 1 else {
                throw UsageError("standard input is no terminal; use --password-stdin")
            }
            let first = try hidden("New password: ")
            guard try hidden("Once more: ") == first else { throw UsageError("the two differ; type the same twice") }
            return first
        }

        /// Reads a line that the terminal does not show.
        private static func hidden(_ prompt: String) throws -> String {
            var shown = termios()
            tcgetattr(STDIN_FILENO, &shown)
            var silent = shown
            silent.c_lflag &= ~tcflag_t(ECHO)
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
            defer { tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown) }
            StandardStreams.writeToStandardError(prompt)
            defer { StandardStreams.writeToStandardError("\n") }
            return try firstLine()
        }
    }
}

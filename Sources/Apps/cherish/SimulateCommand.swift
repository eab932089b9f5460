import ArgumentParser

struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate", abstract: "Starts cherish-simulate: months in virtual time, every promise checked.",
        discussion: """
            All options go to cherish-simulate, which lies beside this program; its help tells them.

            EXAMPLES
              cherish simulate --help
              cherish simulate --days 60 --accounts 20 --seed 7
            """)
    @Argument(parsing: .captureForPassthrough, help: "Options of cherish-simulate.") var options: [String] = []

    /// Replaces this process with `cherish-simulate`.
    ///
    /// - Throws: ``UsageError`` if it cannot be started.
    func run() throws {
        try ProgramBeside("cherish-simulate").become(options)
    }
}

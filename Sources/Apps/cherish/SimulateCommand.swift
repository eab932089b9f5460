import ArgumentParser
import CherishRuntime
import Foundation

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

    /// Becomes the other program.
    ///
    /// - Throws: ``UsageError`` when it is not there.
    func run() throws {
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appendingPathComponent("cherish-simulate").path
        let words = ([program] + options).map { strdup($0) } + [nil]
        execv(program, words)
        let reason = String(cString: strerror(errno))
        throw UsageError("\(program) cannot be started (\(reason)); install it beside this program")
    }
}

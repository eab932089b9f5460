import Foundation
import Testing

@Suite("Help")
struct HelpTests {
    /// The help of a command and its subcommands, each with the arguments that lead there.
    private func helps(of program: Program, _ words: [String] = []) async throws -> [(words: [String], text: String)] {
        let result = try await program.run(words + ["--help"])
        try #require(result.status == 0, "\(words): \(result.errors)")
        var helps = [(words, result.output)]
        let below = result.output.components(separatedBy: "SUBCOMMANDS:\n").dropFirst().first ?? ""
        for line in below.split(separator: "\n", omittingEmptySubsequences: false) {
            // Names are indented by two columns, and an empty line ends the list.
            guard line.hasPrefix("  ") else { break }
            guard let name = line.dropFirst(2).firstMatch(of: #/^[a-z][a-z-]*/#) else { continue }
            helps += try await self.helps(of: program, words + [String(name.output)])
        }
        return helps
    }

    private func columns(_ line: Substring) -> Int {
        line.reduce(0) { $0 + (("가"..."힣").contains($1) ? 2 : 1) }
    }

    @Test("fits the terminal, fills its paragraphs, and shows defaults as they are written", arguments: [80, 100])
    func allCommands(width: Int) async throws {
        for name in ["cherish", "cherish-worker"] {
            let program = Program(name: name, environment: ["COLUMNS": "\(width)"])
            let helps = try await helps(of: program)
            #expect(name == "cherish" ? helps.count > 50 : helps.count == 1)
            for help in helps {
                let lines = help.text.split(separator: "\n", omittingEmptySubsequences: false)
                for line in lines {
                    #expect(columns(line) <= width, "\(name) \(help.words): \(line)")
                    #expect(!line.contains("(value:"), "\(name) \(help.words): \(line)")
                }
                for (line, next) in zip(lines, lines.dropFirst()) where isText(line) && isText(next) {
                    let word = next.drop { $0 == " " }.prefix { $0 != " " }
                    #expect(
                        line.count + 1 + word.count >= width, "\(name) \(help.words): \"\(word)\" fits behind: \(line)")
                }
            }
        }
    }

    /// Whether a line belongs to a paragraph rather than to an example, a heading or a list.
    private func isText(_ line: Substring) -> Bool {
        let indent = line.prefix { $0 == " " }.count
        let isHeading = ["EXAMPLE", "EXAMPLES"].contains(line) || line.hasSuffix(":")
        return !line.isEmpty && !isHeading && !line.hasPrefix("USAGE: ") && (indent == 0 || indent == 26)
    }

    @Test("shows default numbers")
    func defaults() async throws {
        let cherish = Program(name: "cherish", environment: ["COLUMNS": "200"])
        #expect(try await cherish.run("friend", "import", "--help").output.contains("(default: 7)"))
        #expect(try await cherish.run("preview", "--help").output.contains("(default: 30)"))
        #expect(try await cherish.run("report", "page", "--help").output.contains("(default: 90)"))
    }

    @Test("breaks the usage between options, never within one")
    func usage() async throws {
        let cherish = Program(name: "cherish", environment: ["COLUMNS": "60"])
        let help = try await cherish.run("account", "add", "--help").output
        let usage = try #require(help.components(separatedBy: "\n\n").first { $0.hasPrefix("USAGE: ") })
        #expect(
            usage == """
                USAGE: cherish account add --email <email>
                       --nickname <nickname> --time-zone <time-zone>
                       [--language <language>] [--phone <phone>]
                       [--now <now>] [--output <output>]
                """)
    }
}

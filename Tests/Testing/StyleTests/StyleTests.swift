import Foundation
import Testing

/// Conventions that `swift format` does not check.
@Suite("Style")
struct StyleTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The Swift files below a folder of the package.
    private func swiftFiles(in folder: String) throws -> [(path: String, lines: [Substring])] {
        let start = Self.root.appendingPathComponent(folder)
        let found = try #require(FileManager.default.enumerator(at: start, includingPropertiesForKeys: nil))
        return try found.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }.map { file in
            let text = try String(contentsOf: file, encoding: .utf8)
            return (file.path, text.split(separator: "\n", omittingEmptySubsequences: false))
        }
    }

    @Test("names say what things are")
    func names() throws {
        let better = [
            "Manager": "what it does", "Helper": "what it does", "Util": "what it does", "ctx": "context",
            "cfg": "configuration", "stmt": "statement", "idx": "index", "userId": "accountID", "reminderDate": "dueOn",
        ]
        // Foundation's FileManager, and the helper of rule 11, who accepts a list.
        let named = #/\bFileManager\b/#.wordBoundaryKind(.simple)
        let ofLists = #/\b\w*[hH]elper\w*\b/#.wordBoundaryKind(.simple)
        for file in try swiftFiles(in: "Sources") {
            for (number, line) in file.lines.enumerated() {
                var line = line.replacing(named, with: "")
                if ["/List", "/Neighbour", "/ChangeFeed.swift", "/Failure.swift", "/SimulationReport.swift"].contains(
                    where: file.path.contains)
                {
                    line = line.replacing(ofLists, with: "")
                }
                for (word, instead) in better where line.contains(word) {
                    Issue.record("\(file.path):\(number + 1): write \(instead) instead of \(word)")
                }
            }
        }
    }

    @Test("unchecked concurrency is justified where it is used")
    func justified() throws {
        for file in try swiftFiles(in: "Sources") {
            for (number, line) in file.lines.enumerated()
            where line.contains("@unchecked Sendable") || line.contains("nonisolated(unsafe)") {
                let above = file.lines[max(0, number - 6)..<number]
                #expect(above.contains { $0.contains("//") }, "\(file.path):\(number + 1)")
            }
        }
    }

    @Test("public types and functions are documented")
    func documented() throws {
        let declaration =
            #/^ *public (static |mutating |nonisolated )*(struct|enum|actor|final class|protocol|func) .+/#
        // Requirements of standard protocols explain themselves.
        let selfEvident = #/func (<|==|\+|-|hash\(|encode\(|decode\(|distance\(|advanced\(|run\(\) )/#
        for file in try swiftFiles(in: "Sources") {
            for (number, line) in file.lines.enumerated()
            where line.wholeMatch(of: declaration) != nil && !line.contains(selfEvident) {
                let above = file.lines[..<number].last {
                    !$0.trimmingCharacters(in: .whitespaces).hasPrefix("@")
                }
                let isDocumented = above?.trimmingCharacters(in: .whitespaces).hasPrefix("///") == true
                #expect(isDocumented, "\(file.path):\(number + 1): \(line)")
            }
        }
    }

    @Test("every test function can run")
    func testsRun() throws {
        for file in try swiftFiles(in: "Tests") {
            for (number, line) in file.lines.enumerated()
            where line.hasPrefix(" ") && line.trimmingCharacters(in: .whitespaces).hasPrefix("func test") {
                let above = file.lines[max(0, number - 3)...number]
                #expect(above.contains { $0.contains("@Test") }, "\(file.path):\(number + 1)")
            }
        }
    }

    @Test("no test judges durations: a busy machine takes ten times as long")
    func noStopwatches() throws {
        let stopwatch =
            #/ContinuousClock\.now - \w+ <|(elapsed|duration|time) < \.|\.measure \{|timeLimit\(\.minutes\(\d\)/#
        for file in try swiftFiles(in: "Tests") {
            for (number, line) in file.lines.enumerated() where line.contains(stopwatch) {
                Issue.record("\(file.path):\(number + 1): judge the order of events, or pass in a clock")
            }
        }
    }

    @Test("only the store and the client contain SQL, and only the client uses libpq")
    func rooms() throws {
        for file in try swiftFiles(in: "Sources") {
            let text = file.lines.joined(separator: "\n")
            if !file.path.contains("/Support/Postgres/") { #expect(!text.contains("import CLibPQ"), "\(file.path)") }
            // The simulation reads the database directly, so that it can contradict the engine.
            let mayHoldSQL = ["/Support/Postgres/", "/Storage/CherishStore/", "/Sources/Testing/"]
            if !mayHoldSQL.contains(where: { file.path.contains($0) }) {
                for word in ["SELECT ", "INSERT INTO", "DELETE FROM", "UPDATE "] {
                    #expect(!text.contains(word), "\(file.path): \(word)")
                }
            }
            if file.path.contains("/Domain/CherishCore/") {
                let imports = file.lines.filter { $0.hasPrefix("import ") }
                #expect(imports.allSatisfy { $0 == "import Foundation" }, "\(file.path)")
            }
        }
    }
}

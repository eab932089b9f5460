import Foundation

/// Reference clients in Python, which `scripts/benchmark` installs where possible.
enum PythonClient {
    private static let environment = ProcessInfo.processInfo.environment

    static var isThere: Bool { environment["CHERISH_BENCHMARK_PYTHON"] != nil }

    /// Runs a script, and returns the seconds that it reports.
    static func run(_ script: String, _ arguments: [String]) throws -> Double {
        guard let python = environment["CHERISH_BENCHMARK_PYTHON"],
            let scripts = environment["CHERISH_BENCHMARK_SCRIPTS"]
        else { throw BenchmarkError("run scripts/benchmark, which sets up Python's clients") }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: python)
        process.arguments = [scripts + "/" + script] + arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0, let seconds = Double(text.trimmingCharacters(in: .whitespacesAndNewlines))
        else { throw BenchmarkError("\(script) failed: \(text)") }
        return seconds
    }
}

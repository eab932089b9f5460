import Foundation
import PrivatePostgres
import SystemTimeZones

/// The output of Python's reader of the tz database; see `fixtures/time-zones/README.md`.
struct TransitionFixture: Sendable {
    struct Change: Sendable {
        let second: Int64
        let offset: Int
    }

    struct Zone: Sendable {
        let names: [String]
        let firstOffset: Int
        let changes: [Change]
    }

    /// A wall-clock time in minutes since 1970-01-01T00:00, and the first second at which the clock shows it or a later
    /// one.
    struct FirstSecond: Sendable {
        let wallMinute: Int64
        let second: Int64
    }

    struct DifficultZone: Sendable {
        let name: String
        let firstSeconds: [FirstSecond]
        /// The offsets at midnight UTC of the 1st and 15th of each month from 2038 to 2060.
        var laterOffsets: [Int] = []
    }

    struct FormatError: Error {
        let line: Substring
    }

    struct GenerationFailed: Error {}

    private(set) var zones: [Zone] = []
    private(set) var difficultZones: [DifficultZone] = []

    /// Read once, or generated if the system's tz database is not the committed file's version.
    static let shared: Result<TransitionFixture, any Error> = Result { try TransitionFixture.load() }

    private static let directory = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("fixtures/time-zones")

    private static func load() throws -> TransitionFixture {
        let committed = try String(contentsOf: directory.appendingPathComponent("transitions.txt"), encoding: .utf8)
        if let version = systemTimeZones.version, committed.hasPrefix("# tzdata \(version)\n") {
            return try TransitionFixture(committed)
        }
        // Generating takes minutes, so the result is kept for the next run. A clean clone whose build has a folder of its own does
        // not have this folder.
        let builds = directory.deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(".build")
        try FileManager.default.createDirectory(at: builds, withIntermediateDirectories: true)
        let kept = builds.appendingPathComponent("transitions-\(systemTimeZones.version ?? "unknown").txt")
        if let text = try? String(contentsOf: kept, encoding: .utf8) { return try TransitionFixture(text) }
        let output = kept.appendingPathExtension(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: output) }
        let process = try ChildProcess.spawn(
            ["/usr/bin/env", "python3", directory.appendingPathComponent("generate.py").path, output.path],
            environment: ProcessInfo.processInfo.environment, output: STDERR_FILENO, errors: STDERR_FILENO)
        guard ChildProcess.wait(for: process) == 0 else { throw GenerationFailed() }
        let text = try String(contentsOf: output, encoding: .utf8)
        try? FileManager.default.moveItem(at: output, to: kept)
        return try TransitionFixture(text)
    }

    private init(_ text: String) throws {
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard let kind = fields.first, let list = fields.last, fields.count >= 3 else {
                throw FormatError(line: line)
            }
            let entries = try list.split(separator: " ").map { try TransitionFixture.numbers($0) }
            switch kind {
            case "zone":
                guard fields.count == 4, let offset = Int(fields[2]) else { throw FormatError(line: line) }
                zones.append(
                    Zone(
                        names: fields[1].split(separator: ",").map { String($0) }, firstOffset: offset,
                        changes: entries.map { Change(second: $0.0, offset: Int($0.1)) }))
            case "first":
                let firstSeconds = entries.map { FirstSecond(wallMinute: $0.0, second: $0.1) }
                difficultZones.append(DifficultZone(name: String(fields[1]), firstSeconds: firstSeconds))
            case "later":
                guard let last = difficultZones.indices.last, difficultZones[last].name == fields[1] else {
                    throw FormatError(line: line)
                }
                difficultZones[last].laterOffsets = entries.flatMap { Array(repeating: Int($0.0), count: Int($0.1)) }
            default: throw FormatError(line: line)
            }
        }
    }

    /// Two numbers separated by a colon or an asterisk.
    private static func numbers(_ entry: Substring) throws -> (Int64, Int64) {
        let parts = entry.split { $0 == ":" || $0 == "*" }
        guard parts.count == 2, let first = Int64(parts[0]), let second = Int64(parts[1]) else {
            throw FormatError(line: entry)
        }
        return (first, second)
    }

    /// The data of a zone by one of its names.
    func zone(_ name: String) -> Zone? {
        zones.first { $0.names.contains(name) }
    }
}

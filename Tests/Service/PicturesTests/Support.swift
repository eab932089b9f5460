import CherishTestSupport
import Foundation
import Pictures
import Subprocess
import Testing

let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures")

func fixture(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: fixtures.appendingPathComponent(name)))
}

/// The names of the fixtures that are pictures.
func pictureNames() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: fixtures.path).sorted().filter {
        [".jpg", ".png", ".webp"].contains(where: $0.hasSuffix) && $0 != "animation.webp"
    }
}

/// The program, beside the test bundle.
let pictureProgram = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    .appendingPathComponent("cherish-picture").path

/// Makes pictures however busy the machine is. One for all tests, so that there is never more than one line.
let maker = pictureMaker()

func pictureMaker(
    program: String = pictureProgram, timeLimit: Duration = longWait, children: Int = 2, limit: Int = 10_000
) -> PictureMaker {
    // As the server does.
    signal(SIGPIPE, SIG_IGN)
    return PictureMaker(program: program, timeLimit: timeLimit, children: children, limit: limit)
}

/// What became of a picture.
func outcome(_ bytes: [UInt8], _ maker: PictureMaker = maker) async throws -> Result<[UInt8], PictureError> {
    do {
        return .success(try await maker.picture(from: bytes))
    } catch let error as PictureError {
        return .failure(error)
    }
}

/// The refusal of something that must not become a picture.
func refusal(_ bytes: [UInt8], _ maker: PictureMaker = maker) async throws -> PictureError? {
    guard case .failure(let error) = try await outcome(bytes, maker) else { return nil }
    return error
}

/// Runs a body with a folder of its own.
func withFolder<Value>(_ body: (URL) async throws -> Value) async throws -> Value {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cherish-pictures-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder)
}

/// Makes pictures with a shell script in the place of the program.
///
/// - Parameter script: in `$FOLDER`, it finds an empty folder.
func withScript<Value>(
    _ script: String, timeLimit: Duration = longWait, children: Int = 2, limit: Int = 16,
    _ body: (PictureMaker, URL) async throws -> Value
) async throws -> Value {
    try await withFolder { folder in
        let program = folder.appendingPathComponent("program")
        try Data("#!/bin/sh\nFOLDER='\(folder.path)'\n\(script)\n".utf8).write(to: program)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program.path)
        return try await body(
            pictureMaker(program: program.path, timeLimit: timeLimit, children: children, limit: limit), folder)
    }
}

/// Whether a file is there, and its text.
func text(_ name: String, in folder: URL) -> String? {
    try? String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
}

/// The standard output of a Python script of the fixtures.
func python(_ script: String, program: String = "python3", _ arguments: String...) async throws -> String {
    let result = try await run(
        .path("/usr/bin/env"),
        arguments: Arguments([program, fixtures.appendingPathComponent(script).path] + arguments),
        output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
    try #require(result.terminationStatus.isSuccess, "\(result.standardError)")
    return result.standardOutput
}

/// Pillow's opinion of stored pictures.
struct Judgement: Decodable {
    let name, format, mode: String
    let width, height: Int
    let metadata: [String]
    /// From what Pillow makes of the original: the mean of the channel that differs most, of 255.
    let difference: Double

    /// Whether Debian's python3-pil is there.
    static let isPossible = FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/PIL")

    /// The judgements about what becomes of some fixtures.
    ///
    /// - Parameter asReceipts: whether they are made into receipts.
    static func all(of names: [String], asReceipts: Bool = false) async throws -> [Judgement] {
        try await withFolder { folder in
            for name in names {
                let file = folder.appendingPathComponent(name)
                let original = try fixture(name)
                try Data(original).write(to: file)
                let stored =
                    asReceipts ? try await maker.receipt(from: original) : try await maker.picture(from: original)
                try Data(stored).write(to: file.appendingPathExtension("stored"))
            }
            let kind = asReceipts ? "whole" : "square"
            let lines = try await python("judge.py", program: "/usr/bin/python3", folder.path, kind)
                .split(separator: "\n")
            return try lines.map { try JSONDecoder().decode(Judgement.self, from: Data($0.utf8)) }
        }
    }
}

import CherishTestSupport
import Foundation
import PictureFormat
import Pictures
import SeededChance
import Testing

/// Each file here is either stored as a picture, which the maker has checked, or refused.
@Suite("Files that are no pictures, or worse", .timeLimit(.minutes(60)))
struct HostilePictureTests {
    @Test("other formats are refused, whatever their names say", arguments: ["bmp", "gif", "ico", "ppm", "tiff"])
    func otherFormats(name: String) async throws {
        #expect(try await refusal(fixture("other.\(name)")) == .notAPicture)
    }

    @Test("an animation is refused")
    func animation() async throws {
        #expect(try await refusal(fixture("animation.webp")) == .notAPicture)
    }

    @Test(
        "texts, programs and other formats with a picture's name are refused",
        arguments: [
            "", "\u{FF}", "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>", "%PDF-1.7\n", "GIF89a",
            "<!doctype html><script>alert(1)</script>", "PK\u{3}\u{4}", "\u{7F}ELF", "RIFF\u{4}\0\0\0WAVE",
            "\0\0\0\u{1c}ftypavif\0\0\0\0", "\0\0\0\u{18}ftypheic\0\0\0\0",
        ])
    func noPictures(text: String) async throws {
        #expect(try await refusal(Array(text.utf8)) == .notAPicture)
    }

    @Test(
        "the first bytes of a picture alone are broken",
        arguments: [[0xff, 0xd8, 0xff], PNGChunks.signature, Array("RIFF\0\0\0\0WEBP".utf8)] as [[UInt8]])
    func beginnings(bytes: [UInt8]) async throws {
        #expect(try await refusal(bytes) == .broken)
    }

    @Test("5 MiB are read, and one byte more is refused: by the server, and by the program itself")
    func bytes() async throws {
        let picture = try fixture("rgb.png")
        let most = picture + [UInt8](repeating: 0, count: PictureLimits.mostBytes - picture.count)
        let stored = try await maker.picture(from: most)
        #expect(try stored == (await maker.picture(from: picture)))
        try await withScript("touch \"$FOLDER/started\"") { maker, folder in
            let error = try await refusal(most + [0], maker)
            #expect(error == .tooManyBytes)
            #expect(text("started", in: folder) == nil)
        }
        // The script adds the byte behind the server's back.
        try await withScript("{ /bin/cat; printf x; } | \(pictureProgram)") { maker, _ in
            let error = try await refusal(most, maker)
            #expect(error == .tooManyBytes)
        }
    }

    // MARK: - Polyglots

    @Test("nothing that a file is besides a picture remains", arguments: ["jpg", "png", "webp"])
    func polyglots(kind: String) async throws {
        let name = ["jpg": "orientation-1.jpg", "png": "rgb.png", "webp": "lossy.webp"][kind]
        let picture = try fixture(try #require(name))
        let plain = try await maker.picture(from: picture)
        let archive =
            Array("PK\u{3}\u{4}evil.sh".utf8) + [UInt8](repeating: 7, count: 5000) + Array("PK\u{5}\u{6}".utf8)
        for rest in [archive, Array("<script>alert(1)</script>".utf8), Array("%PDF-1.7".utf8), picture] {
            let stored = try await maker.picture(from: picture + rest)
            #expect(stored == plain)
        }
    }

    @Test("a script in a comment, and a file in a segment of its own, are gone")
    func comments() async throws {
        let picture = try fixture("orientation-1.jpg")
        let script = Array("*/=alert(1);/*<script>alert(1)</script>".utf8)
        for marker: UInt8 in [0xfe, 0xe0, 0xe1, 0xef] {
            let segment = [0xff, marker, 0, UInt8(script.count + 2)] + script
            let stored = try await maker.picture(from: picture[..<2] + segment + picture[2...])
            #expect(Data(stored).range(of: Data("script".utf8)) == nil, "\(marker)")
        }
    }

    // MARK: - Bombs

    @Test("files that would be large are refused by their size, or cost no more than the largest that are allowed")
    func bombs() async throws {
        try await withFolder { folder in
            _ = try await python("bombs.py", folder.path)
            var outcomes: [String: PictureError?] = [:]
            try await withoutCrashes { maker in
                for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
                    let bytes = Array(try Data(contentsOf: folder.appendingPathComponent(name)))
                    outcomes.updateValue(try await refusal(bytes, maker), forKey: name)
                }
            }
            let refused: [String: PictureError] = [
                "too-many-pixels.png": .tooManyPixels, "too-many-pixels.jpg": .tooManyPixels,
                "too-many-pixels.webp": .tooManyPixels, "too-large-canvas.webp": .tooManyPixels,
                "too-long.png": .tooManyPixels, "scans.jpg": .broken, "lying.webp": .broken,
            ]
            for (name, refusal) in outcomes { #expect(refusal == refused[name], "\(name)") }
            #expect(outcomes.count == refused.count + 5)
        }
    }

    // MARK: - Damage

    @Test(
        "a file that is cut off is refused, wherever",
        arguments: ["cmyk.jpg", "progressive.jpg", "high.png", "large.webp"])
    func truncated(name: String) async throws {
        let bytes = try fixture(name)
        let lengths = Array(stride(from: 0, to: bytes.count, by: 64)) + [bytes.count - 1]
        let outcomes = await concurrently(lengths.count) { number in
            try await refusal(Array(bytes.prefix(lengths[number - 1])))
        }
        for outcome in outcomes {
            let refusal = try outcome.get()
            #expect(refusal == .broken || refusal == .notAPicture)
        }
    }

    @Test("damaged files are stored or refused, and none brings a decoder down")
    func damagedFiles() async throws {
        let names = try pictureNames().filter { $0 != "large.jpg" }
        let pictures = try names.map { try fixture($0) }
        try await withoutCrashes { maker in
            let outcomes = await concurrently(repetitions(2000, inDebug: 200)) { number in
                var generator = SplitMix64(seed: UInt64(number))
                return try await outcome(damaged(pictures[number % pictures.count], with: &generator), maker)
            }
            var storedCount = 0
            for outcome in outcomes {
                switch try outcome.get() {
                case .success(let stored):
                    storedCount += 1
                    let header = try PictureHeader(stored)
                    #expect(header.format == .jpeg && header.width == header.height && header.width <= 512)
                case .failure(let error):
                    #expect([.broken, .notAPicture, .tooManyPixels].contains(error))
                }
            }
            // Otherwise the decoders would have seen too few, or the damage too little.
            #expect(storedCount > outcomes.count / 10 && storedCount < outcomes.count * 9 / 10)
        }
    }

    /// Expects that no child crashes, or is killed because it reaches a limit. People would only see a broken picture.
    private func withoutCrashes(_ body: (PictureMaker) async throws -> Void) async throws {
        let script = """
            \(pictureProgram)
            status=$?
            [ $status -lt 6 ] || echo $status >> "$FOLDER/crashes"
            exit $status
            """
        try await withScript(script, limit: 10_000) { maker, folder in
            try await body(maker)
            #expect(text("crashes", in: folder) == nil)
        }
    }
}

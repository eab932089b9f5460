import Foundation
import Testing

@testable import WebGarden

@Suite("Files of the web garden")
struct GardenAssetTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources/Web/WebGarden/Assets")

    @Test("the program contains every file of the folder, and no other")
    func complete() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter { !$0.hasPrefix(".") }
        #expect(Set(names) == Set(GardenAssets.embedded.keys))
        for name in names {
            let bytes = try Data(contentsOf: Self.folder.appendingPathComponent(name))
            #expect(GardenAssets.embedded[name] == [UInt8](bytes), "\(name)")
        }
    }

    @Test("a name changes with what is in the file, and with what is in the files that it names")
    func hashes() {
        let first = GardenAssets(sources: [
            "garden.js": Array("import \"./a.js\";".utf8), "a.js": Array("1".utf8), "b.js": Array("1".utf8),
            "1.css": Array("p{}".utf8),
            "worker.js": Array("const assets = [/* assets */]; const version = \"/* version */\";".utf8),
        ])
        let second = GardenAssets(sources: [
            "garden.js": Array("import \"./a.js\";".utf8), "a.js": Array("2".utf8), "b.js": Array("1".utf8),
            "1.css": Array("p{}".utf8),
            "worker.js": Array("const assets = [/* assets */]; const version = \"/* version */\";".utf8),
        ])
        #expect(first.path("a.js") != second.path("a.js") && first.path("garden.js") != second.path("garden.js"))
        #expect(first.path("b.js") == second.path("b.js") && first.path("garden.css") == second.path("garden.css"))
        #expect(first.worker.bytes != second.worker.bytes)
        let garden = first.files[String(first.path("garden.js").dropFirst("/assets/".count))]
        #expect(garden?.bytes == Array("import \"\(first.path("a.js"))\";".utf8))
        let worker = String(decoding: first.worker.bytes, as: UTF8.self)
        #expect(worker.contains("\"\(first.path("a.js"))\"") && !worker.contains("/*"))
    }

    @Test("scripts lose the lines that are comments, and no code")
    func comments() {
        let script = """
            // What it does.
            /** One line. */
            const a = "// no comment";
                /**
                 * @param {string} b
                 */
                f(/** @type {any} */ (b)); // stays
            /** @type {any} */ (c).d();
            """
        #expect(
            GardenAssets.withoutComments(script) == """
                const a = "// no comment";
                    f(/** @type {any} */ (b)); // stays
                /** @type {any} */ (c).d();
                """)
    }

    @Test("styles, scripts and pictures of the first page are as light as promised")
    func weight() {
        func weight(_ isCounted: (GardenAssets.File) -> Bool) -> Int {
            GardenAssets.shared.files.values.filter(isCounted).reduce(0) { $0 + ($1.compressed ?? $1.bytes).count }
        }
        let styles = weight { $0.mediaType.hasPrefix("text/css") }
        let scripts = weight { $0.mediaType.hasPrefix("text/javascript") }
        let pictures = weight {
            $0.name.hasPrefix("plants.") && $0.name.hasSuffix(".svg") || $0.name.hasPrefix("icon.")
        }
        #expect(styles <= 15_000 && scripts <= 25_000)
        #expect(styles + scripts + pictures <= 60_000)
        print("compressed: styles \(styles), scripts \(scripts), pictures \(pictures) bytes")
    }

    @Test("no file names another server, and no reference is left without its hash")
    func references() {
        for file in GardenAssets.shared.files.values where !file.mediaType.hasPrefix("image/png") {
            let text = String(decoding: file.bytes, as: UTF8.self)
            let addresses = text.matches(of: #/https?:\/\/[^"'\s)]+/#).map { String($0.0) }
            #expect(addresses.allSatisfy { $0.hasPrefix("http://www.w3.org/") }, "\(file.name): \(addresses)")
            #expect(text.firstMatch(of: #/from "\.\//#) == nil && text.firstMatch(of: #/import "\.\//#) == nil)
        }
    }

    @Test("what is compressed is the same when it is decompressed", arguments: [0, 1, 1_000, 100_000])
    func gzip(length: Int) throws {
        let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) }
        let compressed = try #require(Gzip.compress(bytes, level: 9))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/gzip")
        process.arguments = ["-dc"]
        let (input, output) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        input.fileHandleForWriting.write(Data(compressed))
        try input.fileHandleForWriting.close()
        let result = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect([UInt8](result) == bytes)
    }
}

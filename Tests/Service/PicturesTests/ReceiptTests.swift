import CherishTestSupport
import Foundation
import PictureFormat
import Pictures
import SeededChance
import Subprocess
import Testing

/// What becomes of receipts (rule 11.6). The PDFs among the fixtures hold a mark wherever something may hide.
@Suite("Receipts as they are stored", .timeLimit(.minutes(30)))
struct ReceiptTests {
    private static let mark = "whereabouts"

    /// The refusal of something that must not become a receipt.
    private func refusal(_ bytes: [UInt8]) async throws -> PictureError? {
        do {
            _ = try await maker.receipt(from: bytes)
            return nil
        } catch let error as PictureError {
            return error
        }
    }

    /// What a program of Debian's poppler-utils prints about a PDF.
    private func poppler(_ program: String, _ arguments: [String], _ bytes: [UInt8]) async throws -> [UInt8] {
        try await withFolder { folder in
            let file = folder.appendingPathComponent("receipt.pdf").path
            try Data(bytes).write(to: URL(fileURLWithPath: file))
            let result = try await run(
                .path(.init("/usr/bin/\(program)")), arguments: Arguments(arguments.map { $0 == "FILE" ? file : $0 }),
                output: .bytes(limit: 1 << 24), error: .discarded)
            try #require(result.terminationStatus.isSuccess, "\(program)")
            return result.standardOutput
        }
    }

    private func text(_ program: String, _ arguments: String..., of bytes: [UInt8]) async throws -> String {
        String(decoding: try await poppler(program, arguments, bytes), as: UTF8.self)
    }

    /// A PDF with all its streams unpacked.
    private func unpacked(_ bytes: [UInt8]) async throws -> String {
        try await withFolder { folder in
            let file = folder.appendingPathComponent("receipt.pdf")
            try Data(bytes).write(to: file)
            return try await python("hidden.py", file.path)
        }
    }

    @Test(
        "a PDF keeps its pages as they look, and nothing else: nothing that hides, runs or leads away",
        .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/pdftoppm")),
        arguments: ["receipt", "compressed", "restricted"])
    func pages(name: String) async throws {
        let original = try fixture("\(name).pdf")
        let stored = try await maker.receipt(from: original)
        #expect(try await text("pdftotext", "FILE", "-", of: stored).contains("Milk 3000 won"))
        #expect(
            try await poppler("pdftoppm", ["-r", "50", "FILE"], stored)
                == (try await poppler("pdftoppm", ["-r", "50", "FILE"], original)))
        #expect(try await text("pdfimages", "-list", "FILE", of: stored).contains("jpeg"))
        let facts = try await text("pdfinfo", "FILE", of: stored)
        for line in ["Metadata Stream: no", "Form:            none", "JavaScript:      no", "Encrypted:       no"] {
            #expect(facts.contains(line), "\(facts)")
        }
        for entry in ["Title:", "Author:", "Producer:", "CreationDate:"] { #expect(!facts.contains(entry), "\(facts)") }
        #expect(try await text("pdfdetach", "-list", "FILE", of: stored).hasPrefix("0 "))
        let inside = try await unpacked(stored)
        for trace in [
            Self.mark, "/JS", "/URI", "/Annots", "/EmbeddedFile", "/AcroForm", "/OpenAction", "Exif", "Photoshop",
        ] {
            #expect(!inside.contains(trace), "\(trace)")
        }
    }

    @Test("the mark is found where it hides, so its absence says something")
    func markIsFound() async throws {
        let inside = try await unpacked(fixture("receipt.pdf"))
        #expect(inside.components(separatedBy: Self.mark).count > 15)
        let stored = try await maker.receipt(from: fixture("receipt.pdf"))
        #expect(try await unpacked(stored).contains("Milk 3000 won"))
    }

    @Test("the same file makes the same bytes: they tell no time")
    func sameBytes() async throws {
        let first = try await maker.receipt(from: fixture("receipt.pdf"))
        try await Task.sleep(for: .milliseconds(1_100))
        #expect(try await maker.receipt(from: fixture("receipt.pdf")) == first)
    }

    @Test("1 to 20 pages are accepted")
    func pageCounts() async throws {
        #expect(try await maker.receipt(from: fixture("pages-20.pdf")).starts(with: "%PDF-".utf8))
        #expect(try await refusal(fixture("pages-21.pdf")) == .tooManyPages)
        let none = """
            %PDF-1.7
            1 0 obj
            << /Type /Catalog /Pages 2 0 R >>
            endobj
            2 0 obj
            << /Type /Pages /Kids [] /Count 0 >>
            endobj
            trailer << /Root 1 0 R /Size 3 >>
            """
        #expect(try await refusal(Array(none.utf8)) == .tooManyPages)
    }

    @Test("a locked PDF, one that is cut off, and one with a picture in a wrapping are refused")
    func broken() async throws {
        #expect(try await refusal(fixture("locked.pdf")) == .broken)
        #expect(try await refusal(fixture("wrapped.pdf")) == .broken)
        #expect(try await refusal(Array("%PDF-1.7\n".utf8)) == .broken)
        #expect(try await refusal(Array(fixture("receipt.pdf").prefix(200))) == .broken)
    }

    @Test(
        "what is neither a picture nor a PDF is refused, whatever its name",
        arguments: ["", "<svg onload='alert(1)'/>", "GIF89a", "PK\u{3}\u{4}", " %PDF-1.7", "<!doctype html>%PDF-1.7"])
    func otherFiles(text: String) async throws {
        #expect(try await refusal(Array(text.utf8)) == .notAReceipt)
    }

    @Test("an account's picture is no PDF")
    func pictureIsNoPDF() async throws {
        await #expect(throws: PictureError.notAPicture) { try await maker.picture(from: fixture("receipt.pdf")) }
    }

    @Test("nested and endless structures and packed gigabytes end the child, and nothing else")
    func hostile() async throws {
        let nested = Array("%PDF-1.7\n1 0 obj\n".utf8) + Array(repeating: UInt8(ascii: "["), count: 2_000_000)
        #expect(try await refusal(nested) == .broken)
        let loop = """
            %PDF-1.7
            1 0 obj
            << /Type /Catalog /Pages 2 0 R >>
            endobj
            2 0 obj
            << /Type /Pages /Kids [2 0 R] /Count 1 >>
            endobj
            trailer << /Root 1 0 R /Size 3 >>
            """
        #expect(try await refusal(Array(loop.utf8)) == .broken)
        // Each object refers to the next: calls within calls would exhaust a stack.
        var chain = "%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n"
        chain += "<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 9 9] >>\nendobj\n"
        chain += "3 0 obj\n<< /Type /Page /Parent 2 0 R /Resources << /Font 4 0 R >> >>\nendobj\n"
        for number in 4..<90_000 { chain += "\(number) 0 obj\n<</N \(number + 1) 0 R>>\nendobj\n" }
        let outcome = try await refusal(Array((chain + "trailer << /Root 1 0 R /Size 90000 >>\n").utf8))
        #expect(outcome == nil || outcome == .broken)
    }

    @Test("damaged PDFs make receipts or are refused")
    func damaged() async throws {
        let original = try fixture("receipt.pdf")
        var chance = SplitMix64(seed: 23)
        for _ in 0..<repetitions(300, inDebug: 30) {
            var bytes = original
            for _ in 0..<chance.element(of: [1, 3, 20]) {
                bytes[chance.number(in: 0...bytes.count - 1)] = UInt8(chance.number(in: 0...255))
            }
            if chance.chance(30) { bytes = Array(bytes.prefix(chance.number(in: 0...bytes.count - 1))) }
            let outcome = try await refusal(bytes)
            #expect([nil, .broken, .tooManyPages, .notAReceipt].contains(outcome))
        }
    }

    @Test(
        "every kind of picture becomes what Pillow makes of it: upright, on white, in its proportions",
        .enabled(if: Judgement.isPossible))
    func pictures() async throws {
        let names = try pictureNames()
        let judgements = try await Judgement.all(of: names, asReceipts: true)
        #expect(judgements.map(\.name) == names)
        for judgement in judgements {
            #expect(judgement.format == "JPEG" && judgement.mode == "RGB" && judgement.metadata == [], "\(judgement)")
            #expect(judgement.difference < 8, "\(judgement)")
        }
    }

    @Test("a receipt that is a picture has 4 million pixels at most, and the whole of its width and height")
    func size() async throws {
        let (wide, stored) = (
            try PictureHeader(fixture("many-pixels.png")), try await maker.receipt(from: fixture("many-pixels.png"))
        )
        let header = try PictureHeader(stored)
        #expect(wide.width * wide.height > PictureLimits.receiptPixels)
        #expect(header.width * header.height <= PictureLimits.receiptPixels)
        #expect(abs(header.width * wide.height - header.height * wide.width) < max(wide.width, wide.height))
        #expect(header.width * header.height > PictureLimits.receiptPixels * 99 / 100)
    }
}

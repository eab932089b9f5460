import Foundation
import Testing

/// docs/glossary.md has one word per meaning. Private words that we used before do not come back.
@Suite("The words of the glossary")
struct GlossaryTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Rejected parts of type names, and the glossary's word.
    private static var rejected: [(part: Regex<Substring>, instead: String)] {
        [
            (/Companion/, "group member"), (/Notice/, "sent push"), (/Told/, "sent or delivered"),
            (/^Tick$/, "lane runner"), (/^Present$/, "command context"), (/AffectionAccount/, "ledger"),
            (/Archive/, "export, history or remove"), (/Restored/, "seeded, or brought back"),
            (/Snooze/, "postponement"), (/Watermark/, "cursor"), (/Shard/, "lane"), (/Acknowledg/, "receipt"),
        ]
    }

    @Test("no type has a rejected name")
    func types() throws {
        let declaration =
            #/^\s*(?:(?:public|package|private|fileprivate|final) )*(?:struct|enum|class|protocol|actor) (\w+)/#
        let folder = Self.root.appendingPathComponent("Sources")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var count = 0
        for case let file as URL in files where file.pathExtension == "swift" {
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                guard let name = line.prefixMatch(of: declaration)?.output.1 else { continue }
                count += 1
                for (part, instead) in Self.rejected {
                    #expect(name.firstMatch(of: part) == nil, "\(file.lastPathComponent): \(name): say \(instead)")
                }
            }
        }
        #expect(count > 500)
    }

    @Test("the glossary lists the rejected words")
    func listed() throws {
        let text = try String(
            contentsOf: Self.root.appendingPathComponent("docs/glossary.md"), encoding: .utf8
        ).lowercased()
        for word in ["companion", "notice", "archive", "snooze", "watermark", "shard", "acknowledgement"] {
            #expect(text.contains(word), "\(word)")
        }
    }
}

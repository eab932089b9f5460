import Foundation
import Testing

@testable import ReportPage

@Suite("The page's colours")
struct StyleSheetTests {
    private typealias Palette = [String: Double]

    /// The relative luminance of each colour, as defined by WCAG 2.2.
    private func palette(_ text: Substring) -> Palette {
        var palette: Palette = [:]
        for match in text.matches(of: #/--([a-z0-9]+):#([0-9a-f]{3,6})/#) {
            let digits = match.2.count == 3 ? match.2.map { "\($0)\($0)" }.joined() : String(match.2)
            guard let number = Int(digits, radix: 16) else { continue }
            let channels = [16, 8, 0].map { shift -> Double in
                let value = Double(number >> shift & 0xFF) / 255
                return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
            }
            palette[String(match.1)] = 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]
        }
        return palette
    }

    private func palettes() throws -> [(name: String, colours: Palette)] {
        let text = StyleSheet.markup.source
        let dark = try #require(text.range(of: "prefers-color-scheme:dark"))
        return [("light", palette(text[..<dark.lowerBound])), ("dark", palette(text[dark.upperBound...]))]
    }

    private func contrast(_ first: String, _ second: String, in palette: Palette) throws -> Double {
        let (one, other) = (try #require(palette[first]), try #require(palette[second]))
        return (max(one, other) + 0.05) / (min(one, other) + 0.05)
    }

    @Test("texts have a contrast of at least 4.5 to 1, in light and dark mode")
    func texts() throws {
        let pairs = [
            ("ink", "card"), ("ink", "paper"), ("muted", "card"), ("muted", "paper"), ("water", "card"),
            ("bud", "card"), ("ink", "heat1"), ("ink", "heat2"), ("card", "heat3"), ("card", "heat4"),
        ]
        for palette in try palettes() {
            for (text, ground) in pairs {
                let found = try contrast(text, ground, in: palette.colours)
                #expect(found >= 4.5, "\(palette.name): \(text) on \(ground)")
            }
        }
    }

    @Test("marks in charts have a contrast of at least 3 to 1")
    func marks() throws {
        let marks = [
            "sprout", "bud", "bloom", "water", "plain", "delivered", "superseded", "suppressed", "expired", "dead",
            "pending",
        ]
        for palette in try palettes() {
            for mark in marks {
                #expect(try contrast(mark, "card", in: palette.colours) >= 3, "\(palette.name): \(mark)")
            }
        }
    }

    @Test("both schemes have the same colours, and every class in a chart has one")
    func complete() throws {
        let palettes = try palettes()
        #expect(Set(palettes[0].colours.keys) == Set(palettes[1].colours.keys))
        #expect(palettes[0].colours.count > 15)
        let page = ReportPage.html(.huge(), of: .service, in: .english)
        let classes = try body(of: page).filter { ["rect", "circle", "span"].contains($0.name) }
            .compactMap { $0.attributes["class"] }.flatMap { $0.split(separator: " ") }
        for name in Set(classes) {
            #expect(page.contains(".\(name){"), "\(name)")
        }
    }
}

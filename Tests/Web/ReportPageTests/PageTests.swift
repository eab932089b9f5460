import CherishCore
import HTMLMarkup
import Foundation
import Testing

@testable import ReportPage

@Suite("The page")
struct PageTests {
    private static let parts = ["garden", "calendar", "waterings", "pushes", "rhythm", "keywords"]

    private func page(
        _ figures: GardenFigures = .sample(), of subject: ReportPage.Subject = .account(nickname: "Minji"),
        in language: Language = .english
    ) -> String {
        ReportPage.html(figures, of: subject, in: language)
    }

    @Test("the same figures give the same bytes", arguments: Language.allCases)
    func deterministic(_ language: Language) {
        #expect(page(in: language) == page(in: language))
        #expect(page(in: language).hasPrefix("<!doctype html>\n<html lang=\"\(language.rawValue)\">"))
    }

    @Test("it is self-contained, and forbids the browser to load anything")
    func selfContained() {
        let page = page()
        for word in ["http://", "https://", "<script", "<link", "<img", "src=", "url(", "@import", "<iframe"] {
            #expect(!page.contains(word), "\(word)")
        }
        #expect(page.contains("content=\"default-src 'none'; style-src 'unsafe-inline'\""))
    }

    @Test("every chart has a title, a description and a table", arguments: Language.allCases)
    func heard(_ language: Language) throws {
        let elements = try body(of: page(in: language))
        let pictures = elements.named("svg").filter { $0.attributes["role"] == "img" }
        #expect(pictures.count == Self.parts.count)
        for (picture, part) in zip(pictures, Self.parts) {
            #expect(picture.attributes["aria-labelledby"] == "\(part)-title \(part)-description")
            let title = try #require(elements.with(id: "\(part)-title"))
            let description = try #require(elements.with(id: "\(part)-description"))
            #expect(title.name == "title" && !title.text.isEmpty)
            #expect(description.name == "desc" && !description.text.isEmpty)
        }
        #expect(elements.named("table").count == Self.parts.count)
        // Six links "as a table" would not tell what they show.
        let summaries = elements.named("summary").count
        #expect(summaries == Self.parts.count)
        let spoken = elements.withClass("heard").filter { $0.name == "span" }.map(\.text)
        #expect(Set(spoken).count == Self.parts.count)
        #expect(elements.named("caption").allSatisfy { !$0.text.isEmpty })
        let headers = elements.named("th").allSatisfy { ["col", "row"].contains($0.attributes["scope"]) }
        #expect(headers)
        let identifiers = elements.compactMap { $0.attributes["id"] }
        #expect(Set(identifiers).count == identifiers.count)
    }

    @Test("an empty garden says so in each part", arguments: Language.allCases)
    func empty(_ language: Language) throws {
        let elements = try body(of: page(.empty(), in: language))
        #expect(elements.named("section").withClass("empty").count == Self.parts.count)
        #expect(elements.named("svg").allSatisfy { $0.attributes["role"] == nil })
        #expect(elements.named("table").isEmpty)
        let leads = elements.withClass("lead").map(\.text)
        #expect(leads.count == Self.parts.count)
        #expect(Set(leads).count == Self.parts.count)
        let words = language == .korean ? "아직" : "yet"
        #expect(leads.contains { $0.contains(words) })
    }

    @Test(
        "user content stays text: elements, quotes, entities, control characters, directions",
        arguments: [
            "<b>x</b>", "</svg>", "\"'&<>", "&lt;", "]]>", "<!--", "a\u{0}b\u{1B}c", "\u{202E}abc",
            "\u{FFFE}\u{85}", "👨‍👩‍👧‍👦",
        ])
    func escaped(_ text: String) throws {
        func page(with text: String) -> String {
            let day = GardenFigures.tuesday
            let figures = GardenFigures(
                today: day, firstDay: day, lastDay: day,
                keywords: [GardenFigures.Keyword(text: text, reviewCount: 3)])
            return self.page(figures, of: .account(nickname: text))
        }
        let written = page(with: text)
        let elements = try body(of: written)
        let plain = try body(of: page(with: "plain"))
        // It adds and removes no element.
        #expect(elements.map(\.name) == plain.map(\.name))
        let controls = written.unicodeScalars.filter { $0.properties.generalCategory == .control && $0 != "\n" }
        #expect(controls.isEmpty)
        let shown = try #require(elements.withClass("word").first).text
        let isHarmless = text.unicodeScalars.allSatisfy { $0.value >= 32 && ![0x85, 0xFFFE].contains($0.value) }
        #expect(shown.contains("\u{FFFD}") == !isHarmless)
        if isHarmless { #expect(shown == text) }
    }

    @Test(
        "whose page it is",
        arguments: [
            (ReportPage.Subject.account(nickname: "민지"), Language.korean, "민지님의 정원"),
            (.account(nickname: "Minji"), .english, "The garden of Minji"),
            (.account(nickname: nil), .english, "One garden"), (.service, .korean, "모든 정원"),
        ])
    func subject(_ subject: ReportPage.Subject, _ language: Language, _ title: String) throws {
        let elements = try body(of: page(of: subject, in: language))
        #expect(elements.named("h1").map(\.text) == [title])
    }

    @Test("a page of a single day says today")
    func today() throws {
        let watered = GardenFigures.WateringDay(day: GardenFigures.tuesday, wateringCount: 2, reviewedCount: 1)
        let push = GardenFigures.PushDay(
            day: GardenFigures.tuesday, outcome: .delivered, reason: .sent, pushCount: 2)
        let figures = GardenFigures(
            today: GardenFigures.tuesday, firstDay: GardenFigures.tuesday, lastDay: GardenFigures.tuesday,
            wateringDays: [watered], pushDays: [push])
        let elements = try body(of: page(figures))
        #expect(elements.named("dt").map(\.text).contains("Waterings today"))
        let leads = elements.withClass("lead").map(\.text)
        #expect(leads.contains("2 waterings today; 50% with a review."))
        #expect(leads.contains("2 pushes planned today; 100% delivered."))
    }

    @Test("a reason that this version does not know is shown as the log stores it, after the others")
    func unknownReason() throws {
        let day = GardenFigures.tuesday
        let reasons = [PushReason(rawValue: "later_<idea>"), PushReason(rawValue: "a_later_idea"), .watered]
        let pushes = reasons.map {
            GardenFigures.PushDay(day: day, outcome: .superseded, reason: $0, pushCount: 2)
        }
        let elements = try body(
            of: page(GardenFigures(today: day, firstDay: day, lastDay: day, pushDays: pushes)))
        let named = ["watered meanwhile", "a_later_idea", "later_<idea>"]
        #expect(elements.named("bdi").map(\.text).filter { named.contains($0) } == named)
    }

    @Test("the figures at the top are sums over the garden")
    func head() throws {
        let elements = try body(of: page())
        // 12 plants, 1 thirsty, 1 withered, 1 full, 6 waterings.
        #expect(elements.named("dd").map(\.text) == ["12", "1", "1", "1", "6"])
        let days = elements.withClass("day").map(\.text)
        #expect(days == ["Tuesday, 2\u{A0}March 2027"])
    }

    @Test("a service of a billion plants fits on a page, and every mark into its chart")
    func huge() throws {
        let page = page(.huge(), of: .service, in: .korean)
        #expect(page.utf8.count < 400_000)
        let elements = try body(of: page)
        var height = 0.0
        for element in elements {
            if element.name == "svg" {
                height = Double(element.attributes["viewBox"]?.split(separator: " ").last ?? "") ?? 0
            }
            guard element.name == "rect" else { continue }
            let (x, y) = (try element.number("x"), try element.number("y"))
            let (width, length) = (try element.number("width"), try element.number("height"))
            #expect(x >= 0 && y >= 0 && x + width <= Picture.width + 0.1 && y + length <= height + 0.1, "\(element)")
        }
        #expect(elements.withClass("word").count == 40)
        for name in ["NaN", "nan", "inf"] { #expect(!page.contains("\"\(name)")) }
    }
}

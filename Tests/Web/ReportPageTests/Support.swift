import CherishCore
import HTMLMarkup
import Foundation
import Testing

#if canImport(FoundationXML)
    import FoundationXML
#endif

@testable import ReportPage

func civilDay(_ text: String) throws -> CivilDay {
    try #require(CivilDay(text), "\(text) is not a civil day")
}

/// An element of a page, with its attributes and its own text.
struct Element {
    let name: String
    let attributes: [String: String]
    let depth: Int
    var text = ""

    func number(_ attribute: String) throws -> Double {
        let text = try #require(attributes[attribute], "\(name) has no \(attribute)")
        return try #require(Double(text), "\(attribute) of \(name) is \(text)")
    }

    func hasClass(_ name: String) -> Bool {
        attributes["class"]?.split(separator: " ").contains { $0 == name } == true
    }
}

/// Parses markup as XML, so nothing may be left open or unescaped.
final class Elements: NSObject, XMLParserDelegate {
    private(set) var all: [Element] = []
    private var open: [Int] = []

    /// - Throws: if the markup is not well-formed.
    static func of(_ markup: String) throws -> [Element] {
        let parser = XMLParser(data: Data(markup.utf8))
        let elements = Elements()
        parser.delegate = elements
        let isWellFormed = parser.parse()
        try #require(
            isWellFormed, "line \(parser.lineNumber): \(parser.parserError.map { "\($0)" } ?? "not well-formed")")
        return elements.all
    }

    func parser(
        _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        open.append(all.count)
        all.append(Element(name: elementName, attributes: attributes, depth: open.count))
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        if let last = open.last { all[last].text += string }
    }

    func parser(
        _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?, qualifiedName: String?
    ) {
        open.removeLast()
    }
}

extension [Element] {
    func named(_ name: String) -> [Element] {
        filter { $0.name == name }
    }

    func withClass(_ name: String) -> [Element] {
        filter { $0.hasClass(name) }
    }

    func with(id: String) -> Element? {
        first { $0.attributes["id"] == id }
    }
}

/// The body of a page, which is also valid XML.
func body(of page: String) throws -> [Element] {
    let start = try #require(page.range(of: "<body>"))
    let end = try #require(page.range(of: "</body>"))
    return try Elements.of(String(page[start.lowerBound..<end.upperBound]))
}

extension Picture {
    func elements() throws -> [Element] {
        try Elements.of(svg(id: "test").source)
    }
}

extension Card {
    func picture() throws -> Picture {
        try #require(content).picture
    }
}

extension GardenFigures {
    static let tuesday = CivilDay(year: 2027, month: 3, day: 2)!  // a day that there is

    static func empty(days: Int = 90) -> GardenFigures {
        GardenFigures(today: tuesday, firstDay: tuesday + (1 - days), lastDay: tuesday + 90)
    }

    /// A garden with something of everything.
    static func sample(days: Int = 90) -> GardenFigures {
        GardenFigures(
            today: tuesday, firstDay: tuesday + (1 - days), lastDay: tuesday + 90,
            groups: [
                Group(species: .rosemary, stage: .bloom, thriving: 1, thirsty: 0, withered: 0, full: 1),
                Group(species: .americanBlue, stage: .sprout, thriving: 3, thirsty: 1, withered: 1, full: 0),
                Group(species: .americanBlue, stage: .bud, thriving: 2, thirsty: 0, withered: 0, full: 0),
                Group(species: .echinopsis, stage: .sprout, thriving: 4, thirsty: 0, withered: 0, full: 0),
            ],
            dueDays: [
                DueDay(day: tuesday, plantCount: 1), DueDay(day: tuesday + 5, plantCount: 4),
                DueDay(day: tuesday + 60, plantCount: 2),
            ],
            wateringDays: [
                WateringDay(day: tuesday + -20, wateringCount: 2, reviewedCount: 1),
                WateringDay(day: tuesday + -3, wateringCount: 4, reviewedCount: 4),
            ],
            rhythms: [
                Rhythm(cycleDays: 7, plantCount: 3, medianGapDays: 7, longGapDays: 9.5),
                Rhythm(cycleDays: 30, plantCount: 1, medianGapDays: 41.5, longGapDays: 60),
            ],
            keywords: [Keyword(text: "바다", reviewCount: 5), Keyword(text: "cafe", reviewCount: 1)],
            pushDays: [
                PushDay(day: tuesday + -20, outcome: .delivered, reason: .sent, pushCount: 3),
                PushDay(day: tuesday + -3, outcome: .dead, reason: .tokenDead, pushCount: 1),
                PushDay(day: tuesday, outcome: nil, reason: nil, pushCount: 1),
            ])
    }

    /// A garden with the maximum of everything.
    static func huge() -> GardenFigures {
        let many = 999_999_999
        let days = 730
        return GardenFigures(
            today: tuesday, firstDay: tuesday + (1 - days), lastDay: tuesday + 90,
            groups: Species.allCases.flatMap { species in
                GrowthStage.allCases.map {
                    Group(species: species, stage: $0, thriving: many, thirsty: many, withered: many, full: many)
                }
            },
            dueDays: (0...90).map { DueDay(day: tuesday + $0, plantCount: many) },
            wateringDays: (0..<days).map {
                WateringDay(day: tuesday + -$0, wateringCount: many, reviewedCount: many / 2)
            },
            rhythms: (1...90).map {
                Rhythm(cycleDays: $0, plantCount: many, medianGapDays: Double($0) * 8, longGapDays: 20_000)
            },
            keywords: (1...200).map { Keyword(text: "키워드\($0)", reviewCount: many - $0) },
            pushDays: (0..<days).flatMap { day in
                PushReason.all.enumerated().map { place, reason in
                    PushDay(
                        day: tuesday + -day, outcome: PushOutcome.allCases[place % PushOutcome.allCases.count],
                        reason: reason, pushCount: many)
                }
            })
    }
}

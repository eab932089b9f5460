import CherishCore
import HTMLMarkup

/// A bar per species, divided by growth stage.
struct GardenCard {
    private static let rowHeight = 34.0
    private static let barHeight = 18.0
    /// Names end left of this, bars begin here.
    private static let barStart = 116.0
    private static let longestBar = 180.0

    let groups: [GardenFigures.Group]
    let words: Wording

    var card: Card {
        let total = groups.reduce(0) { $0 + $1.plantCount }
        let full = groups.reduce(0) { $0 + $1.full }
        guard total > 0 else {
            return Card(
                id: "garden", heading: heading, lead: words("아직 심은 친구가 없어요.", "No friend is planted yet."),
                content: nil)
        }
        let lead =
            full == 0
            ? words(
                "식물 \(words.count(total))그루가 자라고 있어요.",
                "\(words.count(total, "", "plant")), none with full affection yet.")
            : words(
                "식물 \(words.count(total))그루 가운데 \(words.count(full))그루는 애정이 가득해요.",
                "\(words.count(total, "", "plant")), \(words.count(full)) of them with full affection.")
        return Card(
            id: "garden", heading: heading, lead: lead,
            content: Card.Content(picture: picture(lead), legend: legend, table: table))
    }

    private var heading: String { words("정원", "The garden") }

    private var legend: [LegendEntry] {
        GrowthStage.allCases.map { LegendEntry(style: $0.rawValue, text: words.name(of: $0)) }
    }

    private func count(_ species: Species, _ stage: GrowthStage? = nil) -> Int {
        groups.filter { $0.species == species && (stage == nil || $0.stage == stage) }.reduce(0) { $0 + $1.plantCount }
    }

    private func picture(_ lead: String) -> Picture {
        let most = max(1, Species.allCases.map { count($0) }.max() ?? 1)
        let rows = Species.allCases.enumerated().map { place, species in
            row(species, top: Double(place) * Self.rowHeight, unit: Self.longestBar / Double(most))
        }
        return Picture(
            title: words("종과 자란 정도에 따른 식물", "Plants by species and stage"), description: lead,
            height: Double(Species.allCases.count) * Self.rowHeight, drawing: rows)
    }

    private func row(_ species: Species, top: Double, unit: Double) -> Markup {
        let total = count(species)
        let middle = top + Self.rowHeight / 2
        var left = Self.barStart
        var bars: [Markup] = []
        for stage in GrowthStage.allCases where count(species, stage) > 0 {
            let plants = count(species, stage)
            let length = Double(plants) * unit
            let name = "\(words.name(of: species)), \(words.name(of: stage)): \(words.count(plants, "그루", "plant"))"
            bars.append(
                """
                <rect class="\(stage.rawValue)" x="\(left)" y="\(middle - Self.barHeight / 2)" \
                width="\(max(length - 1.5, 1))" height="\(Self.barHeight)" rx="2"><title>\(name)</title></rect>
                """)
            left += length
        }
        return """
            <text class="name end" x="\(Self.barStart - 8)" y="\(middle + 5)">\(words.name(of: species))</text>\(bars)\
            <text class="figure" x="\(left + 5)" y="\(middle + 5)">\(words.compact(total))</text>
            """
    }

    private var table: DataTable {
        let stages = GrowthStage.allCases
        return DataTable(
            columns: [DataTable.Column(title: words("종", "Species"))]
                + stages.map { DataTable.Column(title: words.name(of: $0), isNumber: true) }
                + [DataTable.Column(title: words("모두", "All"), isNumber: true)],
            rows: Species.allCases.map { species in
                let counts = stages.map { count(species, $0) } + [count(species)]
                return [words.name(of: species)] + counts.map { words.count($0) }
            })
    }
}

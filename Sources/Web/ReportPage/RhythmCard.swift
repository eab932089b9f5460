import CherishCore
import HTMLMarkup
import Foundation

/// Planned against actual rhythm: one dot per cycle, on the diagonal if both agree.
struct RhythmCard {
    private static let left = 40.0
    private static let right = 350.0
    private static let top = 28.0
    private static let bottom = 230.0
    private static let height = 268.0
    /// The shortest cycle, then the longest cycle of each species.
    private static let ticks = [1, 3, 7, 15, 30, 90]

    let rhythms: [GardenFigures.Rhythm]
    /// Whether the rhythms come from a sample of the plants.
    var isSample = false
    let words: Wording

    var card: Card {
        let heading = words("약속한 주기와 실제 간격", "Rhythm against cycle")
        guard !rhythms.isEmpty else {
            return Card(
                id: "rhythm", heading: heading,
                lead: words("서로 다른 두 날에 물을 받은 식물이 아직 없어요.", "No plant was watered on two days yet."), content: nil)
        }
        let plants = rhythms.reduce(0) { $0 + $1.plantCount }
        let late = rhythms.filter { $0.medianGapDays > Double($0.cycleDays) }.reduce(0) { $0 + $1.plantCount }
        let known = words(
            "\(isSample ? "표본으로 뽑은 " : "")리듬을 알 수 있는 \(words.count(plants))그루",
            "\(isSample ? "A sample of " : "")\(words.count(plants, "", "plant")) with a rhythm")
        let lead =
            late == 0
            ? words("\(known) 모두 제때 물을 받는 주기에 있어요.", "\(known), none on a cycle that is kept later than planned.")
            : words(
                "\(known) 가운데 \(words.count(late))그루의 주기는 약속보다 늦게 지켜져요.",
                "\(known); \(words.count(late)) on cycles that are kept later than planned.")
        return Card(
            id: "rhythm", heading: heading, lead: lead,
            content: Card.Content(picture: picture(heading, lead), table: table, remark: remark))
    }

    private var remark: String {
        words(
            "점은 같은 주기의 식물들이고, 많을수록 커요. 점은 간격의 중앙값, 선 끝은 열 번 가운데 아홉 번이 드는 간격이에요.",
            """
            A dot stands for all plants of a cycle, the larger the more: it lies at the median gap, and its line ends \
            where nine gaps of ten are shorter.
            """)
    }

    // MARK: Scale

    /// The days at the top of the vertical axis.
    private var longest: Double {
        let most = rhythms.map { max($0.medianGapDays, $0.longGapDays) }.max() ?? 0
        return [90, 180, 365].first { most <= $0 } ?? 730
    }

    /// Logarithmic: one day matters more for a short cycle than for a long one.
    private func fraction(_ days: Double, of longest: Double) -> Double {
        min(max(log(max(days, 1)) / log(longest), 0), 1)
    }

    private func across(_ days: Double) -> Double {
        Self.left + (Self.right - Self.left) * fraction(days, of: 90)
    }

    private func up(_ days: Double) -> Double {
        Self.bottom - (Self.bottom - Self.top) * fraction(days, of: longest)
    }

    // MARK: Drawing

    private func picture(_ heading: String, _ lead: String) -> Picture {
        let most = rhythms.map(\.plantCount).max() ?? 1
        // Smaller dots on top.
        let ordered = rhythms.sorted { ($1.plantCount, $0.cycleDays) < ($0.plantCount, $1.cycleDays) }
        let dots = ordered.map { dot($0, most: most) }
        return Picture(title: heading, description: lead, height: Self.height, drawing: grid + names + dots)
    }

    private var grid: [Markup] {
        let columns = Self.ticks.map { tick -> Markup in
            let x = across(Double(tick))
            return """
                <line class="grid" x1="\(x)" y1="\(Self.top)" x2="\(x)" y2="\(Self.bottom)"/>\
                <text class="axis middle" x="\(x)" y="\(Self.bottom + 16)">\(tick)</text>
                """
        }
        let rows = (Self.ticks + [180, 365, 730].filter { Double($0) <= longest }).map { tick -> Markup in
            let y = up(Double(tick))
            return """
                <line class="grid" x1="\(Self.left)" y1="\(y)" x2="\(Self.right)" y2="\(y)"/>\
                <text class="axis end" x="\(Self.left - 5)" y="\(y + 4)">\(tick)</text>
                """
        }
        return columns + rows
    }

    private var names: [Markup] {
        [
            """
            <line class="diagonal" x1="\(across(1))" y1="\(up(1))" x2="\(across(90))" y2="\(up(90))"/>
            """,
            """
            <text class="axis" x="\(Self.left + 6)" y="\(Self.top + 14)">\
            \(words("↑ 약속보다 늦게", "↑ later than planned"))</text>
            """,
            """
            <text class="axis end" x="\(Self.right - 4)" y="\(Self.bottom - 8)">\(words("약속보다 자주 ↓", "more often ↓"))</text>
            """,
            """
            <text class="axis" x="0" y="13">\(words("실제 간격(일)", "real gap (days)"))</text>
            """,
            """
            <text class="axis end" x="\(Self.right)" y="\(Self.height - 5)">\(words("정한 주기(일)", "cycle (days)"))</text>
            """,
        ]
    }

    private func dot(_ rhythm: GardenFigures.Rhythm, most: Int) -> Markup {
        let (x, y) = (across(Double(rhythm.cycleDays)), up(rhythm.medianGapDays))
        let radius = 3 + 5 * (Double(rhythm.plantCount) / Double(max(most, 1))).squareRoot()
        let title = words(
            """
            주기 \(rhythm.cycleDays)일, \(words.count(rhythm.plantCount))그루: 중앙값 \(words.days(rhythm.medianGapDays)), \
            열에 아홉은 \(words.days(rhythm.longGapDays)) 안
            """,
            """
            cycle of \(words.days(Double(rhythm.cycleDays))), \(words.count(rhythm.plantCount, "", "plant")): median \
            \(words.days(rhythm.medianGapDays)), nine of ten within \(words.days(rhythm.longGapDays))
            """)
        return """
            <g><title>\(title)</title>\
            <line class="whisker" x1="\(x)" y1="\(y)" x2="\(x)" y2="\(up(rhythm.longGapDays))"/>\
            <circle class="dot" cx="\(x)" cy="\(y)" r="\(radius)"/></g>
            """
    }

    private var table: DataTable {
        DataTable(
            columns: [
                DataTable.Column(title: words("주기(일)", "Cycle (days)"), isNumber: true),
                DataTable.Column(title: words("식물", "Plants"), isNumber: true),
                DataTable.Column(title: words("간격의 중앙값(일)", "Median gap (days)"), isNumber: true),
                DataTable.Column(title: words("열에 아홉(일)", "Nine of ten within (days)"), isNumber: true),
            ],
            rows: rhythms.map {
                [
                    words.count($0.cycleDays), words.count($0.plantCount), $0.medianGapDays.written(decimals: 1),
                    $0.longGapDays.written(decimals: 1),
                ]
            })
    }
}

import CherishCore

/// Waterings over time, with and without a review.
struct WateringCard {
    let figures: GardenFigures
    let words: Wording

    var card: Card {
        let heading = words("물 준 날들", "Waterings over time")
        let days = figures.pastDayCount
        let waterings = figures.wateringDays.reduce(0) { $0 + $1.wateringCount }
        guard waterings > 0 else {
            return Card(
                id: "waterings", heading: heading,
                lead: words(
                    "\(words.period(days)) 물을 준 기록이 없어요.", "No waterings \(words.period(days))."), content: nil)
        }
        let reviewed = figures.wateringDays.reduce(0) { $0 + $1.reviewedCount }
        let share = words.share(reviewed, of: waterings)
        let lead = words(
            "\(words.period(days)) 물을 \(words.count(waterings))번 주었고, \(share)\u{2060}에 기록을 남겼어요.",
            "\(words.count(waterings, "", "watering")) \(words.period(days)); \(share) with a review.")
        return Card(id: "waterings", heading: heading, lead: lead, content: content(heading, lead))
    }

    private var series: [ColumnChart.Series] {
        [
            ColumnChart.Series(style: "water", name: words("기록 있음", "With a review")),
            ColumnChart.Series(style: "plain", name: words("기록 없음", "Without")),
        ]
    }

    private func content(_ heading: String, _ lead: String) -> Card.Content {
        let buckets = TimeBuckets(from: figures.firstDay, to: figures.today, words)
        var sums = Array(repeating: (reviewed: 0, others: 0), count: buckets.starts.count)
        for day in figures.wateringDays {
            guard let place = buckets.place(of: day.day) else { continue }
            let reviewed = min(day.reviewedCount, day.wateringCount)
            sums[place].reviewed += reviewed
            sums[place].others += day.wateringCount - reviewed
        }
        let columns = sums.enumerated().map { place, sum in
            ColumnChart.Column(
                label: buckets.label(at: place), name: buckets.name(at: place), values: [sum.reviewed, sum.others])
        }
        let chart = ColumnChart(
            series: series, columns: columns,
            unit: words("\(buckets.span) 물주기 수", "Waterings a \(buckets.span)"), words: words)
        return Card.Content(
            picture: Picture(title: heading, description: lead, height: ColumnChart.height, drawing: chart.drawing),
            legend: series.map { LegendEntry(style: $0.style, text: $0.name) },
            table: table(columns, unit: buckets.unitName), remark: buckets.remark)
    }

    private func table(_ columns: [ColumnChart.Column], unit: String) -> DataTable {
        DataTable(
            columns: [DataTable.Column(title: unit)] + series.map { DataTable.Column(title: $0.name, isNumber: true) },
            rows: columns.map { [$0.name] + $0.values.map { words.count($0) } })
    }
}

extension GardenFigures {
    /// The number of days for which waterings and pushes are counted.
    var pastDayCount: Int { today - firstDay + 1 }
}

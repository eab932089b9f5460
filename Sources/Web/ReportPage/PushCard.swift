import CherishCore

/// How pushes ended, over time.
struct PushCard {
    private static let outcomes: [PushOutcome?] = [.delivered, .superseded, .suppressed, .expired, .dead, nil]

    let figures: GardenFigures
    let words: Wording

    var card: Card {
        let heading = words("알림은 어떻게 되었나", "How pushes ended")
        let days = figures.pastDayCount
        let total = figures.pushDays.reduce(0) { $0 + $1.pushCount }
        guard total > 0 else {
            return Card(
                id: "pushes", heading: heading,
                lead: words(
                    "\(words.period(days)) 예정된 알림이 없어요.", "No push was planned \(words.period(days))."), content: nil)
        }
        let share = words.share(count(.delivered), of: total)
        let lead = words(
            "\(words.period(days)) 알림 \(words.count(total))건이 예정되었고, \(share)\u{2060}가 전달되었어요.",
            "\(words.count(total, "", "push")) planned \(words.period(days)); \(share) delivered.")
        return Card(id: "pushes", heading: heading, lead: lead, content: content(heading, lead, total: total))
    }

    private func count(_ outcome: PushOutcome?) -> Int {
        figures.pushDays.filter { $0.outcome == outcome }.reduce(0) { $0 + $1.pushCount }
    }

    private func style(of outcome: PushOutcome?) -> String { outcome?.rawValue ?? "pending" }

    private func content(_ heading: String, _ lead: String, total: Int) -> Card.Content {
        let outcomes = Self.outcomes.filter { count($0) > 0 }
        let buckets = TimeBuckets(from: figures.firstDay, to: figures.today, words)
        var sums = Array(repeating: Array(repeating: 0, count: outcomes.count), count: buckets.starts.count)
        for day in figures.pushDays {
            guard let place = buckets.place(of: day.day), let kind = outcomes.firstIndex(of: day.outcome)
            else { continue }
            sums[place][kind] += day.pushCount
        }
        let chart = ColumnChart(
            series: outcomes.map { ColumnChart.Series(style: style(of: $0), name: words.name(of: $0)) },
            columns: sums.enumerated().map { place, values in
                ColumnChart.Column(label: buckets.label(at: place), name: buckets.name(at: place), values: values)
            }, unit: words("\(buckets.span) 알림 수", "Pushes a \(buckets.span)"), words: words)
        return Card.Content(
            picture: Picture(title: heading, description: lead, height: ColumnChart.height, drawing: chart.drawing),
            legend: outcomes.map { outcome in
                let share = words.share(count(outcome), of: total)
                return LegendEntry(style: style(of: outcome), text: "\(words.name(of: outcome)) \(share)")
            },
            table: table(outcomes, total: total), remark: buckets.remark)
    }

    /// How the pushes ended, and why.
    private func table(_ outcomes: [PushOutcome?], total: Int) -> DataTable {
        let rows = outcomes.flatMap { outcome -> [[String]] in
            let ended = figures.pushDays.filter { $0.outcome == outcome }
            let byReason = Dictionary(ended.map { ($0.reason, $0.pushCount) }, uniquingKeysWith: +)
            // Reasons that this version does not know come last.
            let unknown = Set(byReason.keys.compactMap { $0 }).subtracting(PushReason.all)
            let known = PushReason.all + unknown.sorted { $0.rawValue < $1.rawValue }
            let order = known.map { Optional($0) } + [nil]
            return order.compactMap { reason -> [String]? in
                guard let pushes = byReason[reason], pushes > 0 else { return nil }
                return [
                    words.name(of: outcome), reason.map { words.name(of: $0) } ?? "", words.count(pushes),
                    words.share(pushes, of: total),
                ]
            }
        }
        return DataTable(
            columns: [
                DataTable.Column(title: words("결과", "Outcome")), DataTable.Column(title: words("까닭", "Reason")),
                DataTable.Column(title: words("건수", "Pushes"), isNumber: true),
                DataTable.Column(title: words("비율", "Share"), isNumber: true),
            ], rows: rows)
    }
}

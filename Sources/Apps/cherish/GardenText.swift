import CherishCore
import CherishService
import CherishStore
import Foundation

/// Formats gardens, plants and pushes for a terminal.
enum GardenText {
    static func table(_ views: [PlantView]) -> Table {
        var table = Table([
            Table.Column(title: "PLANT"), Table.Column(title: ""), Table.Column(title: "FRIEND"),
            Table.Column(title: "WATER IN"), Table.Column(title: "GAUGE"),
            Table.Column(title: "AFFECTION", isNumber: true),
            Table.Column(title: "STAGE"), Table.Column(title: "CYCLE", isNumber: true), Table.Column(title: "SPECIES"),
            Table.Column(title: "TAGS"),
        ])
        table.rows = views.map { view in
            let plant = view.plant
            let dDay = plant.dDay(on: view.today)
            return [
                plant.id.short, (plant.isFavourite ? "⭐" : "") + picture(plant, dDay),
                "\(Phrases.phrase(for: plant.glance, on: view.today, language: view.language)) \(plant.nickname)",
                dDay.label + (plant.pausedDays.contains(view.today) ? ", paused" : ""),
                bar(dDay.gauge), "\(plant.affection.points)", plant.affection.stage.rawValue, "\(plant.cycle.days)",
                plant.cycle.species.rawValue, view.tags.map(\.name.description).joined(separator: ", "),
            ]
        }
        return table
    }

    static func detail(_ view: PlantView, reviews: [RecordedWatering] = []) -> String {
        let (plant, tags) = (view.plant, view.tags)
        let dDay = plant.dDay(on: view.today)
        let phrase = Phrases.phrase(for: plant.glance, on: view.today, language: view.language)
        var lines = [
            "\(picture(plant, dDay)) \(phrase) \(plant.nickname)   \(dDay.label)  \(bar(dDay.gauge))",
            "   name       \(plant.name)   \(plant.phone)",
            "   birthday   \(plant.birthday?.description ?? "unknown")",
            "   care       \(plant.cycle.species.rawValue), every \(plant.cycle.days.counted("day")), due \(plant.dueOn), alarm \(plant.alarmTime)"
                + (plant.pushesEnabled ? "" : ", pushes off"),
            "   affection  \(plant.affection.points) of \(Affection.full), \(plant.affection.stage.rawValue)",
            "   so far     watered \(plant.wateringCount.counted("time")), postponed \(plant.postponementCount.counted("time")), planted \(plant.plantedOn)",
            "   id         \(plant.id)",
        ]
        if plant.isFavourite || !tags.isEmpty {
            let marks = (plant.isFavourite ? ["favourite"] : []) + tags.map(\.name.description)
            lines.append("   tags       \(marks.joined(separator: ", "))")
        }
        if let archivedAt = plant.archivedAt { lines.append("   removed    \(archivedAt)") }
        for recorded in reviews {
            let review = recorded.watering.review
            let keywords = (review?.keywords ?? []).map { "#\($0)" }.joined(separator: " ")
            let memo = review?.memo.map { "“\($0)”" } ?? ""
            lines.append(
                "   \(recorded.watering.wateredOn)  \([keywords, memo].filter { !$0.isEmpty }.joined(separator: " "))")
        }
        return lines.joined(separator: "\n")
    }

    static func pushTable(_ pushes: [PushRecord]) -> Table {
        Table(
            [
                Table.Column(title: "ABOUT"), Table.Column(title: "KIND"), Table.Column(title: "FOR"),
                Table.Column(title: "PLANNED AT"), Table.Column(title: "OUTCOME"), Table.Column(title: "REASON"),
                Table.Column(title: "FINISHED AT"),
            ],
            rows: pushes.map {
                [
                    $0.subjectID.short, $0.topic.label, $0.occursOn.description, $0.plannedAt.description,
                    $0.outcome?.rawValue ?? "pending", $0.reason?.rawValue ?? "", $0.finishedAt?.description ?? "",
                ]
            })
    }

    private static func bar(_ gauge: Double) -> String {
        let filled = Int((gauge * 10).rounded())
        return String(repeating: "█", count: filled) + String(repeating: "░", count: 10 - filled)
    }

    private static func picture(_ plant: Plant, _ dDay: DDay) -> String {
        if plant.archivedAt != nil { return "📦" }
        if dDay.condition == .withered { return "🥀" }
        switch plant.affection.stage {
        case .sprout: return "🌱"
        case .bud: return "🌿"
        case .bloom: return plant.affection.isFull ? "🌳" : "🌸"
        }
    }
}

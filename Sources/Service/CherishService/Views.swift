import CherishCore
import CherishStore

/// A plant as its owner sees it on a day.
public struct PlantView: Sendable {
    public let plant: Plant
    /// In the order of their names.
    public let tags: [Tag]
    public let today: CivilDay
    public let language: Language

    init(_ plant: Plant, tags: [Tag], on today: CivilDay, language: Language) {
        (self.plant, self.tags, self.today, self.language) = (plant, tags, today, language)
    }

    public var document: PlantDocument { PlantDocument(plant, tags: tags, on: today, language: language) }
}

/// The plants that were asked for, in the order that was asked for.
public struct GardenView: Sendable {
    public let plants: [PlantView]

    public var document: GardenDocument { GardenDocument(plants: plants.map(\.document)) }
}

/// A plant with its newest reviews (rule 8.2).
public struct PlantDetailView: Sendable {
    public let view: PlantView
    public let reviews: [RecordedWatering]
    /// Those of the newest watering.
    public let keywords: [String]

    public var document: PlantDetailDocument {
        PlantDetailDocument(plant: view.document, reviews: reviews.map(WateringDocument.init), keywords: keywords)
    }
}

/// A watering that was recorded or changed, and its plant afterwards.
public struct WateringView: Sendable {
    public let recorded: RecordedWatering
    public let plant: PlantView

    public var document: WateringAnswer {
        WateringAnswer(watering: WateringDocument(recorded), plant: plant.document)
    }
}

/// The days of a plant.
public struct CalendarView: Sendable {
    let plantID: Plant.ID
    public let days: [CalendarDay]

    public var document: CalendarDocument {
        CalendarDocument(plant: plantID.description, days: days.map(CalendarDocument.Day.init))
    }
}

extension TagView {
    public var document: TagDocument { TagDocument(self) }
}

import CherishCore
import CherishStore

/// A plant as its account sees it on a day.
public struct PlantView: Sendable {
    public let plant: Plant
    /// Sorted by name.
    public let tags: [Tag]
    public let today: CivilDay
    public let language: Language

    init(_ plant: Plant, tags: [Tag], on today: CivilDay, language: Language) {
        (self.plant, self.tags, self.today, self.language) = (plant, tags, today, language)
    }

    public var document: PlantDocument { PlantDocument(plant, tags: tags, on: today, language: language) }
}

/// A plant of a list, as its account sees it on a day.
public struct PlantGlanceView: Sendable {
    public let plant: PlantGlance
    /// How near it is to its D-day.
    public let dDay: DDay
    public let today: CivilDay
    public let language: Language

    init(_ plant: PlantGlance, on today: CivilDay, language: Language) {
        (self.plant, self.today, self.language) = (plant, today, language)
        dDay = plant.dDay(on: today)
    }
}

extension PlantView {
    public var glance: PlantGlanceView { PlantGlanceView(plant.glance, on: today, language: language) }
}

/// The requested plants of a list, in the order of rule 2.4.
public struct GardenGlanceView: Sendable {
    /// Whose plants they are.
    public let account: Account
    /// The day on which they are seen.
    public let today: CivilDay
    public let plants: [PlantGlanceView]
    /// All tags of the account, sorted by name.
    public let tags: [Tag]
}

/// The requested plants, in the requested order.
public struct GardenView: Sendable {
    /// Whose plants they are.
    public let account: Account
    /// The day on which they are seen.
    public let today: CivilDay
    public let plants: [PlantView]
    /// All tags of the account, sorted by name.
    public let tags: [Tag]

    public var document: GardenDocument { GardenDocument(plants: plants.map(\.document)) }
}

/// A plant with its newest reviews (rule 8.2).
public struct PlantDetailView: Sendable {
    public let view: PlantView
    public let reviews: [RecordedWatering]
    /// The keywords of the newest watering.
    public let keywords: [String]

    public var document: PlantDetailDocument {
        PlantDetailDocument(plant: view.document, reviews: reviews.map(WateringDocument.init), keywords: keywords)
    }
}

/// A recorded or changed watering, and its plant afterwards.
public struct WateringView: Sendable {
    public let recorded: RecordedWatering
    public let plant: PlantView

    public var document: WateringAnswer {
        WateringAnswer(watering: WateringDocument(recorded), plant: plant.document)
    }
}

/// A plant's calendar.
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

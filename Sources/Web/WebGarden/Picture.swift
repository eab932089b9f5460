import CherishCore
import CherishService
import HTMLMarkup

/// Pictures: symbols of `plants.svg`, whose conditions and colours `plants.css` explains.
enum Picture {
    private static let sprite = GardenAssets.shared.path("plants.svg")

    /// A small picture beside words, which a screen reader leaves out.
    static func icon(_ name: String) -> Markup {
        "<svg class=\"icon\" aria-hidden=\"true\"><use href=\"\(sprite)#icon-\(name)\"/></svg>"
    }

    /// A plant that stands still.
    static func plant(_ species: Species, _ stage: GrowthStage, _ condition: Condition) -> Markup {
        let look = Look(species: species, stage: stage, condition: condition)
        return plants[look] ?? draw(look)
    }

    private struct Look: Hashable {
        let species: Species
        let stage: GrowthStage
        let condition: Condition
    }

    /// A garden shows hundreds, of which many look alike.
    private static let plants = Dictionary(
        uniqueKeysWithValues: Species.allCases.flatMap { species in
            GrowthStage.allCases.flatMap { stage in
                Condition.allCases.map { condition in
                    let look = Look(species: species, stage: stage, condition: condition)
                    return (look, draw(look))
                }
            }
        })

    private static func draw(_ look: Look) -> Markup {
        let (species, stage, condition) = (look.species, look.stage, look.condition)
        return """
            <svg class="plant \(species.rawValue) \(condition.rawValue)" viewBox="0 0 200 240" aria-hidden="true">\
            <use href="\(sprite)#pot-\(species.rawValue)"/>\
            <use href="\(sprite)#\(species.rawValue)-\(stage.rawValue)-\(condition.rawValue)"/></svg>
            """
    }

    static func plant(_ view: PlantGlanceView) -> Markup {
        plant(view.plant.cycle.species, view.plant.affection.stage, view.dDay.condition)
    }

    /// A plant that sways.
    ///
    /// - Parameter isWatered: whether it has just been watered, and the can pours.
    static func swaying(_ view: PlantGlanceView, isWatered: Bool) -> Markup {
        let (species, stage) = (view.plant.cycle.species.rawValue, view.plant.affection.stage.rawValue)
        // It dries until the water comes.
        let condition: Markup = isWatered ? "thirsty watering" : "\(view.dDay.condition.rawValue)"
        let motion: Markup = isWatered ? " data-motion" : ""
        return """
            <svg class="plant \(species) \(condition)" viewBox="0 0 200 240" aria-hidden="true"\(motion)>
            <use class="plant-pot" href="\(sprite)#\(species)-\(stage)"/>
            <use class="plant-growth" href="\(sprite)#\(species)-\(stage)"/>
            <use class="plant-drops" href="\(sprite)#water-drops" x="88" y="22" width="64" height="72"/>
            <use class="plant-can" href="\(sprite)#watering-can" x="116" y="-34" width="104" height="80"/>
            </svg>
            """
    }

    /// A scene of the welcome page: `friends`, `water` or `bloom`.
    static func scene(_ name: String, class kind: Markup = "") -> Markup {
        "<svg\(kind) viewBox=\"0 0 320 240\" aria-hidden=\"true\"><use href=\"\(sprite)#welcome-\(name)\"/></svg>"
    }

    /// The colour of a tag.
    static func dot(_ colour: TagColour) -> Markup {
        """
        <svg class="dot" viewBox="0 0 12 12" aria-hidden="true"><circle cx="6" cy="6" r="6" fill="\(colour.description)"/></svg>
        """
    }
}

extension PlantView {
    var dDay: DDay { glance.dDay }
    var nickname: Markup { glance.nickname }
    var path: String { glance.path }
    var gardenPath: String { glance.gardenPath }
    var phrase: String { glance.phrase }
}

extension PlantGlanceView {
    var nickname: Markup { "<bdi>\(plant.nickname.description)</bdi>" }
    /// The path of its page.
    var path: String { "/plants/\(plant.id.description)" }
    /// The path of the garden in which it is the chosen one.
    var gardenPath: String { "/?plant=\(plant.id.description)" }
    /// Its phrase of the day (rule 2.5).
    var phrase: String { Phrases.phrase(for: plant, on: today, language: language) }

    /// How near it is to its D-day, as a label, and as words for a screen reader.
    func dueLabel(_ words: Words) -> Markup {
        """
        <span class="due \(dDay.condition.rawValue)" aria-hidden="true">\(dDay.label)</span>\
        <span class="heard">\(words.dueness(dDay))</span>
        """
    }
}

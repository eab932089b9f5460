import CherishCore

extension PlantDomain {
    /// Walks over the account's garden as an export reads it, because a birthday is followed by those of later years
    /// (rule 7.10).
    package func forecast(_ scope: ForecastScope) async throws -> DomainForecast {
        var export = scope.reader.head
        try await scope.reader.plants { export.plants += $0 }
        try await scope.reader.pushes { export.pushes += $0 }
        let forecast = PushForecast(
            of: export, from: scope.span.lowerBound, before: scope.span.upperBound, in: scope.zone)
        let plants = Dictionary(export.plants.map { ($0.plant.id, $0) }, uniquingKeysWith: { first, _ in first })
        let language = export.account.language
        let pushes = forecast.entries.compactMap { entry in
            plants[Plant.ID(entry.occurrence.subjectID)].map {
                DomainForecast.Push(entry: entry, content: SubjectContent(of: entry.occurrence, $0, in: language))
            }
        }
        return DomainForecast(pushes: pushes, dueCounts: export.dueCounts)
    }
}

extension SubjectContent {
    /// What an exported plant contributes to a push, as ``PlantDomain/content(of:in:_:)`` reads it.
    fileprivate init(of occurrence: Occurrence, _ plant: PlantHistory, in language: Language) {
        let topic = occurrence.topic
        let watering = plant.waterings.first { $0.number == occurrence.ref }
        let wateredOn = topic == .reviewMissing ? watering?.wateredOn : nil
        let reviews = plant.waterings.compactMap(\.review)
        let isRecalled = topic == .wateringDue || topic == .birthday
        self.init(
            topic, on: wateredOn ?? CivilDay(ref: occurrence.ref), nickname: plant.plant.nickname,
            species: plant.plant.cycle.species, plantedOn: plant.plant.plantedOn,
            keywords: isRecalled ? reviews.last { !$0.keywords.isEmpty }?.keywords ?? [] : [],
            occasion: topic == .wateringDue ? plant.plant.occasion : .usual, in: language)
    }
}

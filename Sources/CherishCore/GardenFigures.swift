/// What pictures of a garden are drawn from: the figures of one account, or of the whole service, on a day. They name nobody.
public struct GardenFigures: Hashable, Sendable {
    /// Living plants of one species and stage.
    public struct Group: Hashable, Sendable {
        public let species: Species
        public let stage: GrowthStage
        /// How many plants, by how they are doing (rule 2.2).
        public let thriving, thirsty, withered: Int
        /// How many of all of these are full (rule 4.6).
        public let full: Int

        /// Counts of at least 0.
        public init(species: Species, stage: GrowthStage, thriving: Int, thirsty: Int, withered: Int, full: Int) {
            self.species = species
            self.stage = stage
            self.thriving = thriving
            self.thirsty = thirsty
            self.withered = withered
            self.full = full
        }

        public var plantCount: Int { thriving + thirsty + withered }
    }

    /// Living plants that are due on a day.
    public struct DueDay: Hashable, Sendable {
        public let day: CivilDay
        public let plantCount: Int

        public init(day: CivilDay, plantCount: Int) {
            self.day = day
            self.plantCount = plantCount
        }
    }

    /// Waterings of a day.
    public struct WateringDay: Hashable, Sendable {
        public let day: CivilDay
        public let wateringCount: Int
        /// Those with keywords or a memo.
        public let reviewedCount: Int

        public init(day: CivilDay, wateringCount: Int, reviewedCount: Int) {
            self.day = day
            self.wateringCount = wateringCount
            self.reviewedCount = reviewedCount
        }
    }

    /// The plants of one cycle, and the days that really lie between their contacts.
    public struct Rhythm: Hashable, Sendable {
        /// 1–90.
        public let cycleDays: Int
        public let plantCount: Int
        /// Half of these plants are watered at shorter gaps than this, as a rule.
        public let medianGapDays: Double
        /// Nine gaps of ten are shorter; of half of these plants.
        public let longGapDays: Double

        public init(cycleDays: Int, plantCount: Int, medianGapDays: Double, longGapDays: Double) {
            self.cycleDays = cycleDays
            self.plantCount = plantCount
            self.medianGapDays = medianGapDays
            self.longGapDays = longGapDays
        }
    }

    /// A keyword of reviews.
    public struct Keyword: Hashable, Sendable {
        public let text: String
        public let reviewCount: Int

        public init(text: String, reviewCount: Int) {
            self.text = text
            self.reviewCount = reviewCount
        }
    }

    /// Pushes planned for a day that ended in one way.
    public struct PushDay: Hashable, Sendable {
        public let day: CivilDay
        /// nil while they are pending.
        public let outcome: PushOutcome?
        /// nil for one that this program does not know.
        public let reason: PushReason?
        public let pushCount: Int

        public init(day: CivilDay, outcome: PushOutcome?, reason: PushReason?, pushCount: Int) {
            self.day = day
            self.outcome = outcome
            self.reason = reason
            self.pushCount = pushCount
        }
    }

    /// The civil day of the account; of the whole service that of UTC.
    public let today: CivilDay
    /// From when on waterings and pushes are counted, up to today.
    public let firstDay: CivilDay
    /// Up to when due days are counted, from today on.
    public let lastDay: CivilDay
    public let groups: [Group]
    /// In the order of days, those without plants left out.
    public let dueDays: [DueDay]
    /// In the order of days, those without waterings left out.
    public let wateringDays: [WateringDay]
    /// In the order of cycles.
    public let rhythms: [Rhythm]
    /// Whether the rhythms are those of some of the plants, chosen by chance, and not of all.
    public let isRhythmSampled: Bool
    /// The most frequent first.
    public let keywords: [Keyword]
    /// In the order of days.
    public let pushDays: [PushDay]

    /// No figures, unless said otherwise.
    public init(
        today: CivilDay, firstDay: CivilDay, lastDay: CivilDay, groups: [Group] = [], dueDays: [DueDay] = [],
        wateringDays: [WateringDay] = [], rhythms: [Rhythm] = [],
        isRhythmSampled: Bool = false, keywords: [Keyword] = [], pushDays: [PushDay] = []
    ) {
        self.today = today
        self.firstDay = firstDay
        self.lastDay = lastDay
        self.groups = groups
        self.dueDays = dueDays
        self.wateringDays = wateringDays
        self.rhythms = rhythms
        self.isRhythmSampled = isRhythmSampled
        self.keywords = keywords
        self.pushDays = pushDays
    }
}

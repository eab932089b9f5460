/// The data behind a garden's charts: figures for one account or the whole service on one day. They name nobody.
public struct GardenFigures: Hashable, Sendable {
    /// Living plants of one species and stage.
    public struct Group: Hashable, Sendable {
        public let species: Species
        public let stage: GrowthStage
        /// The number of plants by condition (rule 2.2).
        public let thriving, thirsty, withered: Int
        /// How many of these plants have full affection (rule 4.2).
        public let full: Int

        /// All counts are at least 0.
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

    /// The living plants that are due on one day.
    public struct DueDay: Hashable, Sendable {
        public let day: CivilDay
        public let plantCount: Int

        public init(day: CivilDay, plantCount: Int) {
            self.day = day
            self.plantCount = plantCount
        }
    }

    /// The waterings of one day.
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

    /// The plants of one cycle, and the actual days between their waterings.
    public struct Rhythm: Hashable, Sendable {
        /// 1–90.
        public let cycleDays: Int
        public let plantCount: Int
        /// The median over these plants of each plant's median gap.
        public let medianGapDays: Double
        /// The median over these plants of each plant's 90th percentile gap.
        public let longGapDays: Double

        public init(cycleDays: Int, plantCount: Int, medianGapDays: Double, longGapDays: Double) {
            self.cycleDays = cycleDays
            self.plantCount = plantCount
            self.medianGapDays = medianGapDays
            self.longGapDays = longGapDays
        }
    }

    /// A keyword used in reviews.
    public struct Keyword: Hashable, Sendable {
        public let text: String
        public let reviewCount: Int

        public init(text: String, reviewCount: Int) {
            self.text = text
            self.reviewCount = reviewCount
        }
    }

    /// The pushes planned for one day that share an outcome and a reason.
    public struct PushDay: Hashable, Sendable {
        public let day: CivilDay
        /// nil while pending.
        public let outcome: PushOutcome?
        /// nil while pending.
        public let reason: PushReason?
        public let pushCount: Int

        public init(day: CivilDay, outcome: PushOutcome?, reason: PushReason?, pushCount: Int) {
            self.day = day
            self.outcome = outcome
            self.reason = reason
            self.pushCount = pushCount
        }
    }

    /// The civil day in the account's zone; in UTC for the whole service.
    public let today: CivilDay
    /// Waterings and pushes are counted from this day through today.
    public let firstDay: CivilDay
    /// Due plants are counted from today through this day.
    public let lastDay: CivilDay
    public let groups: [Group]
    /// Sorted by day; days without due plants are omitted.
    public let dueDays: [DueDay]
    /// Sorted by day; days without waterings are omitted.
    public let wateringDays: [WateringDay]
    /// Sorted by cycle.
    public let rhythms: [Rhythm]
    /// Whether the rhythms come from a random sample of plants instead of all.
    public let isRhythmSampled: Bool
    /// Most frequent first.
    public let keywords: [Keyword]
    /// Sorted by day.
    public let pushDays: [PushDay]

    /// Lists are empty by default.
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

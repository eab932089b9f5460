/// The phrase before a nickname (rule 2.5).
public enum Phrases {
    enum Pool: String, CaseIterable {
        case neverWatered, thriving, thirsty, withered
        /// Withered for a month or longer.
        case longWithered
        /// Due again on the first day after a pause, or after an outage.
        case resting
    }

    /// A phrase chosen by a hash of plant and civil day, so that it stays the same all day.
    public static func phrase(for plant: PlantGlance, on today: CivilDay, language: Language) -> String {
        let phrases = phrases(pool(for: plant, on: today), language)
        return phrases[Int(hash(plant.id, today) % UInt64(phrases.count))]
    }

    /// After how many days as withered a plant is spoken of as one that is still there.
    static let longWitheredDays = 30

    static func pool(for plant: PlantGlance, on today: CivilDay) -> Pool {
        if plant.wateringCount == 0 { return .neverWatered }
        let condition = plant.dDay(on: today).condition
        if condition == .withered, today - plant.withersOn >= longWitheredDays { return .longWithered }
        if condition == .thirsty, plant.occasion != .usual { return .resting }
        switch condition {
        case .thriving: return .thriving
        case .thirsty: return .thirsty
        case .withered: return .withered
        }
    }

    /// FNV-1a over the bytes of both, stable across platforms and versions.
    private static func hash(_ id: Plant.ID, _ day: CivilDay) -> UInt64 {
        let dayBytes = withUnsafeBytes(of: day.daysSinceEpoch.littleEndian) { Array($0) }
        return withUnsafeBytes(of: id.uuid.uuid) { Array($0) + dayBytes }
            .reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    static func phrases(_ pool: Pool, _ language: Language) -> [String] {
        switch (pool, language) {
        case (.neverWatered, .korean):
            ["첫 물을 기다리는", "이제 막 심은", "설레며 기다리는", "아직 수줍은", "첫인사를 기다리는"]
        case (.thriving, .korean):
            ["싱그러운", "햇살을 머금은", "기분 좋은", "쑥쑥 자라는", "반짝반짝 빛나는", "콧노래를 부르는"]
        case (.thirsty, .korean):
            ["목이 마른", "당신을 기다리는", "오늘 물이 필요한", "목소리가 그리운", "창밖을 바라보는"]
        case (.withered, .korean):
            ["시들어 버린", "고개를 숙인", "물을 기다리는", "다시 피고 싶은", "당신이 보고 싶은"]
        case (.longWithered, .korean):
            ["아직 그 자리에 있는", "조용히 뿌리를 지킨", "언제든 다시 필", "변함없이 곁에 있는", "느긋하게 기다리는"]
        case (.resting, .korean):
            ["푹 쉬고 온", "서두르지 않는", "그동안 잘 지낸", "다시 인사하고 싶은", "편안히 기지개를 켠"]
        case (.longWithered, .english):
            [
                "still there", "quietly keeping its roots", "ready whenever you are", "still on your windowsill",
                "not going anywhere",
            ]
        case (.resting, .english):
            [
                "well rested", "in no hurry", "fine all the while", "glad to hear from you again",
                "stretching its leaves",
            ]
        case (.neverWatered, .english):
            ["freshly planted", "waiting for a first hello", "still a little shy", "curious", "full of hope"]
        case (.thriving, .english):
            ["cheerful", "sun-soaked", "growing happily", "sparkling", "humming along", "fresh as morning"]
        case (.thirsty, .english):
            ["thirsty", "waiting for you", "longing for your voice", "looking out of the window", "in need of water"]
        case (.withered, .english):
            ["withered", "hanging its head", "resting its leaves", "missing you", "ready to bloom again"]
        }
    }
}

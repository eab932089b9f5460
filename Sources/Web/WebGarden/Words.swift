import CherishCore
import HTMLMarkup

/// Says everything in the language of the reader.
struct Words: Sendable {
    let language: Language

    /// One of two texts.
    func callAsFunction(_ korean: @autoclosure () -> String, _ english: @autoclosure () -> String) -> String {
        language == .korean ? korean() : english()
    }

    /// One of two pieces of a page.
    func callAsFunction(_ korean: @autoclosure () -> Markup, _ english: @autoclosure () -> Markup) -> Markup {
        language == .korean ? korean() : english()
    }

    /// `3 days`, `1 day`, `3일`.
    func days(_ count: Int) -> String { self("\(count)일", count == 1 ? "1 day" : "\(count) days") }

    /// `1 plant`, `2 plants`.
    func count(_ count: Int, _ one: String, _ many: String) -> String { count == 1 ? "1 \(one)" : "\(count) \(many)" }
}

// MARK: - Days

extension Words {
    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]

    /// `March`, `3월`.
    func month(_ month: Int) -> String { self("\(month)월", Words.months[(month - 1) % 12]) }

    /// `March 2027`, `2027년 3월`.
    func month(_ month: Int, of year: Int) -> String {
        self("\(year)년 \(month)월", "\(Words.months[(month - 1) % 12]) \(year)")
    }

    /// `Tuesday`, `화요일`. 1 is Monday.
    func weekday(_ number: Int) -> String {
        self(
            ["월", "화", "수", "목", "금", "토", "일"][(number - 1) % 7] + "요일",
            ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"][(number - 1) % 7])
    }

    /// `2 March`, `3월 2일`.
    func date(_ day: CivilDay) -> String {
        let parts = day.components
        return self("\(parts.month)월 \(parts.day)일", "\(parts.day) \(month(parts.month))")
    }

    /// `Tuesday, 2 March`, `3월 2일 화요일`; with the year if it is another one than today's.
    func fullDate(_ day: CivilDay, today: CivilDay) -> String {
        let (parts, weekday) = (day.components, weekday(day.weekday))
        let isOtherYear = parts.year != today.components.year
        return self(
            "\(isOtherYear ? "\(parts.year)년 " : "")\(date(day)) \(weekday)",
            "\(weekday), \(date(day))\(isOtherYear ? " \(parts.year)" : "")")
    }

    /// `Today, 2 March`.
    func namedDate(_ day: CivilDay, today: CivilDay) -> String {
        switch today - day {
        case 0: self("오늘, \(date(day))", "Today, \(date(day))")
        case 1: self("어제, \(date(day))", "Yesterday, \(date(day))")
        default: fullDate(day, today: today)
        }
    }
}

// MARK: - Names of the rules

extension Words {
    func name(of method: ContactMethod) -> String {
        switch method {
        case .call: self("전화", "Call")
        case .message: self("문자", "Message")
        case .kakaotalk: self("카카오톡", "KakaoTalk")
        case .video: self("영상 통화", "Video call")
        case .inPerson: self("직접 만남", "In person")
        case .other: self("다른 방법", "Another way")
        }
    }

    /// Capitalized.
    func name(of species: Species) -> String {
        let name = species.name(in: language)
        return name.prefix(1).uppercased() + name.dropFirst()
    }

    func meaning(of species: Species) -> String {
        switch species {
        case .rosemary: self("나를 생각해요", "thinking of you")
        case .americanBlue: self("두 사람의 인연", "two hearts in step")
        case .dandelion: self("내 사랑 그대에게", "my love to you")
        case .stuckyi: self("너그러운 마음", "a generous heart")
        case .echinopsis: self("변함없는 마음", "a heart that stays")
        }
    }

    func name(of stage: GrowthStage) -> String {
        switch stage {
        case .sprout: self("새싹", "Sprout")
        case .bud: self("꽃봉오리", "Bud")
        case .bloom: self("꽃", "Bloom")
        }
    }

    /// Within a sentence: `wants water today`, `water in 3 days`, `withered 2 days ago`.
    func dueness(_ dDay: DDay) -> String {
        let daysLeft = dDay.daysLeft
        return switch daysLeft {
        case ..<0 where dDay.condition == .thirsty: self("쉬는 동안 기다려요", "waits during the pause")
        case 0: self("오늘 물을 원해요", "wants water today")
        case 1...: self("\(daysLeft)일 뒤 물 주기", "water in \(days(daysLeft))")
        default: self("\(-daysLeft)일 전에 시듦", "withered \(days(-daysLeft)) ago")
        }
    }
}

import CherishCore
import HTMLMarkup

/// Words, numbers and dates in one language.
struct Wording: Sendable {
    let language: Language

    /// Selects the text in this language.
    func callAsFunction(_ korean: String, _ english: String) -> String {
        language == .korean ? korean : english
    }
}

// MARK: - Numbers

extension Wording {
    /// `1,234,567`.
    func count(_ number: Int) -> String {
        let digits = String(number.magnitude)
        var grouped = ""
        for (position, digit) in digits.enumerated() {
            if position > 0, (digits.count - position).isMultiple(of: 3) { grouped += "," }
            grouped.append(digit)
        }
        return (number < 0 ? "-" : "") + grouped
    }

    /// A number with its noun: `12그루`, `12 plants`, `1 plant`, `2 pushes`.
    func count(_ number: Int, _ counter: String, _ noun: String) -> String {
        let ending = number == 1 ? "" : noun.hasSuffix("sh") ? "es" : "s"
        return self("\(count(number))\(counter)", "\(count(number)) \(noun)\(ending)")
    }

    /// Short enough for an axis: `12만`, `120k`; not abbreviated up to 9,999.
    func compact(_ number: Int) -> String {
        if number < 10_000 { return count(number) }
        let units: [(size: Int, symbol: String)] =
            language == .korean
            ? [(100_000_000, "억"), (10_000, "만")] : [(1_000_000_000, "B"), (1_000_000, "M"), (1000, "k")]
        for (unit, smaller) in zip(units, units.dropFirst().map(\.size) + [1]) {
            // 999,950 would be rounded to 1000k, so it is 1M.
            guard number >= unit.size - smaller / 20 else { continue }
            return (Double(number) / Double(unit.size)).written(decimals: 1) + unit.symbol
        }
        return count(number)
    }

    /// `63%`; a dash if the whole is zero.
    func share(_ part: Int, of whole: Int) -> String {
        guard whole > 0 else { return "–" }
        let percent = (Double(part) / Double(whole) * 100).rounded()
        if part > 0, percent == 0 { return "<1%" }
        if part < whole, percent == 100 { return ">99%" }
        return "\(Int(percent))%"
    }

    /// `지난 30일 동안`, `in the last 30 days`; for one day `오늘`, `today`.
    func period(_ days: Int) -> String {
        days == 1 ? self("오늘", "today") : self("지난 \(count(days))일 동안", "in the last \(count(days)) days")
    }

    /// `7.5일`, `7.5 days`.
    func days(_ days: Double) -> String {
        let number = days.written(decimals: 1)
        return self("\(number)일", "\(number) day\(number == "1" ? "" : "s")")
    }
}

// MARK: - Dates

extension Wording {
    /// `2027년 3월 2일`, `2 March 2027`. Never breaks between the day and its month.
    func date(_ day: CivilDay) -> String {
        let (year, month, number) = day.components
        return self("\(year)년 \(month)월\u{A0}\(number)일", "\(number)\u{A0}\(Self.months[month - 1]) \(year)")
    }

    /// `3월 2일`, `2 Mar`, on one line.
    func shortDate(_ day: CivilDay) -> String {
        let (_, month, number) = day.components
        return self("\(month)월\u{A0}\(number)일", "\(number)\u{A0}\(monthName(of: day))")
    }

    /// `3월`, `Mar`.
    func monthName(of day: CivilDay) -> String {
        let month = day.components.month
        return self("\(month)월", String(Self.months[month - 1].prefix(3)))
    }

    /// `2027년 3월`, `Mar 2027`.
    func month(of day: CivilDay) -> String {
        self("\(day.components.year)년 \(monthName(of: day))", "\(monthName(of: day)) \(day.components.year)")
    }

    /// The days of the week in calendar order: from Sunday in Korean, else from Monday.
    var weekdays: [String] {
        switch language {
        case .korean: ["일", "월", "화", "수", "목", "금", "토"]
        case .english: ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
        }
    }

    /// The position of a day in its week, 0–6.
    func placeInWeek(_ day: CivilDay) -> Int {
        // 1970-01-01 was a Thursday.
        let days = Int(day.daysSinceEpoch) + (language == .korean ? 4 : 3)
        return ((days % 7) + 7) % 7
    }

    /// `화요일`, `Tuesday`.
    func weekday(_ day: CivilDay) -> String {
        let name = weekdays[placeInWeek(day)]
        let english = [
            "Mon": "Monday", "Tue": "Tuesday", "Wed": "Wednesday", "Thu": "Thursday", "Fri": "Friday",
            "Sat": "Saturday", "Sun": "Sunday",
        ]
        return self(name + "요일", english[name] ?? name)
    }

    /// `3월 2일 화요일`, `Tuesday, 2 Mar`.
    func weekdayAndDate(_ day: CivilDay) -> String {
        self("\(shortDate(day)) \(weekday(day))", "\(weekday(day)), \(shortDate(day))")
    }

    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]
}

// MARK: - Names

extension Wording {
    /// As a label, capitalized.
    func name(of species: Species) -> String {
        let name = species.name(in: language)
        return name.prefix(1).uppercased() + name.dropFirst()
    }

    func name(of stage: GrowthStage) -> String {
        switch stage {
        case .sprout: self("새싹", "Sprout")
        case .bud: self("꽃봉오리", "Bud")
        case .bloom: self("꽃", "Bloom")
        }
    }

    /// - Parameter outcome: nil for pending pushes.
    func name(of outcome: PushOutcome?) -> String {
        switch outcome {
        case .delivered: self("전달", "Delivered")
        case .superseded: self("불필요", "Superseded")
        case .suppressed: self("꺼짐", "Suppressed")
        case .expired: self("늦음", "Expired")
        case .dead: self("실패", "Failed")
        case nil: self("대기", "Pending")
        }
    }

    /// A reason that this version does not know is shown as the log stores it.
    func name(of reason: PushReason) -> String {
        switch reason {
        case .sent: self("보냄", "sent")
        case .sentAfterRetry: self("다시 시도해 보냄", "sent after a retry")
        case .combined: self("다른 알림과 함께 보냄", "told together with another")
        case .digest: self("하루 모음으로 보냄", "told by the digest of the day")
        case .watered: self("이미 물을 줌", "watered meanwhile")
        case .postponed: self("미룸", "postponed")
        case .edited: self("설정을 바꿈", "edited")
        case .reviewed: self("이미 기록함", "reviewed meanwhile")
        case .declined: self("기록하지 않기로 함", "review declined")
        case .archived: self("식물을 보냄", "plant removed")
        case .erased: self("탈퇴함", "account erased")
        case .newerWatering: self("더 새로운 물주기가 있음", "a newer watering")
        case .accountPushesOff: self("계정 알림이 꺼짐", "turned off by the account")
        case .plantPushesOff: self("식물 알림이 꺼짐", "turned off for the plant")
        case .noDevice: self("기기가 없음", "no device")
        case .providerNotConfigured: self("보낼 곳이 설정되지 않음", "no provider set up")
        case .tooLate: self("너무 늦음", "too late to be worth sending")
        case .refused: self("거절됨", "refused by the provider")
        case .tokenDead: self("기기가 사라짐", "the device is gone")
        case .attemptsExhausted: self("여러 번 실패함", "given up after many tries")
        case .unreadableRow: self("저장된 데이터를 읽을 수 없음", "stored data cannot be read")
        default: reason.rawValue
        }
    }
}

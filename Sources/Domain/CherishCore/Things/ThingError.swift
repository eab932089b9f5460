/// Why a rule of things refused a command (rule 10). Each case carries the data for its message, and never a text that
/// the account wrote.
public enum ThingError: Error, Hashable, Sendable {
    /// What is wrong with an alert (rule 10.4).
    public enum AlertProblem: Hashable, Sendable {
        case days(Int), minutes(Int)
        /// It is given in minutes, but the thing has no time.
        case withoutTime
        case unreadable
    }

    /// What is wrong with a recurrence (rule 10.8).
    public enum RecurrenceProblem: Hashable, Sendable {
        case interval(Int)
        /// Its last day is before the due day.
        case ended(CivilDay)
        case unreadable
    }

    /// What only some kinds of things have.
    public enum Part: String, CaseIterable, Sendable {
        case time, category, purchase, store, order, outcome, share
    }

    // Rules 10.1 and 10.2.
    case invalidTitle
    case noteTooLong(length: Int)
    case invalidCategory
    case invalidOrderNumber
    case invalidDue(CivilDay)
    case unreadableDay
    case notForKind(Part, Thing.Kind)
    // Rule 10.3.
    case invalidWarningDays(Int)
    // Rule 10.4.
    case tooManyAlerts(Int)
    case invalidAlert(AlertProblem)
    // Rule 10.7.
    case alreadyDone(on: CivilDay)
    case notDone
    /// Rule 10.8: the due day is not the one that the completion set.
    case dueChanged(CivilDay)
    case invalidRecurrence(RecurrenceProblem)
    // Rule 10.9.
    case storeUnknown
    /// Neither a due day nor a store that gives one.
    case dueUnknown(Thing.Kind)
    // Rule 10.12.
    case invalidShareDays(Int)

    /// The stable code of the refusal.
    public var code: String {
        switch self {
        case .invalidTitle: "invalid_title"
        case .noteTooLong: "note_too_long"
        case .invalidCategory: "invalid_category"
        case .invalidOrderNumber: "invalid_order_number"
        case .invalidDue: "invalid_due"
        case .unreadableDay: "unreadable_day"
        case .notForKind: "not_for_kind"
        case .invalidWarningDays: "invalid_warning_days"
        case .tooManyAlerts: "too_many_alerts"
        case .invalidAlert: "invalid_alert"
        case .alreadyDone: "already_done"
        case .notDone: "not_done"
        case .dueChanged: "due_date_changed"
        case .invalidRecurrence: "invalid_recurrence"
        case .storeUnknown: "store_unknown"
        case .dueUnknown: "due_unknown"
        case .invalidShareDays: "invalid_share_days"
        }
    }
}

extension ThingError: CustomStringConvertible {
    /// ``problem`` and ``remedy`` in one sentence.
    public var description: String { "\(problem); \(remedy)" }

    /// What is wrong.
    public var problem: String { words.problem }

    /// What to do about it, worded for any client.
    public var remedy: String { words.remedy }

    private var words: (problem: String, remedy: String) {
        switch self {
        case .invalidTitle:
            ("this is no title", "write 1 to \(TextLimit.title) visible characters and no control characters")
        case .noteTooLong(let length): ("the note has \(length) characters", "shorten it to \(TextLimit.note)")
        case .invalidCategory:
            ("this is no category", "write 1 to \(TextLimit.category) visible characters and no control characters")
        case .invalidOrderNumber:
            (
                "this is no order number",
                "write 1 to \(TextLimit.orderNumber) visible characters and no control characters"
            )
        case .invalidDue(let day):
            ("\(day) is too early or too late", "choose a day from 2000-01-01 to 2099-12-31")
        case .unreadableDay: ("this is no day", "write tomorrow, in 3 days, 5 march, or a date like 2027-03-05")
        case .notForKind(let part, let kind): ("\(kind.noun) has no \(part.noun)", "leave it out")
        case .invalidWarningDays(let days):
            (
                "\(days.counted("day")) of warning are not possible",
                "choose from \(WarningDays.range.lowerBound) to \(WarningDays.range.upperBound)"
            )
        case .tooManyAlerts(let count): ("\(count) alerts are too many", "keep \(ThingAlert.most)")
        case .invalidAlert(.days(let days)):
            (
                "an alert \(days.counted("day")) before is not possible",
                "choose from \(ThingAlert.dayRange.lowerBound) to \(ThingAlert.dayRange.upperBound) days"
            )
        case .invalidAlert(.minutes(let minutes)):
            (
                "an alert \(minutes.counted("minute")) before is not possible",
                "choose from \(ThingAlert.minuteRange.lowerBound) to \(ThingAlert.minuteRange.upperBound) minutes"
            )
        case .invalidAlert(.withoutTime):
            ("an alert in minutes needs a due time", "set a time, or give the alert in days")
        case .invalidAlert(.unreadable):
            ("this is no alert", "write 3d@09:00 for three days before at 09:00, or 30m for 30 minutes before")
        case .alreadyDone(let day): ("this was done on \(day)", "reopen it first")
        case .notDone: ("this is not done", "leave it as it is")
        case .dueChanged(let day): ("this is due on \(day) now", "look at it again and decide anew")
        case .invalidRecurrence(.interval(let count)):
            (
                "every \(count) is not possible",
                "choose from \(Recurrence.intervals.lowerBound) to \(Recurrence.intervals.upperBound)"
            )
        case .invalidRecurrence(.ended(let day)):
            ("the last day, \(day), is before the due day", "choose a later one, or none")
        case .invalidRecurrence(.unreadable):
            ("this is no interval", "write 2 weeks, or another number of days, weeks, months or years")
        case .storeUnknown: ("there is no such store", "choose one of the list, or leave it out")
        case .dueUnknown(let kind):
            (
                "nothing says when \(kind.noun) like this is due",
                "name the day, or the day of purchase and a store that grants days"
            )
        case .invalidShareDays(let days):
            (
                "a link cannot last \(days.counted("day"))",
                "choose from \(ThingShare.days.lowerBound) to \(ThingShare.days.upperBound) days"
            )
        }
    }
}

extension Thing.Kind {
    /// What it is called in a sentence.
    fileprivate var noun: String { self == .food ? "food" : "a \(rawValue)" }
}

extension ThingError.Part {
    fileprivate var noun: String {
        switch self {
        case .time: "time"
        case .category: "category"
        case .purchase: "day of purchase"
        case .store: "store"
        case .order: "order number"
        case .outcome: "way to be eaten or thrown away"
        case .share: "link to share"
        }
    }

    fileprivate var koreanNoun: String {
        switch self {
        case .time: "시각"
        case .category: "분류"
        case .purchase: "산 날"
        case .store: "가게"
        case .order: "주문 번호"
        case .outcome: "먹었거나 버렸다는 표시"
        case .share: "공유 링크"
        }
    }
}

extension ThingError: ExplainedInKorean {
    public var korean: (problem: String, remedy: String) {
        switch self {
        case .invalidTitle: ("제목으로 쓸 수 없어요.", "보이는 글자로 1~\(TextLimit.title)자를 써 주세요.")
        case .noteTooLong(let length): ("메모가 \(length)자예요.", "\(TextLimit.note)자로 줄여 주세요.")
        case .invalidCategory: ("분류로 쓸 수 없어요.", "보이는 글자로 1~\(TextLimit.category)자를 써 주세요.")
        case .invalidOrderNumber: ("주문 번호로 쓸 수 없어요.", "보이는 글자로 1~\(TextLimit.orderNumber)자를 써 주세요.")
        case .invalidDue(let day): ("\(day)은 너무 이르거나 늦어요.", "2000-01-01부터 2099-12-31까지의 날을 골라 주세요.")
        case .unreadableDay: ("날짜로 읽을 수 없어요.", "내일, 3일 뒤, 3월 5일, 2027-03-05처럼 써 주세요.")
        case .notForKind(let part, let kind):
            ("\(kind.korean)에는 \(part.koreanNoun)을 적을 수 없어요.", "빼 주세요.")
        case .invalidWarningDays(let days):
            (
                "\(days)일 전부터는 알릴 수 없어요.",
                "\(WarningDays.range.lowerBound)~\(WarningDays.range.upperBound)일에서 골라 주세요."
            )
        case .tooManyAlerts(let count): ("알림 \(count)개는 너무 많아요.", "\(ThingAlert.most)개만 남겨 주세요.")
        case .invalidAlert(.days(let days)):
            (
                "\(days)일 전에는 알릴 수 없어요.",
                "\(ThingAlert.dayRange.lowerBound)~\(ThingAlert.dayRange.upperBound)일에서 골라 주세요."
            )
        case .invalidAlert(.minutes(let minutes)):
            (
                "\(minutes)분 전에는 알릴 수 없어요.",
                "\(ThingAlert.minuteRange.lowerBound)~\(ThingAlert.minuteRange.upperBound)분에서 골라 주세요."
            )
        case .invalidAlert(.withoutTime): ("몇 분 전에 알리려면 시각이 있어야 해요.", "시각을 정하거나, 며칠 전으로 바꿔 주세요.")
        case .invalidAlert(.unreadable): ("알림으로 읽을 수 없어요.", "3d@09:00(3일 전 9시)이나 30m(30분 전)처럼 써 주세요.")
        case .alreadyDone(let day): ("\(day)에 끝낸 일이에요.", "먼저 다시 열어 주세요.")
        case .notDone: ("아직 끝내지 않은 일이에요.", "그대로 두세요.")
        case .dueChanged(let day): ("이제 \(day)까지예요.", "다시 보고 정해 주세요.")
        case .invalidRecurrence(.interval(let count)):
            (
                "\(count)마다 되풀이할 수 없어요.",
                "\(Recurrence.intervals.lowerBound)~\(Recurrence.intervals.upperBound)에서 골라 주세요."
            )
        case .invalidRecurrence(.ended(let day)):
            ("마지막 날 \(day)이 기한보다 앞서요.", "더 늦은 날을 고르거나 비워 주세요.")
        case .invalidRecurrence(.unreadable):
            ("주기로 읽을 수 없어요.", "2 weeks처럼 수와 days, weeks, months, years를 써 주세요.")
        case .storeUnknown: ("그런 가게가 없어요.", "목록에서 고르거나 비워 주세요.")
        case .dueUnknown(let kind):
            ("\(kind.korean)의 기한을 알 수 없어요.", "날을 적거나, 산 날과 기한을 주는 가게를 적어 주세요.")
        case .invalidShareDays(let days):
            (
                "링크를 \(days)일 동안 쓸 수는 없어요.",
                "\(ThingShare.days.lowerBound)~\(ThingShare.days.upperBound)일에서 골라 주세요."
            )
        }
    }
}

extension Thing.Kind {
    fileprivate var korean: String {
        switch self {
        case .pickup: "찾아올 것"
        case .giveBack: "반품할 것"
        case .reminder: "할 일"
        case .food: "식품"
        }
    }
}

/// Why a rule of care refused a command. Each case carries the data for its message.
public enum CareError: Error, Hashable, Sendable {
    // Rules 1 and 8: accounts and friends.
    case invalidEmail(String)
    case invalidAlarm(String)
    case invalidDayEnd
    case invalidCycle(Int)
    case invalidPhone(String)
    case invalidBirthday(String)
    case invalidTimeZone(String)
    case invalidName
    case invalidNickname
    case invalidPostcode
    case invalidCountry
    case invalidAppearance
    case duplicatePhone(PhoneNumber)
    case duplicateEmail(String)
    case identityFixed
    // Rule 6: postponing.
    case notYetDue(daysLeft: Int)
    case withered(daysOver: Int)
    case invalidDays(Int)
    // Rule 14.3: what was done on another device, or offline.
    case dueDateChanged(CivilDay)
    case madeTooLongAgo(CivilDay, days: Int)
    case editedSince
    // Rule 1.8.
    case archived(since: CivilDay)
    // Rule 3.4.
    case wateringDayOutOfRange(CivilDay, earliest: CivilDay, latest: CivilDay)
    // Rule 5: reviews.
    case tooManyKeywords(Int)
    case keywordEmpty
    case keywordTooLong(length: Int)
    case keywordRepeated
    case memoTooLong(length: Int)
    case reviewEmpty
    // Rule 9: tags.
    case invalidTag(String)
    case invalidColour(String)
    case duplicateTag(String)
    case tooManyTags(limit: Int)
    // Rule 13.1.
    case invalidPause(PauseProblem)
    // Rule 10.12.
    case tooManyLinks(limit: Int)
    // Undoing imports.
    case importUndone
    // Lookups.
    case notFound(Subject)
    case ambiguousID(String)

    /// The kind of thing that was not found.
    public enum Subject: String, Sendable {
        case account, plant, device, watering, review, tag, session, picture, receipt, identity, thing, store, share,
            feed, list,
            block, pause
        case pushAction = "action"
        case importBatch = "import"
    }

    /// The stable code of the refusal, as listed in `docs/command-line.md`.
    public var code: String {
        switch self {
        case .invalidEmail: "invalid_email"
        case .invalidAlarm: "invalid_alarm"
        case .invalidDayEnd: "invalid_day_end"
        case .invalidCycle: "invalid_cycle"
        case .invalidPhone: "invalid_phone"
        case .invalidBirthday: "invalid_birthday"
        case .invalidTimeZone: "invalid_time_zone"
        case .invalidName: "invalid_name"
        case .invalidNickname: "invalid_nickname"
        case .invalidPostcode: "invalid_postcode"
        case .invalidCountry: "invalid_country"
        case .invalidAppearance: "invalid_appearance"
        case .duplicatePhone: "duplicate_phone"
        case .duplicateEmail: "duplicate_email"
        case .identityFixed: "identity_fixed"
        case .notYetDue: "not_yet_due"
        case .withered: "withered"
        case .invalidDays: "invalid_days"
        case .dueDateChanged: "due_date_changed"
        case .madeTooLongAgo: "made_too_long_ago"
        case .editedSince: "edited_since"
        case .archived: "archived"
        case .wateringDayOutOfRange: "watering_day_out_of_range"
        case .tooManyKeywords: "too_many_keywords"
        case .keywordEmpty: "keyword_empty"
        case .keywordTooLong: "keyword_too_long"
        case .keywordRepeated: "keyword_repeated"
        case .memoTooLong: "memo_too_long"
        case .reviewEmpty: "review_empty"
        case .invalidTag: "invalid_tag"
        case .invalidColour: "invalid_colour"
        case .duplicateTag: "duplicate_tag"
        case .tooManyTags: "too_many_tags"
        case .invalidPause: "invalid_pause"
        case .tooManyLinks: "too_many_links"
        case .importUndone: "import_undone"
        case .notFound: "not_found"
        case .ambiguousID: "ambiguous_id"
        }
    }
}

extension CareError: CustomStringConvertible {
    /// ``problem`` and ``remedy`` in one sentence.
    public var description: String { "\(problem); \(remedy)" }

    /// What is wrong. It never repeats a phone number, a keyword or a memo.
    public var problem: String { words.problem }

    /// What to do about it, worded for any client.
    public var remedy: String { words.remedy }

    private var words: (problem: String, remedy: String) {
        switch self {
        case .invalidEmail: ("this is no e-mail address", "write it like minji@example.com")
        case .invalidAlarm(let text): ("\"\(text)\" is no time of day", "write hours and minutes like 09:00")
        case .invalidDayEnd: ("this is no end of a day", "write a time from 00:00 to 04:00")
        case .invalidCycle(let days):
            (
                "a cycle of \(days.counted("day")) is not possible",
                "choose from \(Cycle.range.lowerBound) to \(Cycle.range.upperBound)"
            )
        case .invalidPhone: ("this is no phone number", "write it with its country code, like +82 10 1234 5678")
        case .invalidBirthday(let text): ("\"\(text)\" is no birthday", "write 1994-05-21, or 05-21 without a year")
        case .invalidTimeZone(let name): ("\"\(name)\" is no time zone", "write an IANA name like Asia/Seoul")
        case .invalidName:
            ("this is no name", "write 1 to \(TextLimit.name) visible characters and no control characters")
        case .invalidNickname:
            ("this is no nickname", "write 1 to \(TextLimit.nickname) visible characters and no control characters")
        case .invalidPostcode: ("this is no postcode", "write 1 to 10 letters, digits, blanks and hyphens")
        case .invalidCountry: ("this is no country", "write two letters like KR")
        case .invalidAppearance:
            ("the appearance is no object, or too long", "send an object of at most \(Appearance.mostBytes) bytes")
        case .duplicatePhone: ("a living plant of this account has this phone number already", "edit that one")
        case .duplicateEmail: ("another account has this e-mail address", "choose another one")
        case .identityFixed:
            (
                "name and phone come from the address book and stay",
                "change them there and import the contact again"
            )
        case .notYetDue(let daysLeft):
            ("it is D-\(daysLeft): only a plant on its D-day can be postponed", "water it instead")
        case .withered(let daysOver):
            ("it is D+\(daysOver): a withered plant cannot be postponed", "water it to revive it")
        case .invalidDays(let days): ("\(days.counted("day")) are not possible", "postpone by 1 to 7 days")
        case .dueDateChanged(let dueOn):
            ("the plant is due on \(dueOn) now", "look at it again and decide anew")
        case .madeTooLongAgo(let day, let days):
            ("this was done on \(day)", "send it within \(days.counted("day"))")
        case .editedSince:
            (
                "it was edited on another device after you deleted it",
                "look at it again, and delete it again if you still want to"
            )
        case .archived(let day):
            ("this friend was removed on \(day)", "bring them back by an import, or register them again")
        case .wateringDayOutOfRange(let day, let earliest, let latest):
            ("\(day) is too early or too late", "a watering can be recorded for \(earliest) to \(latest)")
        case .tooManyKeywords(let count): ("\(count) keywords are too many", "keep \(Review.maximumKeywords)")
        case .keywordEmpty: ("a keyword has no visible character", "leave it out or write one")
        case .keywordTooLong(let length):
            ("a keyword has \(length) characters", "shorten it to \(TextLimit.keyword)")
        case .keywordRepeated: ("two keywords are equal", "keep one of them")
        case .memoTooLong(let length): ("the memo has \(length) characters", "shorten it to \(TextLimit.memo)")
        case .reviewEmpty: ("a review needs a keyword or a memo", "write one, or delete the review")
        case .invalidTag(let text):
            ("\"\(text)\" is no tag", "write 1 to \(TextLimit.tag) visible characters and no control characters")
        case .invalidColour(let text): ("\"\(text)\" is no colour", "write red, green and blue like #3b6fc9")
        case .duplicateTag(let name): ("this account has a tag \"\(name)\" already", "choose another name")
        case .tooManyTags(let limit): ("\(limit) tags are the most", "delete or leave out some")
        case .invalidPause(let problem): problem.words
        case .tooManyLinks(let limit): ("\(limit) links are the most", "withdraw one that nobody needs")
        case .importUndone:
            ("this import was undone already", "import the file again if you want its friends back")
        case .notFound(let subject): ("there is no such \(subject.rawValue)", "look it up in the list")
        case .ambiguousID(let prefix): ("several ids begin with \"\(prefix)\"", "write more of the id")
        }
    }
}

extension PauseProblem {
    fileprivate var words: (problem: String, remedy: String) {
        switch self {
        case .isBackwards: ("the pause ends before it begins", "choose a last day that is not before the first")
        case .tooLong: ("the pause is too long", "choose at most \(Pause.mostDays) days")
        case .isPast: ("the pause is over before it begins", "to excuse past days, let it end today or later")
        case .isOver: ("this pause is over", "begin another one")
        case .hasBegun:
            ("this pause has begun, or would have", "change its last day, or end it and begin another one")
        case .tooMany: ("\(Pause.mostPerAccount) pauses are the most", "end one of them")
        case .isOfTagAndFriend: ("the pause is for a tag and for a friend", "choose one of them, or begin two pauses")
        case .tooEarly(let day): ("the pause begins too long ago", "choose \(day) or a later day")
        }
    }
}

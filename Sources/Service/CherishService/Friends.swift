import CherishCore
import CherishRuntime
import CherishStore

/// A request to register a friend, not validated yet.
public struct FriendRequest: Sendable {
    public var name: String
    /// With country code, or as dialled in the country of the account's time zone.
    public var phone: String
    /// nil means the shortest cycle of the tags (rule 9.4).
    public var cycleDays: Int?
    public var nickname, birthday: String?
    /// In the account's time zone.
    public var alarm = "09:00"
    /// Names of existing tags of the account.
    public var tags: [String] = []
    public var isFavourite = false

    public init(name: String, phone: String) {
        (self.name, self.phone) = (name, phone)
    }
}

/// A request to change a friend, not validated yet; nil leaves a field unchanged.
public struct FriendEditRequest: Sendable {
    /// Empty derives it from the name.
    public var nickname: String?
    /// Empty removes it.
    public var birthday: String?
    public var cycleDays: Int?
    public var alarm: String?
    public var pushesEnabled, isFavourite: Bool?
    public var addedTags: [String] = []
    public var removedTags: [String] = []
    /// Whether a change of name or phone was requested, which rule 1.1 refuses.
    public var changesIdentity = false

    public init() {}
}

/// Selects and sorts friends.
public struct FriendQuery: Sendable {
    /// Part of a name, nickname or phone.
    public var search = ""
    /// Whether to select removed friends instead.
    public var isArchived = false
    /// Only those with all of these tags.
    public var tags: [String] = []
    public var isFavouritesOnly = false
    public var order = GardenOrder.nearness

    public init() {}
}

/// Invalid requests that the rules of care do not cover.
public enum RequestError: ExplainedError, Sendable, Equatable {
    /// Neither a cycle nor a tag with one.
    case missingCycle
    /// A calendar whose first day is after its last, or more than so many days before it.
    case invalidSpan(mostDays: Int)
    /// A calendar with more entries than one answer has.
    case tooManyEntries(limit: Int)
    /// An enquiry to a service that takes none.
    case enquiriesOff
    /// The key of browsers, from a service without Web Push.
    case webPushOff
    /// A cursor that is older than the changes that are kept, or of another database.
    case cursorExpired
    /// A browser's subscription with a key that is no point on P-256, or a secret of another length.
    case invalidSubscriptionKey

    public var code: String {
        switch self {
        case .missingCycle: "missing_cycle"
        case .invalidSpan: "invalid_span"
        case .tooManyEntries: "too_many_entries"
        case .enquiriesOff: "enquiries_off"
        case .webPushOff: "web_push_off"
        case .cursorExpired: "cursor_expired"
        case .invalidSubscriptionKey: "invalid_subscription_key"
        }
    }

    public var description: String {
        switch self {
        case .missingCycle: "a friend needs a cycle; say how many days it has, or give a tag that has a cycle"
        case .invalidSpan(let days):
            "these are no days of a calendar; the first must not be after the last, nor more than \(days) days before it"
        case .tooManyEntries(let limit): "these days have more than \(limit) entries; ask for fewer days"
        case .enquiriesOff: "this service takes no enquiries; ask whoever runs it in another way"
        case .webPushOff: "this service sends no pushes to browsers; whoever runs it can set CHERISH_WEBPUSH_KEY"
        case .cursorExpired:
            "what changed after this cursor is not known any more; read everything again, without a cursor"
        case .invalidSubscriptionKey:
            "nothing could be encrypted with these keys; pass on p256dh and auth as the browser returns them, in Base64url"
        }
    }

    public var exitStatus: Int32 { 64 }
    public var httpStatus: Int {
        switch self {
        case .enquiriesOff, .webPushOff: 404
        case .cursorExpired: 410
        case .missingCycle, .invalidSpan, .tooManyEntries, .invalidSubscriptionKey: 422
        }
    }
}

extension RequestError: ExplainedInKorean {
    public var korean: (problem: String, remedy: String) {
        switch self {
        case .missingCycle:
            ("친구에게는 물 주는 주기가 필요해요.", "며칠마다 줄지 정하거나, 주기가 있는 태그를 골라 주세요.")
        case .invalidSpan(let days):
            ("달력에 담을 수 없는 기간이에요.", "첫날은 마지막 날보다 늦지 않게, \(days)일 안에서 골라 주세요.")
        case .tooManyEntries(let limit):
            ("이 기간에는 항목이 \(limit)개보다 많아요.", "더 짧은 기간을 골라 주세요.")
        case .enquiriesOff:
            ("이 서비스는 문의를 받지 않아요.", "운영하는 사람에게 다른 방법으로 물어봐 주세요.")
        case .webPushOff:
            ("이 서비스는 브라우저로 알림을 보내지 않아요.", "운영하는 사람이 CHERISH_WEBPUSH_KEY를 설정하면 보낼 수 있어요.")
        case .cursorExpired:
            ("마지막으로 확인한 뒤 너무 오래되어 달라진 내용을 알 수 없어요.", "모두 다시 불러와 주세요.")
        case .invalidSubscriptionKey:
            ("이 키로는 아무것도 암호화할 수 없어요.", "브라우저가 준 p256dh와 auth를 Base64url 그대로 보내 주세요.")
        }
    }
}

extension GardenService {
    /// Registers a friend (rule 1).
    ///
    /// - Throws: ``CareError``, ``RequestError/missingCycle``.
    public func addFriend(_ request: FriendRequest) async throws -> PlantView {
        let name = try ContactName(request.name)
        let tags = try request.tags.map { text throws(CareError) in try TagName(text) }
        let registration = Registration(
            name: name, phone: try engine.zones.phoneNumber(request.phone, in: try await account().timeZone),
            nickname: try Nickname(request.nickname, for: name),
            birthday: try request.birthday.map { text throws(CareError) in try Birthday(text) },
            cycle: try cycle(request.cycleDays, of: try await garden.tags().tags(named: tags)),
            alarmTime: try TimeOfDay(alarm: request.alarm), isFavourite: request.isFavourite)
        return try await view(of: try await garden.addFriend(registration, tags: tags))
    }

    private func cycle(_ days: Int?, of tags: [Tag]) throws -> Cycle {
        if let days { return try Cycle(days: days) }
        guard let cycle = Tag.defaultCycle(of: tags) else { throw RequestError.missingCycle }
        return cycle
    }

    /// The plants that match a query.
    ///
    /// - Throws: ``CareError/notFound(_:)`` for a tag that the account does not have.
    public func friends(_ query: FriendQuery = FriendQuery()) async throws -> GardenView {
        let seen = try await garden.overview(isArchived: query.isArchived)
        let (known, today) = (seen.tags, try today(seen.viewpoint))
        let wanted = try known.tags(named: try query.tags.map { text throws(CareError) in try TagName(text) })
        let search = PlantSearch(query.search)
        let found = seen.plants.filter { plant in
            search.matches(plant) && (plant.isFavourite || !query.isFavouritesOnly)
                && (wanted.isEmpty || wanted.allSatisfy(known.tags(of: plant.id).contains))
        }
        let views = query.order.sorted(found, firstTags: query.order == .tag ? known.firstTags : [:]).map {
            PlantView($0, tags: known.tags(of: $0.id), on: today, language: seen.viewpoint.account.language)
        }
        return GardenView(account: seen.viewpoint.account, today: today, plants: views, tags: known.tags)
    }

    /// What a list shows of the living plants that match.
    ///
    /// - Parameters:
    ///   - search: part of a name, nickname or phone.
    ///   - tag: the name of a tag that they all have; nil for any.
    /// - Throws: ``CareError/notFound(_:)`` for a tag that the account does not have.
    public func glances(search: String = "", tag: String? = nil, isFavouritesOnly: Bool = false) async throws
        -> GardenGlanceView
    {
        let seen = try await garden.glances(isTagged: tag != nil)
        let (known, today, account) = (seen.tags, try today(seen.viewpoint), seen.viewpoint.account)
        let wanted = try tag.flatMap { try known.tags(named: [try TagName($0)]).first }
        let search = PlantSearch(search)
        let found = seen.plants.filter { plant in
            search.matches(plant) && (plant.isFavourite || !isFavouritesOnly)
                && (wanted.map { known.tagIDs[plant.id]?.contains($0.id) == true } ?? true)
        }
        return GardenGlanceView(
            account: account, today: today,
            plants: found.map { PlantGlanceView($0, on: today, language: account.language) }, tags: known.tags)
    }

    /// A plant with its newest reviews (rule 8.2).
    ///
    /// - Parameter id: the plant's id, or a prefix of at least 8 digits.
    public func friend(_ id: String) async throws -> PlantDetailView {
        let seen = try await garden.detail(of: try await plantID(id))
        return PlantDetailView(
            view: PlantView(
                seen.plant, tags: seen.tags, on: try today(seen.viewpoint), language: seen.viewpoint.account.language),
            reviews: seen.reviewed, keywords: seen.newest?.review?.keywords ?? [])
    }

    /// Changes a friend (rule 1.7).
    public func editFriend(_ id: String, _ request: FriendEditRequest) async throws -> PlantView {
        var edit = PlantEdit()
        edit.changesIdentity = request.changesIdentity
        edit.nickname = request.nickname
        if let birthday = request.birthday { edit.birthday = .some(birthday.isEmpty ? nil : try Birthday(birthday)) }
        edit.cycle = try request.cycleDays.map { days throws(CareError) in try Cycle(days: days) }
        edit.alarmTime = try request.alarm.map { text throws(CareError) in try TimeOfDay(alarm: text) }
        edit.pushesEnabled = request.pushesEnabled
        edit.isFavourite = request.isFavourite
        let tagging = Tagging(
            adding: try request.addedTags.map { text throws(CareError) in try TagName(text) },
            removing: try request.removedTags.map { text throws(CareError) in try TagName(text) })
        return try await view(of: try await garden.editFriend(try await plantID(id), edit, tagging))
    }

    /// Removes a friend (rule 1.8).
    public func removeFriend(_ id: String) async throws -> PlantView {
        try await view(of: try await garden.removeFriend(try await plantID(id)))
    }

    /// Brings a removed friend back (rule 1.8); a living one stays as it is.
    public func restoreFriend(_ id: String) async throws -> PlantView {
        try await view(of: try await garden.restoreFriend(try await plantID(id)))
    }
}

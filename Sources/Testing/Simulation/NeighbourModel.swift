import CherishCore

/// The state that a shopping list must have by the rules, reimplemented from docs/rules.md §11: it shares ids and instants with
/// the engine, but no rule.
struct ListModel: Sendable {
    enum State: String, Sendable {
        case draft, open, accepted, delivered, expired, cancelled
    }

    /// Who fetches it.
    struct Help: Equatable, Sendable {
        let helperID: Account.ID
        let since: Instant
        var hasReceipt = false
    }

    let id: ShoppingList.ID
    let ownerID: Account.ID
    let title: String
    /// Whether the helper has each entry.
    var bought: [Bool]
    var openedAt, deliveredAt, cancelledAt: Instant?
    var help: Help?
    /// Where it was opened: the number of a postcode.
    var place = 0
    var rating: Int?

    init(id: ShoppingList.ID, ownerID: Account.ID, title: String, entryCount: Int) {
        (self.id, self.ownerID, self.title) = (id, ownerID, title)
        bought = Array(repeating: false, count: entryCount)
    }

    /// Rule 11.2; nil for a draft.
    var end: Instant? {
        guard let openedAt else { return nil }
        var end = openedAt.adding(hours: 7 * 24)
        if let help { end = max(end, help.since.adding(hours: 48)) }
        return min(end, openedAt.adding(hours: 9 * 24))
    }

    func state(at now: Instant) -> State {
        if cancelledAt != nil { return .cancelled }
        if deliveredAt != nil { return .delivered }
        guard let end else { return .draft }
        return end <= now ? .expired : help == nil ? .open : .accepted
    }

    /// Whether its helper sees it (rule 11.4).
    func isVisibleToHelper(at now: Instant) -> Bool {
        guard let over = cancelledAt ?? deliveredAt ?? end else { return false }
        return now < over.adding(hours: 24)
    }

    /// As ``NeighbourFacts/lists(at:)`` selects it.
    func line(at now: Instant) -> String {
        let instants = [openedAt, help?.since, deliveredAt, cancelledAt, end].map { instant in
            instant.map { "\($0.microsecondsSinceEpoch)" } ?? "-"
        }
        let parts: [String] = [
            id.description, ownerID.description, title, bought.map { $0 ? "t" : "f" }.joined(separator: ","),
            state(at: now).rawValue, help?.helperID.description ?? "-", help?.hasReceipt == true ? "receipt" : "-",
            rating.map { "\($0)" } ?? "-",
        ]
        return (parts + instants).joined(separator: " ")
    }
}

/// What somebody must have of rule 11, apart from lists.
struct NeighbourModel: Sendable {
    /// What somebody did with a list of somebody else.
    struct Errand: Sendable {
        var acceptances: [Instant] = []
        var releases: [Instant] = []
        /// When it was asked for last, whether it was accepted or not.
        var askedAt: Instant
    }

    let id: Account.ID
    /// The number of its postcode: they lie on a line.
    var place: Int
    /// When it moved.
    var moves: [Instant] = []
    var isBarred = false
    var blocks: Set<Account.ID> = []
    var errands: [ShoppingList.ID: Errand] = [:]
    var ratings: [Int] = []
    /// Whether a program stopped before it had told the account's lane of a list: then the lane may know less than happened.
    var isBehind = false

    /// Its acceptances in a day, and what it gave back in a week (rule 11.4).
    func acceptances(at now: Instant) -> Int {
        errands.values.flatMap(\.acceptances).count { $0 > now.adding(hours: -24) }
    }

    func releases(at now: Instant) -> Int {
        errands.values.flatMap(\.releases).count { $0 > now.adding(hours: -7 * 24) }
    }

    /// The same as the service counts them: all of a list, if the newest is within the time.
    func countedAcceptances(at now: Instant) -> Int {
        errands.values.filter { $0.askedAt > now.adding(hours: -24) }.map(\.acceptances.count).reduce(0, +)
    }

    func countedReleases(at now: Instant) -> Int {
        errands.values.filter {
            ($0.releases.last ?? $0.askedAt.adding(hours: -1_000_000)) > now.adding(hours: -7 * 24)
        }
        .map(\.releases.count).reduce(0, +)
    }

    /// As ``NeighbourFacts/accounts()`` selects it.
    var line: String {
        "\(id) K\(place) \(isBarred ? "barred" : "-") \(blocks.map(\.description).sorted().joined(separator: ","))"
    }
}

/// A push about a list that the rules promise to one of its people (rule 11.5).
struct ListPromise: Sendable {
    let personID: Account.ID
    let listID: ShoppingList.ID
    let topic: Topic
    let from: Instant
    /// When something newer happened; then it must not come any more.
    var until: Instant?
    /// Whether a program stopped near it: it may come late, or not at all.
    var isUncertain = false
    /// The push that kept it.
    var collapseID: String?

    static let hoursOfUse = 24

    var isOverAt: Instant { from.adding(hours: Self.hoursOfUse) }
}

/// What people do with lists.
enum NeighbourAct: Sendable {
    case write(title: String, entryCount: Int)
    case edit(ShoppingList.ID, entryCount: Int)
    case open(ShoppingList.ID)
    case cancel(ShoppingList.ID)
    case rate(ShoppingList.ID, points: Int)
    case delete(ShoppingList.ID)
    case search(kilometres: Int)
    case accept(ShoppingList.ID)
    case release(ShoppingList.ID)
    case mark(ShoppingList.ID, number: Int, isBought: Bool)
    case deliver(ShoppingList.ID)
    case attach(ShoppingList.ID, Bool)
    case block(ShoppingList.ID)
    case unblock(Account.ID)
    case move(to: Int)
    case leave
    /// What the operator does.
    case close(ShoppingList.ID)
    case bar(Bool)

    var name: String {
        switch self {
        case .write: "write"
        case .edit: "edit"
        case .open: "open"
        case .cancel: "cancel"
        case .rate: "rate"
        case .delete: "delete"
        case .search: "search"
        case .accept: "accept"
        case .release: "give back"
        case .mark: "mark"
        case .deliver: "deliver"
        case .attach: "attach or remove receipt"
        case .block: "block"
        case .unblock: "unblock"
        case .move: "move"
        case .leave: "leave"
        case .close: "close"
        case .bar(let lifts): lifts ? "admit" : "bar"
        }
    }

    var list: ShoppingList.ID? {
        switch self {
        case .edit(let id, _), .open(let id), .cancel(let id), .rate(let id, _), .delete(let id), .accept(let id),
            .release(let id), .mark(let id, _, _), .deliver(let id), .attach(let id, _), .block(let id), .close(let id):
            id
        case .write, .search, .unblock, .move, .leave, .bar: nil
        }
    }
}

/// All people and lists, as the rules demand them.
struct NeighbourhoodModel: Sendable {
    var people: [Account.ID: NeighbourModel] = [:]
    var lists: [ShoppingList.ID: ListModel] = [:]
    var promises: [ListPromise] = []

    /// Postcodes lie on a line, so far apart that no distance of two is an even number of kilometres.
    static let placeCount = 30
    static let kilometresBetweenPlaces = 1.37

    private static let (mostOpen, mostHelped, mostADay, mostReleases) = (5, 5, 10, 5)

    func lists(of owner: Account.ID) -> [ListModel] { lists.values.filter { $0.ownerID == owner }.sorted() }

    func lists(helpedBy helper: Account.ID) -> [ListModel] {
        lists.values.filter { $0.help?.helperID == helper }.sorted()
    }

    /// Whether neither has blocked the other.
    func mayMeet(_ one: Account.ID, _ other: Account.ID) -> Bool {
        people[one]?.blocks.contains(other) != true && people[other]?.blocks.contains(one) != true
    }

    // MARK: Refusals

    /// The codes of all reasons to refuse an act; it must be accepted if there is none.
    func refusals(of act: NeighbourAct, by person: Account.ID, at now: Instant) -> Set<String> {
        guard let own = people[person] else { return ["not_found"] }
        switch act {
        case .write, .bar, .leave: return []
        case .search: return own.isBarred ? ["barred_from_helping"] : []
        case .unblock(let other): return own.blocks.contains(other) ? [] : ["not_found"]
        case .move:
            return own.moves.count { $0 > now.adding(hours: -30 * 24) } < 2 ? [] : ["postcode_changed_too_often"]
        default: break
        }
        guard let list = act.list.flatMap({ lists[$0] }) else { return ["not_found"] }
        let state = list.state(at: now)
        switch act {
        case .accept: return refusalsToAccept(list, by: own, at: now)
        case .release, .mark, .deliver, .attach:
            guard list.help?.helperID == person else { return ["not_found"] }
            if case .attach = act, state == .delivered {
                return list.isVisibleToHelper(at: now) ? [] : ["receipt_too_late"]
            }
            if state == .accepted { return [] }
            return [state == .expired ? "list_expired" : "list_\(state.rawValue)"]
        case .block:
            if list.ownerID == person { return list.help == nil ? ["blocked_yourself"] : [] }
            return list.openedAt == nil ? ["not_found"] : []
        default: return refusalsOfOwner(act, list, by: person, at: now)
        }
    }

    private func refusalsOfOwner(
        _ act: NeighbourAct, _ list: ListModel, by person: Account.ID, at now: Instant
    ) -> Set<String> {
        let state = list.state(at: now)
        if case .close = act { return [.open, .accepted].contains(state) ? [] : ["list_\(state.rawValue)"] }
        guard list.ownerID == person else { return ["not_found"] }
        switch act {
        case .edit: return [.draft, .open].contains(state) ? [] : ["list_\(state.rawValue)"]
        case .open:
            if state != .draft { return ["list_\(state.rawValue)"] }
            let active = lists(of: person).count { [.open, .accepted].contains($0.state(at: now)) }
            return active < Self.mostOpen ? [] : ["too_many_open"]
        case .cancel: return [.open, .accepted].contains(state) ? [] : ["list_\(state.rawValue)"]
        case .rate:
            guard let deliveredAt = list.deliveredAt else { return ["list_\(state.rawValue)"] }
            if list.rating != nil { return ["already_rated"] }
            return now < deliveredAt.adding(hours: 30 * 24) ? [] : ["rate_too_late"]
        default: return state == .draft ? [] : ["not_a_draft"]
        }
    }

    private func refusalsToAccept(_ list: ListModel, by helper: NeighbourModel, at now: Instant) -> Set<String> {
        if list.ownerID == helper.id { return ["own_list"] }
        if list.state(at: now) == .accepted, list.help?.helperID == helper.id, mayMeet(list.ownerID, helper.id),
            !helper.isBarred
        {
            return []
        }
        var refusals: Set<String> = []
        if helper.isBarred { refusals.insert("barred_from_helping") }
        if !mayMeet(list.ownerID, helper.id) { refusals.insert("not_found") }
        if helper.acceptances(at: now) >= Self.mostADay { refusals.insert("accepted_too_often") }
        if helper.releases(at: now) >= Self.mostReleases { refusals.insert("released_too_often") }
        let helped = lists(helpedBy: helper.id).count { $0.state(at: now) == .accepted }
        if helped >= Self.mostHelped { refusals.insert("too_many_accepted") }
        switch list.state(at: now) {
        case .open: break
        case .draft: refusals.insert("not_found")
        case .accepted, .delivered: refusals.insert("already_accepted")
        case .expired: refusals.insert("list_expired")
        case .cancelled: refusals.insert("list_cancelled")
        }
        return refusals
    }

    /// Refusals that the rules do not demand, but that the service may give: it counts all acceptances of a list with the newest,
    /// and a lane that is behind may know of a list that is over.
    func tolerated(_ code: String, of act: NeighbourAct, by person: Account.ID, at now: Instant) -> Bool {
        guard case .accept = act, let helper = people[person] else { return false }
        switch code {
        case "accepted_too_often": return helper.countedAcceptances(at: now) >= Self.mostADay
        case "released_too_often": return helper.countedReleases(at: now) >= Self.mostReleases
        case "too_many_accepted": return helper.isBehind
        default: return false
        }
    }

    /// Whether an act may be accepted although a limit is reached: the helper's lane does not know all that it did.
    func isExcused(_ refusals: Set<String>, of person: Account.ID) -> Bool {
        people[person]?.isBehind == true && refusals.isSubset(of: ["accepted_too_often", "released_too_often"])
    }

    // MARK: Acts

    /// Changes the state as the rules say, after an act that they allow.
    mutating func apply(_ act: NeighbourAct, by person: Account.ID, at now: Instant) {
        switch act {
        case .write, .search: break
        case .unblock(let other): people[person]?.blocks.remove(other)
        case .move(let place):
            people[person]?.place = place
            people[person]?.moves.append(now)
        case .leave: leave(person, at: now)
        case .bar(let lifts): people[person]?.isBarred = !lifts
        default:
            guard let id = act.list, var list = lists[id] else { return }
            if case .delete = act {
                lists[id] = nil
            } else {
                change(&list, act, by: person, at: now)
                lists[id] = list
            }
        }
    }

    private mutating func change(
        _ list: inout ListModel, _ act: NeighbourAct, by person: Account.ID, at now: Instant
    ) {
        switch act {
        case .edit(_, let entryCount): list.bought = Array(repeating: false, count: entryCount)
        case .open:
            list.openedAt = now
            list.place = people[person]?.place ?? 0
            promiseEnd(of: list, at: now)
        case .cancel, .close:
            supersede(list.id, at: now)
            list.cancelledAt = now
            if let help = list.help { promise(.listCancelled, to: help.helperID, list.id, from: now) }
        case .rate(_, let points):
            list.rating = points
            if let helper = list.help?.helperID { people[helper]?.ratings.append(points) }
        case .accept:
            guard list.help == nil else { return }
            list.help = ListModel.Help(helperID: person, since: now)
            people[person]?.errands[list.id, default: NeighbourModel.Errand(askedAt: now)].acceptances.append(now)
            supersede(list.id, at: now)
            promise(.listAccepted, to: list.ownerID, list.id, from: now)
            promiseEnd(of: list, at: now)
        case .release: release(&list, at: now)
        case .mark(_, let number, let isBought): list.bought[number - 1] = isBought
        case .deliver:
            supersede(list.id, at: now)
            list.deliveredAt = now
            promise(.listDelivered, to: list.ownerID, list.id, from: now)
        case .attach(_, let isAttached): list.help?.hasReceipt = isAttached
        case .block:
            let other = list.ownerID == person ? list.help?.helperID : list.ownerID
            if let other { people[person]?.blocks.insert(other) }
        default: break
        }
    }

    private mutating func release(_ list: inout ListModel, at now: Instant) {
        if let helper = list.help?.helperID { people[helper]?.errands[list.id]?.releases.append(now) }
        list.help = nil
        list.bought = list.bought.map { _ in false }
        supersede(list.id, at: now)
        if list.state(at: now) == .open {
            promise(.listReleased, to: list.ownerID, list.id, from: now)
            promiseEnd(of: list, at: now)
        } else {
            promise(.listExpired, to: list.ownerID, list.id, from: now)
        }
    }

    /// Rule 11.9.
    private mutating func leave(_ person: Account.ID, at now: Instant) {
        for var list in lists(of: person) {
            if [.open, .accepted].contains(list.state(at: now)) {
                change(&list, .cancel(list.id), by: person, at: now)
            }
            lists[list.id] = nil
        }
        for var list in lists(helpedBy: person) {
            if list.state(at: now) == .accepted {
                release(&list, at: now)
            } else {
                list.help = nil
            }
            lists[list.id] = list
        }
        people[person] = nil
        promises.removeAll { $0.personID == person }
    }

    // MARK: Promises

    private mutating func supersede(_ list: ShoppingList.ID, at now: Instant) {
        for place in promises.indices where promises[place].listID == list && promises[place].until == nil {
            promises[place].until = now
        }
    }

    private mutating func promise(_ topic: Topic, to person: Account.ID, _ list: ShoppingList.ID, from instant: Instant)
    {
        promises.append(ListPromise(personID: person, listID: list, topic: topic, from: instant))
    }

    private mutating func promiseEnd(of list: ListModel, at now: Instant) {
        guard let end = list.end else { return }
        promise(.listExpired, to: list.ownerID, list.id, from: end)
        guard let helper = list.help?.helperID else { return }
        promise(.listExpired, to: helper, list.id, from: end)
        if end.adding(hours: -6) > now { promise(.listExpiring, to: helper, list.id, from: end.adding(hours: -6)) }
    }

    // MARK: Searching

    /// In how many steps of 2 km each open list that somebody finds lies, the nearest first (rule 11.3).
    func nearby(_ person: NeighbourModel, within kilometres: Int, at now: Instant) -> [ShoppingList.ID: Int] {
        var found: [ShoppingList.ID: Int] = [:]
        for list in lists.values where list.state(at: now) == .open && list.ownerID != person.id {
            let distance = Double(abs(list.place - person.place)) * Self.kilometresBetweenPlaces
            guard distance < Double(kilometres), mayMeet(person.id, list.ownerID) else { continue }
            found[list.id] = Int(distance / 2) * 2 + 2
        }
        return found
    }
}

extension [ListModel] {
    /// In an order that does not depend on a dictionary's.
    fileprivate func sorted() -> [ListModel] { sorted { $0.id.description < $1.id.description } }
}

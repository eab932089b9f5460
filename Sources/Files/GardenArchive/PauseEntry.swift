import CherishCore

/// A pause (rule 13.1). For the whole account, unless `tag` or `friend` names whom it is for.
struct PauseEntry: Codable {
    var id: String
    var from: String
    var to: String
    /// The name of a tag.
    @OrNull var tag: String?
    /// The id of a plant.
    @OrNull var friend: String?
    var spread: Bool

    init(_ pause: Pause, tagNames: [Tag.ID: String]) {
        id = pause.id.description
        (from, to) = (pause.days.lowerBound.description, pause.days.upperBound.description)
        tag = pause.scope.tag.flatMap { tagNames[$0] }
        friend = pause.scope.friend?.description
        spread = pause.isSpread
    }

    /// - Parameter tagIDs: The tags of the account.
    /// - Throws: ``ExportProblem``.
    func read(at place: Place, tagIDs: [TagName: Tag.ID]) throws -> Pause {
        let (first, last) = (try place["from"].day(from), try place["to"].day(to))
        guard first <= last, last - first < Pause.mostDays else {
            throw place["to"].problem(
                "is before \"from\", or \(Pause.mostDays) days or more after it; write another day")
        }
        if tag != nil, friend != nil { throw place["friend"].problem("stands beside a tag; keep one of them") }
        let ofTag = try place["tag"].tagIDs(tag.map { [$0] }, tagIDs).first
        let ofFriend: Plant.ID? = try friend.map { try place["friend"].identifier($0) }
        return Pause(
            stored: try place["id"].identifier(id), ofTag.map { .tag($0) } ?? ofFriend.map { .friend($0) } ?? .account,
            first...last, isSpread: spread)
    }
}

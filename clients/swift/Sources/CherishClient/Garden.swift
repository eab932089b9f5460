import Foundation

/// A device's copy of a garden, and what its person has done that the server does not know yet (rule 14).
///
/// The copy follows `GET /v1/changes` by a cursor. What the person does goes into a queue first, with an id and the time by this
/// device's clock. It is sent in order once there is a network, and happens once, however often it is sent. What the server refuses
/// stays in the queue with its reason until the person has seen it.
public actor Garden {
    private static let pageLength = 1_000
    /// How often the server may fail over a deed. Then it counts as refused: what follows must not wait for it for ever.
    private static let mostFailures = 5
    /// How long to wait before a stream of events is opened again.
    private static let retryTime: ClosedRange<Double> = 1...3

    private let storage: any GardenStorage
    private let transport: any GardenTransport
    private let now: @Sendable () -> Date
    private var syncing: Task<Void, any Error>?

    /// - Parameters:
    ///   - storage: for one account. Clear it when somebody signs out.
    ///   - now: the device's clock.
    public init(
        storage: any GardenStorage, transport: any GardenTransport, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        (self.storage, self.transport, self.now) = (storage, transport, now)
    }

    // MARK: What the person does

    /// Records a contact with a friend (rule 3).
    ///
    /// - Parameters:
    ///   - method: `call`, `message`, `kakaotalk`, `video`, `in_person` or `other`.
    ///   - day: on which it was, if that was before, like `2027-03-05`.
    @discardableResult
    public func water(
        _ friend: String, method: String, on day: String? = nil, keywords: [String] = [], memo: String? = nil
    ) throws -> Deed {
        var body: [String: JSON] = [
            "method": .string(method), "keywords": .array(keywords.map(JSON.string)),
            "memo": memo.map(JSON.string) ?? .null,
        ]
        if let day { body["wateredOn"] = .string(day) }
        return try enqueue("POST", "/v1/friends/\(friend)/waterings", .friend, friend, fact(body))
    }

    /// Puts a friend's watering off (rule 6).
    ///
    /// - Parameters:
    ///   - days: 1–7.
    ///   - dueOn: the due date that the person sees.
    @discardableResult
    public func postpone(_ friend: String, days: Int, fromDueOn dueOn: String) throws -> Deed {
        try enqueue(
            "POST", "/v1/friends/\(friend)/postponements", .friend, friend,
            fact(["days": .integer(days), "fromDueOn": .string(dueOn)]))
    }

    /// Writes the review of the watering of a day (rule 5).
    @discardableResult
    public func review(_ friend: String, on day: String, keywords: [String], memo: String?) throws -> Deed {
        try enqueue(
            "PUT", "/v1/friends/\(friend)/waterings/\(day)/review", .friend, friend,
            edit(["keywords": .array(keywords.map(JSON.string)), "memo": memo.map(JSON.string) ?? .null]))
    }

    /// Declines to review the watering of a day.
    @discardableResult
    public func declineReview(_ friend: String, on day: String) throws -> Deed {
        let path = "/v1/friends/\(friend)/waterings/\(day)/review/declination"
        return try enqueue("POST", "\(path)?modifiedAt=\(time)", .friend, friend)
    }

    /// Deletes the review of the watering of a day.
    @discardableResult
    public func deleteReview(_ friend: String, on day: String) throws -> Deed {
        let path = "/v1/friends/\(friend)/waterings/\(day)/review"
        return try enqueue("DELETE", "\(path)?modifiedAt=\(time)", .friend, friend)
    }

    /// Completes a thing (rule 10.8).
    ///
    /// - Parameter outcome: `eaten` or `thrown_away`, for food only.
    @discardableResult
    public func complete(_ thing: String, as outcome: String? = nil) throws -> Deed {
        try enqueue(
            "POST", "/v1/things/\(thing)/completion", .thing, thing,
            fact(["as": outcome.map(JSON.string) ?? .null]))
    }

    /// Changes parts of an item; of two devices that change the same part, the newer change stays (rule 14.3).
    ///
    /// - Parameter id: any for the settings.
    @discardableResult
    public func edit(_ kind: Kind, _ id: String, _ parts: [String: JSON]) throws -> Deed {
        try enqueue("PATCH", kind.place(of: id), kind, id, edit(parts))
    }

    /// Deletes a thing, a tag or a draft, or removes a friend. It is refused if another device has edited it since.
    @discardableResult
    public func remove(_ kind: Kind, _ id: String) throws -> Deed {
        try enqueue("DELETE", "\(kind.place(of: id))?modifiedAt=\(time)", kind, id)
    }

    // MARK: What the device knows

    /// An item as the person sees it: what the server last said, with the edits that it does not know yet. nil if there is none.
    public func item(_ kind: Kind, _ id: String) throws -> JSON? {
        let known = try read(kind == .settings ? kind.rawValue : "\(kind.rawValue)/\(id)")
        return try known.flatMap { overlaid($0, kind, try deeds()) }
    }

    /// All items of a kind, as the person sees them.
    public func items(_ kind: Kind) throws -> [JSON] {
        let deeds = try deeds()
        return try storage.read("\(kind.rawValue)/").compactMap { overlaid($0.value, kind, deeds) }
    }

    /// What the person did that the copy does not show yet, in order: what waits, and what was refused.
    public func deeds() throws -> [Deed] {
        try storage.read("queue/").map { try JSONDecoder().decode(Deed.self, from: try $0.value.data) }
    }

    /// Forgets a deed that was refused, once the person has seen why.
    public func dismiss(_ deed: Deed) throws {
        guard try deeds().first(where: { $0.key == deed.key })?.state == .refused else { return }
        try storage.write([(deed.key, nil)])
    }

    /// The cursor of the copy; nil before the first ``sync()``.
    public func cursor() throws -> String? { try read("cursor")?.text }

    // MARK: With the server

    /// Sends what waits, and brings the copy up to date.
    ///
    /// - Throws: ``Unreachable``; what was not sent waits on.
    public func sync() async throws {
        while let syncing { _ = try? await syncing.value }
        let task = Task {
            try await send()
            try await pull()
        }
        syncing = task
        defer { syncing = nil }
        try await task.value
    }

    /// Tells the newest cursor at the beginning and after each change, until the task is cancelled: with another one than
    /// ``cursor()``, there is something to ``sync()``. It opens the stream again whenever that ends.
    ///
    /// - Throws: ``Unreachable`` once nobody is signed in; `CancellationError`.
    public func listen(_ told: @Sendable (String) async throws -> Void) async throws {
        while true {
            do {
                var text = Data()
                for try await part in transport.events() {
                    text.append(part)
                    while let end = text.firstRange(of: Data("\n\n".utf8)) {
                        let lines = String(decoding: text[..<end.lowerBound], as: UTF8.self).split(separator: "\n")
                        text = Data(text[end.upperBound...])
                        if let id = lines.first(where: { $0.hasPrefix("id: ") }) {
                            try await told(String(id.dropFirst(4)))
                        }
                    }
                }
            } catch let error as Unreachable where error.reason == .signedOut {
                throw error
            } catch {
                try Task.checkCancellation()
            }
            try await Task.sleep(for: .seconds(Double.random(in: Self.retryTime)))
        }
    }

    private func send() async throws {
        for deed in try deeds() where deed.state == .waiting {
            let answer = try await ask(GardenRequest(method: deed.method, path: deed.path, body: deed.body))
            var done = deed
            done.state = .sent
            let failures = (deed.failures ?? 0) + 1
            if answer.status == 500, failures < Self.mostFailures {
                done = deed
                done.failures = failures
                try storage.write([(deed.key, try JSON(JSONEncoder().encode(done)))])
                throw Unreachable(.busy)
            }
            if answer.status >= 300 {
                let problem = (try? JSON(answer.body)) ?? .null
                let refusal = Refusal(
                    status: answer.status, code: problem["code"]?.text ?? "", detail: problem["detail"]?.text ?? "",
                    remedy: problem["remedy"]?.text ?? "")
                // Somebody else did the same before, or the answer to this got lost.
                let isGone = deed.method == "DELETE" && (answer.status == 404 || refusal.code == "archived")
                if !isGone { (done.state, done.refusal) = (.refused, refusal) }
            }
            try storage.write([(deed.key, try JSON(JSONEncoder().encode(done)))])
        }
    }

    private func pull() async throws {
        let settled = try deeds().filter { $0.state == .sent }.map { (key: $0.key, value: JSON?.none) }
        guard var after = try cursor() else { return try await readEverything(settled) }
        while true {
            guard let page = try await changes(after: after) else { return try await readEverything(settled) }
            after = page["cursor"]?.text ?? after
            let isComplete = page["complete"] == true
            try storage.write(
                Self.changes(of: page) + [("cursor", .string(after))] + (isComplete ? settled : []))
            if isComplete { return }
        }
    }

    /// - Parameter settled: what else is written with it.
    private func readEverything(_ settled: [(key: String, value: JSON?)]) async throws {
        var entries: [String: JSON?] = [:]
        var cursor: String?
        var isComplete = false
        while !isComplete {
            guard let page = try await changes(after: cursor) else { return try await readEverything(settled) }
            for (key, value) in Self.changes(of: page) { entries[key] = .some(value) }
            isComplete = page["complete"] == true
            cursor = page["cursor"]?.text
        }
        // What the server does not name is gone.
        for kind in Self.collections.values {
            for (key, _) in try storage.read("\(kind)/") where entries[key] == nil { entries[key] = .some(nil) }
        }
        try storage.write(
            entries.map { (key: $0.key, value: $0.value) } + [("cursor", cursor.map(JSON.string))] + settled)
    }

    /// A page of changes; nil if the cursor is too old.
    private func changes(after cursor: String?) async throws -> JSON? {
        let from = cursor.map { "&after=\($0)" } ?? ""
        let answer = try await ask(
            GardenRequest(method: "GET", path: "/v1/changes?limit=\(Self.pageLength)\(from)", body: nil))
        if answer.status == 410 { return nil }
        guard answer.status == 200, let page = try? JSON(answer.body), page["cursor"] != nil else {
            throw Unreachable(.busy)
        }
        return page
    }

    private func ask(_ request: GardenRequest) async throws -> GardenAnswer {
        let answer: GardenAnswer
        do {
            answer = try await transport.send(request)
        } catch let error as CancellationError {
            throw error
        } catch {
            throw Unreachable(.offline)
        }
        if answer.status == 401 { throw Unreachable(.signedOut) }
        if [408, 425, 429].contains(answer.status) || answer.status > 500 {
            throw Unreachable(.busy, seconds: answer.retryAfter ?? 0)
        }
        return answer
    }

    // MARK: Entries

    private static let collections = [
        "sessions": "session", "tags": "tag", "friends": "friend", "waterings": "watering", "things": "thing",
        "lists": "list", "pauses": "pause",
    ]

    /// What a page of changes writes.
    private static func changes(of page: JSON) -> [(key: String, value: JSON?)] {
        var entries: [(key: String, value: JSON?)] = []
        if let settings = page["settings"], settings != .null { entries.append(("settings", settings)) }
        for (name, kind) in collections {
            for item in page[name]?.elements ?? [] { entries.append(("\(kind)/\(item["id"]?.text ?? "")", item)) }
        }
        for gone in page["deleted"]?.elements ?? [] {
            entries.append(("\(gone["kind"]?.text ?? "")/\(gone["id"]?.text ?? "")", nil))
        }
        return entries
    }

    /// An item with the edits that the server does not know yet; nil if it was removed.
    private func overlaid(_ copy: JSON, _ kind: Kind, _ deeds: [Deed]) -> JSON? {
        guard case .object(var values) = copy else { return copy }
        for deed in deeds where deed.state != .refused && deed.kind == kind {
            guard kind == .settings || copy["id"]?.text == deed.id else { continue }
            if deed.method == "DELETE", !deed.path.contains("/review") { return nil }
            guard deed.method == "PATCH", case .object(let parts)? = deed.body else { continue }
            for (name, value) in parts where values[name] != nil && name != "modifiedAt" { values[name] = value }
        }
        return .object(values)
    }

    private func read(_ key: String) throws -> JSON? { try storage.read(key).first { $0.key == key }?.value }

    private var time: String {
        now().formatted(
            .iso8601.year().month().day().timeZone(separator: .omitted).time(includingFractionalSeconds: true))
    }

    private func fact(_ body: [String: JSON]) -> JSON {
        .object(body.merging(["id": .string(UUID().uuidString.lowercased()), "madeAt": .string(time)]) { $1 })
    }

    private func edit(_ parts: [String: JSON]) -> JSON {
        .object(parts.merging(["modifiedAt": .string(time)]) { $1 })
    }

    private func enqueue(
        _ method: String, _ path: String, _ kind: Kind, _ id: String, _ body: JSON? = nil
    ) throws -> Deed {
        var number = 1
        if case .integer(let last)? = try read("last") { number = last + 1 }
        // Sorted as text, too.
        let place = String(number)
        let key = "queue/" + String(repeating: "0", count: max(0, 12 - place.count)) + place
        let deed = Deed(
            key: key, method: method, path: path, body: body, kind: kind, id: id, madeAt: time, state: .waiting)
        try storage.write([("last", .integer(number)), (key, try JSON(JSONEncoder().encode(deed)))])
        return deed
    }
}

extension Garden {
    /// What a copy has.
    public enum Kind: String, Codable, Sendable {
        case friend, thing, tag, list, settings, watering, session

        /// Where one of a kind is edited.
        fileprivate func place(of id: String) -> String {
            self == .settings ? "/v1/account" : "/v1/\(rawValue)s/\(id)"
        }
    }

    /// Something that the person did.
    public struct Deed: Codable, Hashable, Sendable {
        public enum State: String, Codable, Sendable {
            /// `sent` until the copy has what the server made of it.
            case waiting, sent, refused
        }

        /// Its place in the queue.
        public let key: String
        public let method: String
        public let path: String
        public let body: JSON?
        /// Of the item that it is about.
        public let kind: Kind
        public let id: String
        public let madeAt: String
        public internal(set) var state: State
        /// How often the server failed over it.
        public internal(set) var failures: Int?
        public internal(set) var refusal: Refusal?
    }

    /// Why the server refused a deed.
    public struct Refusal: Codable, Hashable, Sendable {
        public let status: Int
        /// The stable code, such as `not_yet_due`.
        public let code: String
        /// What is wrong, in the language that the device asked for.
        public let detail: String
        public let remedy: String
    }
}

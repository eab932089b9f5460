import CherishCore
import CherishRuntime
import CherishStore
import Secrets

/// A tag and how many friends have it.
public struct TagView: Sendable {
    public let tag: Tag
    public let friendCount: Int
}

/// A request to change a tag, not validated yet; nil leaves a field unchanged.
public struct TagEditRequest: Sendable {
    public var name, colour: String?
    /// 0 removes it.
    public var cycleDays: Int?

    public init() {}
}

extension GardenService {
    /// Adds a tag (rule 9.1).
    ///
    /// - Parameters:
    ///   - colour: like `#3b6fc9`; nil derives one from the name.
    ///   - cycleDays: the cycle of friends added with this tag but no cycle of their own.
    public func addTag(_ name: String, colour: String?, cycleDays: Int?) async throws -> TagView {
        let tag = try await garden.addTag(
            try TagName(name), colour: try colour.map { text throws(CareError) in try TagColour(text) },
            cycle: try cycleDays.map { days throws(CareError) in try Cycle(days: days) })
        return TagView(tag: tag, friendCount: 0)
    }

    /// The account's tags, sorted by name.
    public func tags() async throws -> [TagView] {
        let known = try await garden.tags()
        return known.tags.map { TagView(tag: $0, friendCount: known.count(of: $0)) }
    }

    /// Changes a tag; its friends keep it, and their cycles (rule 9.3).
    public func editTag(_ name: String, _ request: TagEditRequest) async throws -> TagView {
        var edit = TagEdit()
        edit.name = try request.name.map { text throws(CareError) in try TagName(text) }
        edit.colour = try request.colour.map { text throws(CareError) in try TagColour(text) }
        if let days = request.cycleDays { edit.cycle = .some(days == 0 ? nil : try Cycle(days: days)) }
        let tag = try await garden.editTag(try TagName(name), edit)
        return TagView(tag: tag, friendCount: try await garden.tags().count(of: tag))
    }

    /// Deletes a tag; its friends stay (rule 9.3).
    ///
    /// - Returns: how many friends had it.
    public func removeTag(_ name: String) async throws -> Int { try await garden.removeTag(try TagName(name)) }

    /// Adds a device, or makes a known one the newest.
    ///
    /// - Parameters:
    ///   - secret: a webhook's secret; nil generates one.
    ///   - session: what adds a phone: it gets no more pushes once the session has ended.
    /// - Throws: `WebhookAddress.Refusal` for a webhook to which these settings never allow a push.
    public func addDevice(
        platform: Device.Platform, token: String, secret: WebhookSecret? = nil, session: SignInSession.ID? = nil
    ) async throws -> Device {
        if platform == .webhook { try engine.settings.requireUsable(webhook: token) }
        return try await garden.addDevice(platform: platform, token: token, secret: secret, session: session)
    }

    /// Adds a browser, or makes a known one the newest.
    ///
    /// - Parameters:
    ///   - p256dh: the browser's public key, in Base64url.
    ///   - auth: its secret, in Base64url.
    ///   - session: what adds it: the browser gets no more pushes once the session has ended.
    /// - Throws: `PushServiceAddress.Refusal` for a subscription to which these settings never allow a push;
    ///   ``RequestError/invalidSubscriptionKey``.
    public func addBrowser(at endpoint: String, p256dh: String, auth: String, session: SignInSession.ID)
        async throws -> Device
    {
        guard let keys = PushSubscription.Keys(p256dh: p256dh, auth: auth), P256Point.isValid(keys.p256dh) else {
            throw RequestError.invalidSubscriptionKey
        }
        try engine.settings.requireUsable(PushSubscription(endpoint: endpoint, keys: keys))
        return try await garden.addDevice(platform: .web, token: endpoint, keys: keys, session: session)
    }

    /// The account's devices, newest first, including retired ones.
    public func devices() async throws -> [Device] { try await garden.devices() }

    /// Removes a device.
    public func removeDevice(_ id: Device.ID) async throws { try await garden.removeDevice(id) }
}

extension GardenService {
    /// The tag with an id.
    ///
    /// - Throws: ``CareError/notFound(_:)``.
    public func tag(_ id: String) async throws -> TagView {
        guard let tag = try await tags().first(where: { $0.tag.id.description == id.lowercased() }) else {
            throw CareError.notFound(.tag)
        }
        return tag
    }

    /// The name of the tag with an id.
    ///
    /// - Throws: ``CareError/notFound(_:)``.
    public func tagName(_ id: String) async throws -> String { try await tag(id).tag.name.description }
}

import CherishCore
import CherishStore
import Foundation

public typealias PauseView = CherishStore.PauseView

/// A request to begin a pause, not validated yet.
public struct PauseRequest: Sendable {
    /// The first day; nil means today.
    public var from: CivilDay?
    public var to: CivilDay
    /// The name of the tag, or the id of the friend, that it is for; neither pauses the whole account.
    public var tag, friend: String?
    public var isSpread = false

    public init(to last: CivilDay) { to = last }
}

/// The account's pauses, as it sees them on a day.
public struct PausesView: Sendable {
    public let pauses: [PauseView]
    public let today: CivilDay

    /// Those that are not over.
    public var current: [PauseView] { pauses.filter { $0.pause.days.upperBound >= today } }

    public var document: PausesDocument {
        PausesDocument(pauses: pauses.map { PauseDocument($0, on: today) })
    }
}

extension GardenService {
    /// The account's pauses by their first days, those that are over too.
    public func pauses() async throws -> PausesView {
        let (viewpoint, pauses) = try await garden.pauses()
        return PausesView(pauses: pauses, today: try today(viewpoint))
    }

    /// Begins a pause (rule 13.1).
    ///
    /// - Throws: ``CareError/invalidPause(_:)``, ``CareError/notFound(_:)``.
    public func beginPause(_ request: PauseRequest) async throws -> PauseDocument {
        let target: PauseTarget
        switch (request.tag, request.friend) {
        case (nil, nil): target = .account
        case (let tag?, nil): target = .tag(try TagName(tag))
        case (nil, let friend?): target = .friend(try await plantID(friend))
        default: throw CareError.invalidPause(.isOfTagAndFriend)
        }
        return try await document(
            of: try await garden.beginPause(
                of: target, from: request.from, to: request.to, isSpread: request.isSpread))
    }

    /// Changes a pause; nil leaves a part as it is.
    public func editPause(
        _ id: String, from first: CivilDay? = nil, to last: CivilDay? = nil, isSpread: Bool? = nil
    ) async throws -> PauseDocument {
        var edit = PauseEdit()
        (edit.first, edit.last, edit.isSpread) = (first, last, isSpread)
        return try await document(of: try await garden.editPause(try await pauseID(id), edit))
    }

    /// Ends a pause today; one that has not begun is deleted (rule 13.2).
    ///
    /// - Returns: the pause that is left.
    public func endPause(_ id: String) async throws -> PauseDocument? {
        let pause = try await garden.endPause(try await pauseID(id))
        return try await pauses().document.pauses.first { $0.id == pause.id.description }
    }

    private func pauseID(_ text: String) async throws -> Pause.ID {
        if let whole = UUID(uuidString: text) { return Pause.ID(whole) }
        return try await garden.pause(text)
    }

    /// The pause as the account sees it now.
    private func document(of pause: Pause) async throws -> PauseDocument {
        guard let document = try await pauses().document.pauses.first(where: { $0.id == pause.id.description }) else {
            throw CareError.notFound(.pause)
        }
        return document
    }
}

/// A pause.
public struct PauseDocument: Codable, Sendable {
    public let id, from, to: String
    /// The id and the name of the tag that it is for.
    public let tagId, tag: Nullable<String>
    /// The id and the nickname of the friend whom it is for.
    public let friendId, friend: Nullable<String>
    public let spread: Bool
    /// `ahead`, `now` or `over`: whether today is part of it.
    public let state: String

    init(_ view: PauseView, on today: CivilDay) {
        let days = view.pause.days
        id = view.pause.id.description
        (from, to) = (days.lowerBound.description, days.upperBound.description)
        tagId = Nullable(view.pause.scope.tag?.description)
        tag = Nullable(view.tag?.description)
        friendId = Nullable(view.pause.scope.friend?.description)
        friend = Nullable(view.friend?.description)
        spread = view.pause.isSpread
        state = today < days.lowerBound ? "ahead" : today > days.upperBound ? "over" : "now"
    }
}

/// An account's pauses.
public struct PausesDocument: Codable, Sendable {
    public let pauses: [PauseDocument]

    public init(pauses: [PauseDocument]) { self.pauses = pauses }
}

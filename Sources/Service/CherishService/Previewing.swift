import CherishCore
import CherishPush
import CherishRuntime
import CherishStore
import CherishWorker

/// The pushes that an account will get if nothing changes.
public struct AccountPreview: Sendable {
    public let forecast: AccountForecast
    public let pushes: PushPreview
    /// Why no push can reach the account's current devices; nil if pushes can.
    public let obstacle: PushReason?
}

extension AccountPreview {
    public var document: PreviewDocument { PreviewDocument(self) }
}

extension GardenService {
    /// Previews what a worker with these settings would send to the account, using the worker's own code.
    ///
    /// - Parameters:
    ///   - days: the number of civil days in the account's zone, including today, at least 1.
    ///   - form: nil uses the form that the settings imply.
    /// - Throws: ``CareError``.
    public func preview(days: Int, as form: PushPreview.Form? = nil) async throws -> AccountPreview {
        let forecast = try await garden.forecast(days: days)
        let isToDevices = engine.settings.workerPush == .devices
        let sent = try await garden.sentPushes(before: forecast.deliveries.map(\.job))
        let pushes = PushPreview(
            of: forecast, as: form ?? (isToDevices ? .devices : .lines), sent: sent,
            dailyCap: engine.settings.providers.dailyCap, links: DeepLinks(scheme: engine.settings.linkScheme))
        return AccountPreview(
            forecast: forecast, pushes: pushes, obstacle: isToDevices ? obstacle(for: forecast.devices) : nil)
    }

    private func obstacle(for devices: [Device]) -> PushReason? {
        if devices.isEmpty { return .noDevice }
        return devices.contains { engine.settings.providers.platforms.contains($0.platform) }
            ? nil : .providerNotConfigured
    }
}

/// The pushes that an account will get, one by one.
public struct PreviewDocument: Codable, Sendable {
    struct Friend: Codable, Sendable {
        /// null unless it is a plant.
        let plantId: Nullable<String>
        let subjectId, nickname: String
    }

    struct Push: Codable, Sendable {
        let sentAt, day, time, kind, occursOn: String
        /// null unless it is about a plant.
        let plantId: Nullable<String>
        let subject, subjectId, title, body, link: String
        let collapseId: Nullable<String>
        let friends: [Friend]

        init(_ push: PushPreview.Push, in zone: TimeZoneRules) {
            sentAt = push.sentAt.description
            day = zone.date(at: push.sentAt).description
            time = zone.timeOfDay(at: push.sentAt).description
            kind = push.kind
            occursOn = push.occursOn.description
            let isPlant = push.subject == "plant"
            plantId = Nullable(isPlant ? push.subjectID.description : nil)
            subject = push.subject
            subjectId = push.subjectID.description
            title = push.text.title
            body = push.text.body
            link = push.link
            collapseId = Nullable(push.collapseID)
            friends = push.subjects.map {
                let id = $0.subjectID.description
                return Friend(plantId: Nullable(isPlant ? id : nil), subjectId: id, nickname: $0.name)
            }
        }
    }

    struct Withheld: Codable, Sendable {
        let at: String
        /// null unless it is about a plant.
        let plantId: Nullable<String>
        let subject, subjectId, kind: String
        let outcome, reason: Nullable<String>

        init(_ entry: PushForecast.Entry) {
            at = entry.at.description
            plantId = Nullable(plantOf: entry.occurrence.topic, entry.occurrence.subjectID)
            subject = entry.occurrence.topic.subject
            subjectId = entry.occurrence.subjectID.description
            kind = entry.occurrence.topic.label
            outcome = Nullable(entry.end?.outcome.rawValue)
            reason = Nullable(entry.end?.reason.rawValue)
        }
    }

    let accountId, timeZone, to, from, until: String
    let obstacle, calendarAheadUntil: Nullable<String>
    let pushes: [Push]
    let withheld: [Withheld]

    init(_ preview: AccountPreview) {
        let forecast = preview.forecast
        accountId = forecast.account.id.description
        timeZone = forecast.account.timeZone
        to = preview.pushes.form.rawValue
        from = forecast.span.lowerBound.description
        until = forecast.span.upperBound.description
        obstacle = Nullable(preview.obstacle?.rawValue)
        calendarAheadUntil = Nullable(forecast.calendarAheadUntil?.description)
        pushes = preview.pushes.pushes.map { Push($0, in: forecast.zone) }
        withheld = forecast.withheld.map(Withheld.init)
    }
}

import CherishCore
import CherishStore

extension GardenService {
    /// A page of a friend's waterings, newest first.
    ///
    /// - Parameters:
    ///   - id: the plant's id, or a prefix of at least 8 digits.
    ///   - place: the page begins behind it; nil begins with the newest.
    ///   - limit: how many waterings the page has at most, at least 1.
    /// - Throws: ``CareError/notFound(_:)``.
    public func waterings(_ id: String, after place: WateringPlace?, limit: Int) async throws -> WateringPage {
        try await garden.wateringPage(of: try await plantID(id), after: place, limit: limit)
    }
}

extension WateringPage {
    public var documents: [WateringDocument] { waterings.map(WateringDocument.init) }
}

import CherishCore
import CherishRuntime
import CherishStore
import DocumentEncoding
import GardenArchive

/// A request to add an account, not validated yet.
public struct AccountRequest: Sendable {
    public var email, nickname: String
    /// With country code, or as dialled in the time zone's country.
    public var phone: String?
    public var timeZone: String
    public var language: Language

    public init(email: String, nickname: String, phone: String? = nil, timeZone: String, language: Language) {
        (self.email, self.nickname, self.phone) = (email, nickname, phone)
        (self.timeZone, self.language) = (timeZone, language)
    }
}

/// A request to change an account, not validated yet; nil leaves a field unchanged.
public struct AccountEditRequest: Sendable {
    public var email, nickname, timeZone: String?
    /// From `00:00` to `04:00`.
    public var dayEndsAt: String?
    /// Empty removes it.
    public var phone, postcode, country: String?
    /// An object.
    public var appearance: JSONValue?
    public var language: Language?
    public var wateringPushes, reviewPushes, birthdayPushes, witheredPushes, thingPushes: Bool?
    /// 0–30.
    public var expiryWarningDays: Int?

    public init() {}
}

// Operations for operators.
extension CareService {
    /// Adds an account.
    ///
    /// - Throws: ``CareError``.
    public func addAccount(_ request: AccountRequest) async throws -> Account {
        try await engine.store.addAccount(
            email: try EmailAddress(request.email), nickname: try Nickname(request.nickname),
            phone: try request.phone.map { text throws(CareError) in
                try engine.zones.phoneNumber(text, in: request.timeZone)
            },
            timeZone: request.timeZone, language: request.language)
    }

    /// All accounts, sorted by e-mail.
    public func accounts() async throws -> [Account] { try await engine.store.accounts() }

    /// Permanently erases an account and everything in it (rule 8.6).
    ///
    /// - Parameter reference: its e-mail or id.
    /// - Throws: ``CareError/notFound(_:)``.
    public func eraseAccount(_ reference: String) async throws -> Erasure {
        try await engine.store.eraseAccount(try await engine.store.account(reference).id)
    }
}

extension GardenService {
    /// Permanently erases the account and everything in it (rule 12.8).
    public func erase() async throws -> Erasure { try await garden.erase() }

    /// Changes the account.
    ///
    /// - Throws: ``CareError``.
    public func editAccount(_ request: AccountEditRequest) async throws -> Account {
        var edit = AccountEdit()
        edit.email = try request.email.map { text throws(CareError) in try EmailAddress(text) }
        edit.nickname = try request.nickname.map { text throws(CareError) in try Nickname(text) }
        if let phone = request.phone {
            let zone = if let zone = request.timeZone { zone } else { try await account().timeZone }
            edit.phone = .some(phone.isEmpty ? nil : try engine.zones.phoneNumber(phone, in: zone))
        }
        edit.postcode = try request.postcode.map { text throws(CareError) in
            text.isEmpty ? nil : try Postcode(text)
        }
        if let country = request.country {
            guard country.isEmpty || Country(country) != nil else { throw CareError.invalidCountry }
            edit.country = .some(Country(country))
        }
        edit.appearance = try request.appearance.map { value throws(CareError) in try Appearance(value) }
        edit.timeZone = request.timeZone
        edit.dayEnd = try request.dayEndsAt.map { text throws(CareError) in try DayEnd(text) }
        edit.language = request.language
        edit.wateringPushes = request.wateringPushes
        edit.reviewPushes = request.reviewPushes
        edit.birthdayPushes = request.birthdayPushes
        edit.witheredPushes = request.witheredPushes
        edit.thingPushes = request.thingPushes
        edit.warningDays = try request.expiryWarningDays.map { days throws(ThingError) in try WarningDays(days) }
        return try await garden.editAccount(edit)
    }

    /// The account's picture, a square JPEG (rule 12.7).
    ///
    /// - Throws: ``CareError/notFound(_:)`` if it has none.
    public func picture() async throws -> [UInt8] { try await garden.picture() }

    /// Whether the account has a picture.
    public func hasPicture() async throws -> Bool { try await garden.hasPicture() }

    /// Sets the account's picture, or removes it.
    ///
    /// - Parameter image: made by `PictureMaker`; nil removes the picture.
    public func setPicture(_ image: [UInt8]?) async throws { try await garden.setPicture(image) }

    /// The account's statistics (rules 8.1 and 8.4).
    public func statistics() async throws -> Statistics { try await garden.statistics() }
}

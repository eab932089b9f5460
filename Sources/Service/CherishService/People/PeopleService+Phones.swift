import AddressBook
import CherishCore
import CherishStore
import Foundation
import Secrets

// Phones that people confirm by a code, and passwords that are reset by them (rules 12.4 and 12.6).
extension PeopleService {
    /// How many text messages a network address may ask for within 15 minutes: each costs the operator money.
    static let mostTextMessagesOfAddress = 10

    /// Sends a code to a phone of somebody who is signed in.
    ///
    /// - Parameter phone: with country code, or as dialled in the time zone's country.
    /// - Throws: ``CareError/invalidPhone(_:)``, ``PeopleError/slowDown(seconds:)`` for the network address.
    public func beginPhoneChange(of visitor: Visitor, to phone: String, from address: NetworkAddress) async throws {
        let account = try await engine.store.garden(of: visitor.accountID).account()
        let phone = try engine.zones.phoneNumber(phone, in: account.timeZone)
        try await countTextMessage(of: address)
        let (id, code) = PeopleService.newCode()
        let request = try await people.beginPhoneChange(
            id, of: visitor.accountID, to: phone, codeHash: PeopleService.hash(code, visitor.accountID.uuid))
        if request == .new { messages.send(PersonalMessage(.newPhoneCode(code), to: phone, in: account.language)) }
    }

    /// Gives the account the phone that the code confirms. Another account that had confirmed it loses it.
    ///
    /// - Throws: ``PeopleError``.
    public func confirmPhone(of visitor: Visitor, code: String) async throws {
        try PeopleService.require(
            try await people.confirmPhone(
                of: visitor.accountID, codeHash: try PeopleService.hash(code, visitor.accountID.uuid)))
        let account = try await engine.store.garden(of: visitor.accountID).account()
        guard let email = account.email else { return }
        // Whoever took over a session must not be able to reset the password unnoticed.
        messages.send(PersonalMessage(.phoneConfirmed, to: email, in: account.language))
    }

    /// Sends a code to somebody who forgot the password, if an account has confirmed the phone (rule 12.4).
    ///
    /// - Parameter phone: with country code.
    /// - Returns: what the code goes with, whether one was sent or not.
    /// - Throws: ``CareError/invalidPhone(_:)``, ``PeopleError/slowDown(seconds:)`` for the network address.
    public func beginPasswordReset(phone: String, from address: NetworkAddress) async throws -> UUID {
        guard let e164 = PhoneNumberParser.e164(phone, region: nil) else { throw CareError.invalidPhone(phone) }
        let phone = try PhoneNumber(e164: e164)
        try await countTextMessage(of: address)
        let (id, code) = PeopleService.newCode()
        let (request, language) = try await people.beginPasswordReset(
            id, phone: phone, codeHash: PeopleService.hash(code, id))
        if request == .known {
            messages.send(PersonalMessage(.passwordResetCode(code), to: phone, in: language ?? .english))
        }
        return id
    }

    private func countTextMessage(of address: NetworkAddress) async throws {
        let wait = try await people.takeAttempt(
            SecretHash.hmac([address.key], key: Array("text message".utf8)),
            capacity: PeopleService.mostTextMessagesOfAddress)
        if wait > 0 { throw PeopleError.slowDown(seconds: wait) }
    }
}

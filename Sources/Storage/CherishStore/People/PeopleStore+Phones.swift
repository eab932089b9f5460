import CherishCore
import Foundation
import Postgres

// Phones that people have confirmed (rules 12.4 and 12.6).
extension PeopleStore {
    /// The phone that an account has confirmed; nil if it has none, or another account has confirmed it since.
    public func confirmedPhone(of account: Account.ID) async throws -> PhoneNumber? {
        let rows = try await call(
            "SELECT phone FROM account_phone WHERE lane = $1 AND account_id = $2", [account.lane, account], as: account)
        return try rows.first.map { try PhoneNumber(e164: try $0.decode(0)) }
    }

    /// Stores the code that confirms a phone of an account.
    public func beginPhoneChange(_ id: UUID, of account: Account.ID, to phone: PhoneNumber, codeHash: [UInt8])
        async throws -> CodeRequest
    {
        try outcome(
            try await call(
                "SELECT begin_phone_change($1, $2, $3, $4, $5, \(now("$6")))",
                [id, account.lane, account, phone.description, Bytea(codeHash), store.time.fixedInstant], as: account))
    }

    /// Gives the account the phone that its newest code confirms, if the code is right. Another account that had it loses it.
    public func confirmPhone(of account: Account.ID, codeHash: [UInt8]) async throws -> CodeOutcome {
        let rows = try await call(
            "SELECT confirm_phone($1, $2, $3, \(now("$4")))",
            [account.lane, account, Bytea(codeHash), store.time.fixedInstant], as: account)
        await store.announcer.announce([account])
        return try outcome(rows)
    }

    /// Confirms a phone of an account without a code, for operators.
    public func setPhone(_ phone: PhoneNumber, of account: Account.ID) async throws {
        _ = try await call(
            "SELECT set_phone($1, $2, $3, \(now("$4")))",
            [account.lane, account, phone.description, store.time.fixedInstant])
        await store.announcer.announce([account])
    }

    /// Stores the code that resets a forgotten password, if an account has confirmed the phone.
    ///
    /// - Returns: what came of it, and the language of the account, if there is one.
    public func beginPasswordReset(_ id: UUID, phone: PhoneNumber, codeHash: [UInt8]) async throws
        -> (request: CodeRequest, language: Language?)
    {
        let rows = try await call(
            "SELECT outcome, language::text FROM begin_password_reset_by_phone($1, $2, $3, \(now("$4")))",
            [id, phone.description, Bytea(codeHash), store.time.fixedInstant])
        let language = try rows.first?.decode(1, as: String?.self).flatMap { Language(rawValue: $0) }
        return (try outcome(rows), language)
    }
}

import CherishCore
import Foundation
import Postgres

/// Signing up, signing in and sessions (rule 12).
///
/// Each call is one statement in one round trip: a function of the database does the work, for the programs with their own
/// rights, and for a login of `cherish_account` with those of the owner. No function returns a hash.
public struct PeopleStore: Sendable {
    let store: CareStore

    /// What a code is for.
    public enum CodePurpose: String, Sendable {
        case signUp = "sign_up"
        case passwordReset = "password_reset"
    }

    /// What came of asking for a code.
    public enum CodeRequest: String, Sendable {
        /// No account has the address.
        case new
        /// An account has the address.
        case known
        /// No account has the address, where one is needed.
        case unknown
        /// The address has had too many codes (rule 12.4).
        case limited
    }

    /// What came of giving a code.
    public enum CodeOutcome: String, Sendable {
        case done
        case wrong = "code_wrong"
        case expired = "code_expired"
        case tooManyTries = "too_many_tries"
    }

    /// A session that is about to begin.
    public struct NewSession: Sendable {
        public let id: SignInSession.ID
        /// SHA-256 of the token's secret.
        public let secretHash: [UInt8]
        public let deviceName: String

        public init(id: SignInSession.ID, secretHash: [UInt8], deviceName: String) {
            (self.id, self.secretHash, self.deviceName) = (id, secretHash, deviceName)
        }
    }

    /// What came of giving a password.
    public enum PasswordCheck: Sendable, Equatable {
        case right(Account.ID)
        case wrong
        /// Too many were wrong; wait for so many seconds (rule 12.9).
        case mustWait(seconds: Int)
    }

    /// Runs one statement as somebody who is not signed in, or as an account.
    func call(_ sql: SQL, _ parameters: [any PostgresEncodable], as account: Account.ID? = nil) async throws
        -> Rows
    {
        try await call([Statement(sql, parameters)], as: account)[0]
    }

    /// Runs statements in one round trip.
    func call(_ statements: [Statement], as account: Account.ID? = nil) async throws -> [Rows] {
        try await store.pool.withConnection { connection in
            guard let role = store.gardenRole else { return try await connection.pipeline(statements) }
            let opening = AccountSession(account, role: role).opening
            return Array(try await connection.transaction([opening] + statements).dropFirst())
        }
    }

    func only<Value: PostgresDecodable>(_ rows: Rows, as type: Value.Type = Value.self) throws -> Value {
        guard let row = rows.first else { throw UnreadableRow(what: "no answer of a function") }
        return try row.decode(0)
    }

    /// What a function says came of it.
    func outcome<Outcome: RawRepresentable<String>>(_ rows: Rows) throws -> Outcome {
        guard let outcome = Outcome(rawValue: try only(rows)) else {
            throw UnreadableRow(what: "an unknown outcome of a function")
        }
        return outcome
    }

    /// The engine's now as SQL, with the number of its parameter.
    func now(_ parameter: SQL) -> SQL { "coalesce(\(parameter), clock_timestamp())" }
}

extension CareStore {
    /// Signing up, signing in and sessions.
    public var people: PeopleStore { PeopleStore(store: self) }
}

// MARK: - Signing up

extension PeopleStore {
    /// Stores the code that confirms the e-mail of a new account (rule 12.1).
    ///
    /// - Parameter codeHash: SHA-256 of id and code.
    public func beginSignUp(_ id: UUID, email: EmailAddress, codeHash: [UInt8]) async throws -> CodeRequest {
        try outcome(
            try await call(
                "SELECT begin_sign_up($1, $2, $3, \(now("$4")))",
                [id, email.description, Bytea(codeHash), store.time.fixedInstant]))
    }

    /// Adds an account with a password and a session, if the code is right. Its e-mail is the one to which the code went.
    public func signUp(
        _ codeID: UUID, codeHash: [UInt8], account: Account, password: PasswordTag, session: NewSession
    ) async throws -> CodeOutcome {
        let rows = try await call(
            """
            SELECT outcome FROM sign_up($1, $2, $3, $4, $5, $6, $7, $8::language, $9, $10, $11, $12, $13, $14, $15,
                \(now("$16")))
            """,
            [
                codeID, Bytea(codeHash), account.id.lane, account.id, account.nickname.description,
                account.phone?.description, account.timeZone, account.language.rawValue,
                Bytea(password.challenge.salt), Bytea(password.tag), Int32(password.challenge.memoryKiB),
                Int16(password.challenge.passes), session.id, Bytea(session.secretHash), session.deviceName,
                store.time.fixedInstant,
            ])
        return try outcome(rows)
    }

    /// - Throws: ``CareError/invalidTimeZone(_:)`` unless program and database know the zone.
    public func requireZone(_ name: String) async throws {
        _ = try store.zones.rules(name)
        try await store.pool.withConnection { try await store.requireZones([name], on: $0) }
    }

    /// Looks whether a code is right, without using it up, and counts a wrong one.
    ///
    /// - Returns: what came of it, and the e-mail or the phone to which the code went, if it is right.
    public func checkCode(_ id: UUID, for purpose: CodePurpose, codeHash: [UInt8]) async throws
        -> (outcome: CodeOutcome, address: String?)
    {
        let rows = try await call(
            "SELECT outcome, address FROM check_code($1, $2::code_purpose, $3, \(now("$4")))",
            [id, purpose.rawValue, Bytea(codeHash), store.time.fixedInstant])
        return (try outcome(rows), try rows.first?.decode(1, as: String?.self))
    }
}

// MARK: - Passwords

extension PeopleStore {
    /// What makes the tag of a password of the account with this e-mail.
    ///
    /// - Parameter addressKey: a SHA-256 that stands for the network address.
    /// - Returns: the seconds to wait, 0 if the password may be compared, and the challenge; nil if there is no account or no
    ///   password.
    public func passwordChallenge(_ email: EmailAddress, addressKey: [UInt8]) async throws -> (
        waitSeconds: Int, challenge: PasswordChallenge?
    ) {
        let rows = try await call(
            "SELECT wait, salt, memory_kib, passes FROM password_challenge($1, $2, \(now("$3")))",
            [email.description, Bytea(addressKey), store.time.fixedInstant])
        guard var reader = rows.first?.reader else { throw UnreadableRow(what: "no answer of a function") }
        let wait = try reader.next(Int.self)
        guard let salt = try reader.next(Bytea?.self) else { return (wait, nil) }
        return (
            wait, PasswordChallenge(salt: salt.bytes, memoryKiB: try reader.next(), passes: try reader.next())
        )
    }

    /// Compares a password, and counts a wrong one against the e-mail and the network address (rule 12.9).
    ///
    /// - Parameters:
    ///   - session: begins if the password is right; nil only compares.
    ///   - addressKey: a SHA-256 that stands for the network address.
    public func checkPassword(
        _ email: EmailAddress, tag: [UInt8], addressKey: [UInt8], beginning session: NewSession? = nil
    ) async throws -> PasswordCheck {
        let parameters: [any PostgresEncodable] = [
            email.description, Bytea(tag), Bytea(addressKey), store.time.fixedInstant,
        ]
        let rows =
            if let session {
                try await call(
                    "SELECT wait_seconds, account_id FROM sign_in($1, $2, $3, $5, $6, $7, \(now("$4")))",
                    parameters + [session.id, Bytea(session.secretHash), session.deviceName])
            } else {
                try await call(
                    "SELECT wait_seconds, account_id FROM check_password($1, $2, $3, \(now("$4")))", parameters)
            }
        guard var reader = rows.first?.reader else { throw UnreadableRow(what: "no answer of a function") }
        let wait = try reader.next(Int.self)
        if let account = try reader.next(Account.ID?.self) {
            if session != nil { await store.announcer.announce([account]) }
            return .right(account)
        }
        return wait == 0 ? .wrong : .mustWait(seconds: wait)
    }

    /// Sets an account's password, and ends its sessions but the one that is kept (rule 12.3).
    public func setPassword(_ password: PasswordTag, of account: Account.ID, keeping session: SignInSession.ID?)
        async throws
    {
        _ = try await call(
            "SELECT set_password($1, $2, $3, $4, $5, $6, $7, \(now("$8")))",
            [
                account.lane, account, Bytea(password.challenge.salt), Bytea(password.tag),
                Int32(password.challenge.memoryKiB), Int16(password.challenge.passes), session,
                store.time.fixedInstant,
            ], as: account)
        await store.announcer.announce([account])
    }

    /// Stores the code that resets a forgotten password (rule 12.4).
    ///
    /// - Returns: what came of it, and the language of the account, if there is one.
    public func beginPasswordReset(_ id: UUID, email: EmailAddress, codeHash: [UInt8]) async throws
        -> (request: CodeRequest, language: Language?)
    {
        let rows = try await call(
            "SELECT outcome, language::text FROM begin_password_reset($1, $2, $3, \(now("$4")))",
            [id, email.description, Bytea(codeHash), store.time.fixedInstant])
        let language = try rows.first?.decode(1, as: String?.self).flatMap { Language(rawValue: $0) }
        return (try outcome(rows), language)
    }

    /// Sets the password of the account that a code is about, if the code is right, and ends all its sessions.
    public func resetPassword(_ codeID: UUID, codeHash: [UInt8], password: PasswordTag) async throws -> CodeOutcome {
        try outcome(
            try await call(
                "SELECT reset_password($1, $2, $3, $4, $5, $6, \(now("$7")))",
                [
                    codeID, Bytea(codeHash), Bytea(password.challenge.salt), Bytea(password.tag),
                    Int32(password.challenge.memoryKiB), Int16(password.challenge.passes), store.time.fixedInstant,
                ]))
    }

    /// Counts an attempt of somebody who is not signed in.
    ///
    /// - Parameters:
    ///   - key: a SHA-256 that stands for who or what is limited.
    ///   - capacity: how many attempts fit into 15 minutes.
    /// - Returns: 0, or the seconds to wait.
    public func takeAttempt(_ key: [UInt8], capacity: Int) async throws -> Int {
        try only(
            try await call(
                "SELECT take_attempt($1, $2, \(now("$3")))", [Bytea(key), Int32(capacity), store.time.fixedInstant]))
    }

    /// Counts an attempt of today in UTC.
    ///
    /// - Parameters:
    ///   - key: a SHA-256 that stands for who or what is limited.
    ///   - limit: how many attempts a day has.
    /// - Returns: 0, or the seconds to wait until tomorrow.
    public func takeDailyAttempt(_ key: [UInt8], limit: Int) async throws -> Int {
        // Each day has a bucket, measured at the end of the day: it does not run empty before, and is kept until then.
        try only(
            try await call(
                """
                SELECT CASE take_attempt(sha256($1 || int8send(extract(epoch FROM tomorrow)::bigint)), $2, tomorrow)
                    WHEN 0 THEN 0 ELSE ceil(extract(epoch FROM tomorrow - at))::integer END
                FROM (
                    SELECT at, date_trunc('day', at, 'UTC') + interval '24 hours' AS tomorrow
                    FROM (SELECT \(now("$3")) AS at) AS clock) AS today
                """, [Bytea(key), Int32(limit), store.time.fixedInstant]))
    }
}

// MARK: - Another e-mail

extension PeopleStore {
    /// Stores the code that confirms another e-mail of an account (rule 12.6).
    public func beginEmailChange(_ id: UUID, of account: Account.ID, to email: EmailAddress, codeHash: [UInt8])
        async throws -> CodeRequest
    {
        try outcome(
            try await call(
                "SELECT begin_email_change($1, $2, $3, $4, $5, \(now("$6")))",
                [id, account.lane, account, email.description, Bytea(codeHash), store.time.fixedInstant], as: account))
    }

    /// Gives the account the e-mail that its newest code confirms, if the code is right.
    public func confirmEmail(of account: Account.ID, codeHash: [UInt8]) async throws -> CodeOutcome {
        let rows = try await call(
            "SELECT confirm_email($1, $2, $3, \(now("$4")))",
            [account.lane, account, Bytea(codeHash), store.time.fixedInstant], as: account)
        await store.announcer.announce([account])
        return try outcome(rows)
    }
}

// MARK: - Sessions

extension PeopleStore {
    /// The account of a token and when it signed in; nil if there is no such session. Notes the use once an hour.
    public func session(_ token: SessionToken, secretHash: [UInt8]) async throws -> (
        account: Account.ID, signedInAt: Instant
    )? {
        let rows = try await call(
            "SELECT account_id, signed_in_at FROM use_session($1, $2, $3, \(now("$4")))",
            [token.lane, token.sessionID, Bytea(secretHash), store.time.fixedInstant])
        guard var reader = rows.first?.reader else { return nil }
        return (try reader.next(), try reader.next())
    }

    /// Gives a session another token, so that the one before is worth nothing; nil if there is no such session.
    public func renewToken(_ token: SessionToken, secretHash: [UInt8], newSecretHash: [UInt8]) async throws -> Account
        .ID?
    {
        let rows = try await call(
            "SELECT renew_token($1, $2, $3, $4, \(now("$5")))",
            [token.lane, token.sessionID, Bytea(secretHash), Bytea(newSecretHash), store.time.fixedInstant])
        return try rows.first?.decode(0, as: Account.ID?.self)
    }

    /// The sessions of an account, the one used last first.
    public func sessions(of account: Account.ID) async throws -> [SignInSession] {
        try await call(
            """
            SELECT \(SessionRow.columns) FROM account_session
            WHERE lane = $1 AND account_id = $2 ORDER BY used_at DESC, signed_in_at DESC, id
            """, [account.lane, account], as: account
        ).map { try SessionRow.decode($0, of: account) }
    }

    /// The account of a session, for operators.
    ///
    /// - Throws: ``CareError/notFound(_:)``.
    public func owner(of session: SignInSession.ID) async throws -> Account.ID {
        let rows = try await call("SELECT account_id FROM account_session WHERE id = $1", [session])
        guard let row = rows.first else { throw CareError.notFound(.session) }
        return try row.decode(0)
    }

    /// Ends a session of an account.
    ///
    /// - Returns: false if the account has no such session.
    public func endSession(_ id: SignInSession.ID, of account: Account.ID) async throws -> Bool {
        try await endSessions(of: account, ended: id, kept: nil) > 0
    }

    /// Ends all sessions of an account, but the one that is kept.
    ///
    /// - Returns: how many there were.
    @discardableResult
    public func endSessions(of account: Account.ID, keeping kept: SignInSession.ID?) async throws -> Int {
        try await endSessions(of: account, ended: nil, kept: kept)
    }

    /// Ends a session. The phones that it added belong to another session of the account from then on.
    public func endSession(_ former: SignInSession.ID, of account: Account.ID, leavingPhonesTo next: SignInSession.ID)
        async throws
    {
        let movingPhones = Statement(
            "UPDATE device SET session_id = $4 WHERE lane = $1 AND account_id = $2 AND session_id = $3",
            [account.lane, account, former, next])
        _ = try await endSessions(of: account, ended: former, kept: next, after: [movingPhones])
    }

    /// - Parameter statements: run before it in the same transaction.
    private func endSessions(
        of account: Account.ID, ended: SignInSession.ID?, kept: SignInSession.ID?, after statements: [Statement] = []
    ) async throws -> Int {
        let ending = Statement("SELECT end_sessions($1, $2, $3, $4)", [account.lane, account, ended, kept])
        let answers = try await call(statements + [ending], as: account)
        await store.announcer.announce([account])
        return try only(answers[statements.count])
    }
}

/// The rows of `account_session`, without their secrets.
enum SessionRow {
    static let columns: SQL = "id, device_name, signed_in_at, used_at"

    static func read(_ ids: [SignInSession.ID], of account: Account.ID) -> Statement {
        Statement(
            "SELECT \(columns) FROM account_session WHERE lane = $1 AND account_id = $2 AND id = ANY ($3) ORDER BY id",
            [account.lane, account, ids])
    }

    static func decode(_ row: Row, of account: Account.ID) throws -> SignInSession {
        var reader = row.reader
        return SignInSession(
            id: try reader.next(), accountID: account, deviceName: try reader.next(), signedInAt: try reader.next(),
            usedAt: try reader.next())
    }
}

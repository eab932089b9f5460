import CherishCore
import CherishRuntime
import CherishStore
import Foundation
import Secrets

/// Somebody who asks over the network.
public struct NetworkAddress: Sendable, Hashable {
    /// An IPv4 address, or the first 64 bits of an IPv6 address: one customer has all the rest.
    let key: [UInt8]

    /// - Parameter text: as the operating system or a trusted proxy writes it.
    public init(_ text: String) {
        let text = NetworkAddress.unmapped(text)
        let groups = text.split(separator: ":", omittingEmptySubsequences: false)
        let network = groups.count > 2 ? NetworkAddress.network(text) ?? text : text
        key = SecretHash.sha256("address \(network)")
    }

    /// An IPv4 address that a socket for IPv6 shows as `::ffff:192.0.2.1`, as it is usually written.
    public static func unmapped(_ text: String) -> String {
        let rest = text.dropFirst("::ffff:".count)
        return text.lowercased().hasPrefix("::ffff:") && rest.contains(".") ? String(rest) : text
    }

    private static func network(_ text: String) -> String? {
        var address = in6_addr()
        guard inet_pton(AF_INET6, text, &address) == 1 else { return nil }
        return withUnsafeBytes(of: &address) { bytes in
            bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ".")
        }
    }
}

/// Somebody who wants an account, not validated yet.
public struct NewPerson: Sendable {
    public var nickname, timeZone: String
    public var language: Language
    /// With country code, or as dialled in the time zone's country.
    public var phone: String?
    public var deviceName: String

    public init(nickname: String, timeZone: String, language: Language, phone: String?, deviceName: String) {
        (self.nickname, self.timeZone, self.language) = (nickname, timeZone, language)
        (self.phone, self.deviceName) = (phone, deviceName)
    }
}

/// A request to sign up with a code, not validated yet.
public struct SignUpRequest: Sendable {
    /// What ``PeopleService/beginSignUp(email:language:from:)`` returned.
    public var id: UUID
    public var code, password: String
    public var person: NewPerson

    public init(id: UUID, code: String, password: String, person: NewPerson) {
        (self.id, self.code, self.password, self.person) = (id, code, password, person)
    }
}

/// Somebody who has just signed in, with the only copy of the token.
public struct SignedIn: Sendable {
    public let account: Account
    public let sessionID: SignInSession.ID
    public let token: SessionToken
}

/// Somebody who is signed in.
public struct Visitor: Sendable {
    public let accountID: Account.ID
    public let sessionID: SignInSession.ID
    public let signedInAt: Instant
    /// Of the token. The database has a hash of it.
    let secret: [UInt8]
    /// What proves the session with what is read first; nil if it is proved.
    public let proof: SessionProof?

    init(_ token: SessionToken, accountID: Account.ID, signedInAt: Instant, proof: SessionProof? = nil) {
        (self.accountID, self.signedInAt, self.proof) = (accountID, signedInAt, proof)
        (sessionID, secret) = (token.sessionID, token.secret)
    }
}

/// Signing up, signing in and sessions (rule 12). Start reading at ``signIn(email:password:deviceName:from:)``.
///
/// No answer, and no time that an answer takes, tells whether an account exists: what is unknown costs the same hash, and
/// messages are sent in the background.
public struct PeopleService: Sendable {
    /// How many codes and new accounts a network address may ask for within 15 minutes.
    static let mostRequestsOfAddress = 100

    let engine: Engine
    let hasher: PasswordHasher
    let messages: any PersonalMessageSender
    /// Who gets enquiries; nil takes none.
    let enquiries: EmailAddress?
    let identities: (any IdentityVerifying)?
    private let seen = SeenVisitors()

    /// - Parameter identities: nil if nobody can sign in by Google or Apple.
    public init(
        _ engine: Engine, hasher: PasswordHasher, messages: any PersonalMessageSender, enquiries: EmailAddress? = nil,
        identities: (any IdentityVerifying)? = nil
    ) {
        (self.engine, self.hasher, self.messages) = (engine, hasher, messages)
        (self.enquiries, self.identities) = (enquiries, identities)
    }

    var people: PeopleStore { engine.store.people }
}

// MARK: - Signing up

extension PeopleService {
    /// Sends a code to somebody who wants an account, or a note that there is one (rule 12.1).
    ///
    /// - Returns: what the code goes with, whether one was sent or not.
    /// - Throws: ``CareError/invalidEmail(_:)``, ``PeopleError/slowDown(seconds:)`` for the network address.
    public func beginSignUp(email: String, language: Language, from address: NetworkAddress) async throws -> UUID {
        let email = try EmailAddress(email)
        try await countRequest(of: address)
        let (id, code) = PeopleService.newCode()
        switch try await people.beginSignUp(id, email: email, codeHash: PeopleService.hash(code, id)) {
        case .new: messages.send(PersonalMessage(.signUpCode(code), to: email, in: language))
        case .known: messages.send(PersonalMessage(.accountExists, to: email, in: language))
        case .limited, .unknown: break
        }
        return id
    }

    /// Adds an account and signs it in.
    ///
    /// - Throws: ``CareError``; ``PeopleError/weakPassword(_:)`` and those about codes. Nothing but a wrong code uses up a
    ///   try, and a refused password leaves the code valid.
    public func signUp(_ request: SignUpRequest, from address: NetworkAddress) async throws -> SignedIn {
        var account = try await newAccount(request.person)
        try await countRequest(of: address)
        let codeHash = try PeopleService.hash(request.code, request.id)
        let (outcome, address) = try await people.checkCode(request.id, for: .signUp, codeHash: codeHash)
        try PeopleService.require(outcome)
        guard let address else { throw PeopleError.codeExpired }
        account.email = try EmailAddress(address)
        let password = try Password(request.password, for: account.names)
        let session = NewSession(request.person.deviceName)
        try PeopleService.require(
            try await people.signUp(
                request.id, codeHash: codeHash, account: account, password: try await tag(of: password),
                session: session.stored))
        return session.begun(by: account)
    }

    /// The account that somebody wants, with a new id, and without the e-mail that is still to be confirmed.
    func newAccount(_ person: NewPerson) async throws -> Account {
        let nickname = try Nickname(person.nickname)
        let phone = try person.phone.map { text throws(CareError) in
            try engine.zones.phoneNumber(text, in: person.timeZone)
        }
        try await people.requireZone(person.timeZone)
        return Account(
            id: engine.store.newAccountID(), email: nil, nickname: nickname, phone: phone,
            timeZone: try engine.zones.rules(person.timeZone).name, language: person.language)
    }

    /// Limits what somebody who is not signed in can ask for, such as mails to strangers.
    func countRequest(of address: NetworkAddress) async throws {
        let wait = try await people.takeAttempt(
            SecretHash.hmac([address.key], key: Array("request".utf8)), capacity: PeopleService.mostRequestsOfAddress)
        if wait > 0 { throw PeopleError.slowDown(seconds: wait) }
    }
}

// MARK: - Passwords

extension PeopleService {
    /// Signs in with a password.
    ///
    /// - Throws: ``PeopleError/wrongPassword``, also for an unknown e-mail; ``PeopleError/slowDown(seconds:)`` (rule 12.9);
    ///   ``PasswordHasherBusy``.
    public func signIn(email: String, password: String, deviceName: String, from address: NetworkAddress) async throws
        -> SignedIn
    {
        // What is no address has no account; it takes as long.
        let email = (try? EmailAddress(email)) ?? EmailAddress.nobody
        let tag = try await tag(of: password, of: email, from: address)
        let session = NewSession(deviceName)
        let check = try await people.checkPassword(
            email, tag: tag, addressKey: address.key, beginning: session.stored)
        let id = try PeopleService.require(check)
        return session.begun(by: try await engine.store.garden(of: id).account())
    }

    /// Sends a code to somebody who forgot the password, if the e-mail has an account (rule 12.4).
    ///
    /// - Returns: what the code goes with, whether one was sent or not.
    public func beginPasswordReset(email: String, from address: NetworkAddress) async throws -> UUID {
        let email = try EmailAddress(email)
        try await countRequest(of: address)
        let (id, code) = PeopleService.newCode()
        let (request, language) = try await people.beginPasswordReset(
            id, email: email, codeHash: PeopleService.hash(code, id))
        if request == .known {
            messages.send(PersonalMessage(.passwordResetCode(code), to: email, in: language ?? .english))
        }
        return id
    }

    /// Sets a new password with a code, and ends all sessions (rule 12.4).
    ///
    /// - Throws: ``PeopleError``.
    public func resetPassword(_ id: UUID, code: String, password: String, from address: NetworkAddress) async throws {
        try await countRequest(of: address)
        let codeHash = try PeopleService.hash(code, id)
        let (outcome, address) = try await people.checkCode(id, for: .passwordReset, codeHash: codeHash)
        try PeopleService.require(outcome)
        let accepted = try Password(password, for: PersonNames(email: address))
        try PeopleService.require(
            try await people.resetPassword(id, codeHash: codeHash, password: try await tag(of: accepted)))
    }

    /// Changes the password of somebody who is signed in, and ends all other sessions (rule 12.3).
    ///
    /// - Parameter old: nil for an account without a password; then a sign-in that is not older than 10 minutes is needed.
    /// - Throws: ``PeopleError``.
    public func changePassword(of visitor: Visitor, from old: String?, to new: String, from address: NetworkAddress)
        async throws
    {
        let account = try await engine.store.garden(of: visitor.accountID).account()
        let password = try Password(new, for: account.names)
        if let old {
            try await requirePassword(old, of: account, from: address)
        } else {
            guard account.email != nil else { throw PeopleError.emailMissing }
            guard try await !people.hasPassword(account.id) else { throw PeopleError.wrongPassword }
            try await requireFreshSignIn(of: visitor)
        }
        try await people.setPassword(
            try await tag(of: password), of: visitor.accountID, keeping: visitor.sessionID)
    }

    /// Requires the password of an account, or a sign-in that is not older than 10 minutes. Somebody anonymous cannot sign in
    /// again, and types the nickname instead (rule 12.8).
    ///
    /// - Throws: ``PeopleError``.
    public func requireProof(
        of visitor: Visitor, password: String?, confirmation: String?, from address: NetworkAddress
    ) async throws {
        let account = try await engine.store.garden(of: visitor.accountID).account()
        if let password {
            try await requirePassword(password, of: account, from: address)
        } else if let confirmation, try await isKnownByItsSessionAlone(account) {
            guard (try? Nickname(confirmation)) == account.nickname else { throw PeopleError.confirmationWrong }
        } else {
            try await requireFreshSignIn(of: visitor)
        }
    }

    /// Requires a sign-in that is not older than 10 minutes, of whoever can sign in again.
    ///
    /// - Throws: ``PeopleError/signInTooOld``.
    public func requireRecentProof(of visitor: Visitor) async throws {
        let account = try await engine.store.garden(of: visitor.accountID).account()
        if try await isKnownByItsSessionAlone(account) { return }
        try await requireFreshSignIn(of: visitor)
    }

    /// Whether nobody can sign in to the account again, so that a fresh sign-in is not to be had.
    private func isKnownByItsSessionAlone(_ account: Account) async throws -> Bool {
        guard account.email == nil else { return false }
        return try await people.identities(of: account.id).isEmpty
    }

    private func requireFreshSignIn(of visitor: Visitor) async throws {
        guard SignInSession.isFresh(signedInAt: visitor.signedInAt, at: try await engine.store.now()) else {
            throw PeopleError.signInTooOld
        }
    }

    private func requirePassword(_ password: String, of account: Account, from address: NetworkAddress) async throws {
        guard let email = account.email else { throw PeopleError.wrongPassword }
        let tag = try await tag(of: password, of: email, from: address)
        let check = try await people.checkPassword(email, tag: tag, addressKey: address.key)
        _ = try PeopleService.require(check)
    }

    private func tag(of password: Password) async throws -> PasswordTag { try await hasher.tag(of: password) }

    /// The tag of a password that somebody gives for an e-mail, known or not.
    ///
    /// - Throws: ``PeopleError/slowDown(seconds:)`` before anything expensive is computed.
    private func tag(of text: String, of email: EmailAddress, from address: NetworkAddress) async throws -> [UInt8] {
        let (wait, challenge) = try await people.passwordChallenge(email, addressKey: address.key)
        if wait > 0 { throw PeopleError.slowDown(seconds: wait) }
        // Text that never was a password takes as long, and matches none.
        return try await hasher.tag(of: Password.bytesToVerify(text) ?? [], challenge ?? .made())
    }
}

// MARK: - Another e-mail

extension PeopleService {
    /// Sends a code to another e-mail of somebody who is signed in (rule 12.6).
    ///
    /// - Throws: ``CareError/invalidEmail(_:)``, ``PeopleError/slowDown(seconds:)`` for the network address.
    public func beginEmailChange(of visitor: Visitor, to email: String, from address: NetworkAddress) async throws {
        let email = try EmailAddress(email)
        try await countRequest(of: address)
        let account = try await engine.store.garden(of: visitor.accountID).account()
        let (id, code) = PeopleService.newCode()
        let request = try await people.beginEmailChange(
            id, of: visitor.accountID, to: email, codeHash: PeopleService.hash(code, visitor.accountID.uuid))
        switch request {
        case .new: messages.send(PersonalMessage(.newEmailCode(code), to: email, in: account.language))
        case .known: messages.send(PersonalMessage(.accountExists, to: email, in: account.language))
        case .limited, .unknown: break
        }
    }

    /// Gives the account the e-mail that the code confirms.
    ///
    /// - Throws: ``PeopleError``.
    public func confirmEmail(of visitor: Visitor, code: String) async throws {
        let before = try await engine.store.garden(of: visitor.accountID).account()
        let isAnonymous = try await isKnownByItsSessionAlone(before)
        try PeopleService.require(
            try await people.confirmEmail(
                of: visitor.accountID, codeHash: try PeopleService.hash(code, visitor.accountID.uuid)))
        if let email = before.email {
            // Whoever took over a session must not take the account along unnoticed.
            messages.send(PersonalMessage(.emailChanged, to: email, in: before.language))
        } else if isAnonymous {
            // Nobody else could have signed in. Now the person can choose a password.
            try await people.renewSignIn(visitor.sessionID, of: visitor.accountID)
        }
    }
}

// MARK: - Sessions

extension PeopleService {
    /// Who shows a token.
    ///
    /// - Throws: ``PeopleError/notSignedIn``.
    public func visitor(_ text: some StringProtocol) async throws -> Visitor {
        guard let token = SessionToken(text) else { throw PeopleError.notSignedIn }
        guard let found = try await people.session(token, secretHash: SecretHash.sha256(token.secret)) else {
            // Otherwise each further request with the token would be worked on before it is refused.
            seen.forget(token.sessionID)
            throw PeopleError.notSignedIn
        }
        let visitor = Visitor(token, accountID: found.account, signedInAt: found.signedInAt)
        seen.remember(visitor)
        return visitor
    }

    /// Who showed a token of this session before, from memory; nil if nobody did.
    ///
    /// Nothing is proved by that. The visitor's ``Visitor/proof`` is given once the database has confirmed the session, and
    /// nothing may be answered before (decision 68).
    public func expectedVisitor(_ text: some StringProtocol) -> Visitor? {
        guard let token = SessionToken(text), let known = seen.visitor(of: token.sessionID) else { return nil }
        return Visitor(
            token, accountID: known.accountID, signedInAt: known.signedInAt,
            proof: SessionProof(token, secretHash: SecretHash.sha256(token.secret)))
    }

    /// Takes over the session of a token, which is worth nothing from then on.
    ///
    /// - Throws: ``PeopleError/notSignedIn``.
    public func enter(with text: some StringProtocol) async throws -> SignedIn {
        let secret = RandomBytes.make(SessionToken.secretLength)
        guard let token = SessionToken(text),
            let account = try await people.renewToken(
                token, secretHash: SecretHash.sha256(token.secret), newSecretHash: SecretHash.sha256(secret))
        else { throw PeopleError.notSignedIn }
        return SignedIn(
            account: try await engine.store.garden(of: account).account(), sessionID: token.sessionID,
            token: SessionToken(lane: token.lane, sessionID: token.sessionID, secret: secret))
    }

    /// Ends the session in which somebody has just signed in again, so that its token is worth nothing (ASVS 7.2.4).
    ///
    /// Its phones go on getting the account's pushes. If another account has signed in, they get none of the former's.
    /// Without the session, nobody would ever get into an anonymous account again, so that one stays.
    public func end(_ former: Visitor, after signedIn: SignedIn) async throws {
        // Whoever enters by a link keeps the session.
        if former.sessionID == signedIn.sessionID { return }
        if former.accountID == signedIn.account.id {
            return try await people.endSession(
                former.sessionID, of: former.accountID, leavingPhonesTo: signedIn.sessionID)
        }
        let account = try await engine.store.garden(of: former.accountID).account()
        if try await isKnownByItsSessionAlone(account) { return }
        _ = try await people.endSession(former.sessionID, of: former.accountID)
    }

    /// The sessions of an account, the one used last first.
    public func sessions(of account: Account.ID) async throws -> [SignInSession] {
        try await people.sessions(of: account)
    }

    /// Ends a session.
    ///
    /// - Throws: ``CareError/notFound(_:)`` if the account has no such session.
    public func endSession(_ id: SignInSession.ID, of account: Account.ID) async throws {
        guard try await people.endSession(id, of: account) else { throw CareError.notFound(.session) }
    }

    /// Ends all sessions of an account but the one that asks; all of them for nil.
    public func endSessions(of account: Account.ID, keeping kept: SignInSession.ID?) async throws -> Int {
        try await people.endSessions(of: account, keeping: kept)
    }
}

/// A session that is about to begin, with the only copy of its secret.
struct NewSession {
    let stored: PeopleStore.NewSession
    private let secret = RandomBytes.make(SessionToken.secretLength)

    init(_ deviceName: String) {
        stored = PeopleStore.NewSession(
            id: SignInSession.ID(UUID()), secretHash: SecretHash.sha256(secret), deviceName: deviceName)
    }

    /// Somebody who signed in with it.
    func begun(by account: Account) -> SignedIn {
        SignedIn(
            account: account, sessionID: stored.id,
            token: SessionToken(lane: account.id.lane, sessionID: stored.id, secret: secret))
    }
}

// MARK: - Codes

extension PeopleService {
    static func newCode() -> (id: UUID, code: VerificationCode) {
        var generator = SystemRandomNumberGenerator()
        return (UUID(), .random(using: &generator))
    }

    static func hash(_ code: VerificationCode, _ id: UUID) -> [UInt8] {
        SecretHash.sha256("\(id.uuidString.lowercased()) \(code.text)")
    }

    /// - Throws: ``PeopleError/codeWrong`` for text that is no code. It counts as no try: nobody guesses like that.
    static func hash(_ text: String, _ id: UUID) throws -> [UInt8] {
        guard let code = VerificationCode(text) else { throw PeopleError.codeWrong }
        return hash(code, id)
    }

    static func require(_ outcome: PeopleStore.CodeOutcome) throws {
        switch outcome {
        case .done: break
        case .wrong: throw PeopleError.codeWrong
        case .expired: throw PeopleError.codeExpired
        case .tooManyTries: throw PeopleError.tooManyTries
        }
    }

    private static func require(_ check: PeopleStore.PasswordCheck) throws -> Account.ID {
        switch check {
        case .right(let account): return account
        case .wrong: throw PeopleError.wrongPassword
        case .mustWait(let seconds): throw PeopleError.slowDown(seconds: seconds)
        }
    }
}

extension PasswordHasher {
    /// The tag of a new password, with a new salt.
    func tag(of password: Password) async throws -> PasswordTag {
        let challenge = PasswordChallenge.made()
        return PasswordTag(try await tag(of: password.bytes, challenge), of: challenge)
    }

    fileprivate func tag(of password: [UInt8], _ challenge: PasswordChallenge) async throws -> [UInt8] {
        try await tag(
            of: password, salt: challenge.salt,
            cost: PasswordCost(memoryKiB: challenge.memoryKiB, passes: challenge.passes))
    }
}

extension PasswordChallenge {
    /// A new salt, with today's costs.
    fileprivate static func made() -> PasswordChallenge {
        PasswordChallenge(
            salt: RandomBytes.make(PasswordHasher.saltLength), memoryKiB: PasswordCost.standard.memoryKiB,
            passes: PasswordCost.standard.passes)
    }
}

extension EmailAddress {
    /// An address that no account can have.
    fileprivate static let nobody = EmailAddress(stored: "nobody@invalid")
}

extension Account {
    /// What its password may not contain.
    var names: PersonNames { PersonNames(email: email?.description, nickname: nickname.description) }
}

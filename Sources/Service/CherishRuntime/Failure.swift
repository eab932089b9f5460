import CherishCore
import CherishPush
import CherishStore
import Foundation
import Postgres
import PrivatePostgres

/// An error as programs report it: the only mapping from errors to codes, exit statuses, HTTP statuses and messages.
public struct Failure: Sendable, Equatable {
    /// A stable snake_case code, listed in `docs/command-line.md`.
    public let code: String
    /// What is wrong, as a clause.
    public let problem: String
    /// What to do about it; nil if the problem says so itself.
    public let remedy: String?
    /// Listed in `docs/command-line.md`.
    public let exitStatus: Int32
    /// The HTTP status: 404 if something does not exist or is not the caller's, 409 if a rule refuses it now, 422 if no
    /// rule ever allows it, 503 while the database is unavailable, 500 if only an operator can fix it.
    public let httpStatus: Int
    /// After how many seconds it may be tried again; nil if that is not known, or would not help.
    public let retryAfter: Int?

    /// Maps any error. An unknown one is reported as a bug.
    public init(_ error: any Error) {
        switch error {
        case let error as CareError:
            self.init(error.code, error.problem, error.remedy, exit: 1, http: error.httpStatus)
        case let error as ThingError:
            self.init(error.code, error.problem, error.remedy, exit: 1, http: error.httpStatus)
        case let error as ShoppingListError:
            self.init(error.code, error.problem, error.remedy, exit: 1, http: error.httpStatus)
        case let error as PeopleError:
            self.init(
                error.code, error.problem, error.remedy, exit: 1, http: error.httpStatus, retryAfter: error.retryAfter)
        case let error as SchemaError: self.init(error.code, error.description, exit: 69, http: 503)
        case let error as RoleError: self.init(error.code, error.description, exit: 69)
        case let error as NotOwner: self.init(error.code, error.description, exit: 69)
        case let error as FutureNow: self.init(error.code, error.description, exit: 64, http: 422)
        case let error as OutageProblem: self.init(error.code, error.description, exit: 64, http: 422)
        case let error as ReportError: self.init(error.code, error.description, exit: 64, http: 422)
        case let error as PrivateClusterError where error.isUnwritable:
            self.init("cannot_create", error.description, exit: 73)
        case let error as PrivateClusterError:
            self.init("database_unreachable", error.description, exit: 69, http: 503)
        case let error as PostgresError: self.init(error)
        case is RequestTakenOver:
            self.init(
                "request_running", "the same request was sent again, and is running", "wait for its answer", exit: 75,
                http: 409, retryAfter: 1)
        case let error as UnreadableRow: self.init("unreadable_row", error.description, exit: 65)
        case let error as OutsideCalendar: self.init(error.code, error.description, exit: 65, http: 422)
        case let error as any ExplainedError:
            self.init(error.code, error.description, exit: error.exitStatus, http: error.httpStatus)
        case OutputError.cannotCreate: self.init("cannot_create", "\(error)", exit: 73)
        case OutputError.failed: self.init("output_failed", "\(error)", exit: 74)
        case let error as SettingError: self.init("invalid_setting", error.description, exit: 64)
        case let error as UsageError: self.init("usage", error.description, exit: 64, http: 422)
        case let error as WebhookAddress.Refusal: self.init("usage", error.description, exit: 64, http: 422)
        case let error as PushServiceAddress.Refusal: self.init("usage", error.description, exit: 64, http: 422)
        default: self.init("internal", "this is a bug, please report it: \(error)", exit: 70)
        }
    }

    private init(_ error: PostgresError) {
        switch error.sqlState {
        // insufficient_privilege
        case "42501":
            self.init("missing_privilege", "the user of the database may not do this", Failure.grant, exit: 69)
        // lock_not_available
        case "55P03":
            self.init(
                "database_busy", "somebody else holds what this needs for longer than lock_timeout", "try again",
                exit: 69, http: 503)
        case "23514" where error.constraint == "plant_days_range":
            self.init(OutsideCalendar().code, OutsideCalendar().description, exit: 65, http: 422)
        case _ where Failure.isUnreachable(error):
            self.init(
                "database_unreachable", error.description,
                "check DATABASE_URL and that the server runs, then try again", exit: 69, http: 503)
        default: self.init("internal", "this is a bug, please report it: \(error)", exit: 70)
        }
    }

    /// A usage error, with the argument parser's message.
    public init(usage explanation: String) {
        self.init(
            "usage", Failure.withoutStrayWords(String(explanation.trimmingPrefix("Error: "))), exit: 64, http: 422)
    }

    /// Unquoted text, such as a memo, becomes stray arguments, which the parser's message would repeat.
    private static func withoutStrayWords(_ explanation: String) -> String {
        var lines = explanation.split(separator: "\n", omittingEmptySubsequences: false)
        if lines[0].contains("nexpected argument") {
            lines[0] = "there are words too many; put text with spaces in quotes"
        }
        return lines.joined(separator: "\n")
    }

    /// Ends a program with what its argument parser threw, or its command.
    ///
    /// - Parameters:
    ///   - status: the parser's exit status for the error.
    ///   - message: the parser's message, used for help, the version, and wrong usage.
    public static func end(with error: any Error, status: Int32, message: String) -> Never {
        // Only the parser's own errors have this status.
        if status == 64 { Failure(usage: message).end() }
        if status != 0 { Failure(error).end() }
        // Help and version are requested output, not errors.
        do {
            try StandardStreams.write(message.withWrappedUsage(toWidth: Terminal.widthOfHelp) + "\n")
        } catch {
            Failure(error).end()
        }
        exit(0)
    }

    /// Prints the error to standard error and exits.
    public func end() -> Never {
        StandardStreams.writeToStandardError(line + "\n")
        exit(exitStatus)
    }

    private init(
        _ code: String, _ problem: String, _ remedy: String? = nil, exit: Int32, http: Int = 500, retryAfter: Int? = nil
    ) {
        (self.code, self.problem, self.remedy) = (code, problem, remedy)
        (exitStatus, httpStatus) = (exit, http)
        self.retryAfter = retryAfter ?? (http == 503 ? 1 : nil)
    }

    private static let grant = """
        connect as the owner of the tables, or as a member of cherish_app, to which 'cherish database roles' gives what the \
        programs need
        """

    /// Includes servers that answer but cannot be used: full, stopping or read-only.
    private static func isUnreachable(_ error: PostgresError) -> Bool {
        let classes = ["08", "25006", "25P03", "28", "3D", "53", "57", "58"]
        return error.isConnectionFailure || [.connection, .poolExhausted, .timeout].contains(error.code)
            || classes.contains { error.sqlState?.hasPrefix($0) == true }
    }

    /// Problem and remedy in one sentence.
    public var message: String { [problem, remedy].compactMap { $0 }.joined(separator: "; ") }

    /// `error: CODE: a sentence that says what to do`.
    public var line: String { "error: \(code): \(message)" }
}

/// An error of a module that this one does not link. It carries its own code and statuses.
public protocol ExplainedError: Error, CustomStringConvertible {
    var code: String { get }
    var exitStatus: Int32 { get }
    var httpStatus: Int { get }
}

extension CareError {
    fileprivate var httpStatus: Int {
        switch self {
        case .notFound: 404
        case .duplicatePhone, .duplicateEmail, .duplicateTag, .identityFixed, .notYetDue, .withered, .archived,
            .dueDateChanged, .editedSince, .tooManyTags, .tooManyLinks, .importUndone, .ambiguousID:
            409
        case .invalidEmail, .invalidAlarm, .invalidDayEnd, .invalidCycle, .invalidPhone, .invalidBirthday,
            .invalidTimeZone,
            .invalidName, .invalidNickname, .invalidPostcode, .invalidCountry, .invalidAppearance, .invalidDays,
            .madeTooLongAgo,
            .wateringDayOutOfRange, .tooManyKeywords, .keywordEmpty, .keywordTooLong, .keywordRepeated, .memoTooLong,
            .reviewEmpty, .invalidTag, .invalidColour, .invalidPause:
            422
        }
    }
}

extension ThingError {
    fileprivate var httpStatus: Int {
        switch self {
        case .alreadyDone, .notDone, .dueChanged: 409
        case .invalidTitle, .noteTooLong, .invalidCategory, .invalidOrderNumber, .invalidDue, .unreadableDay,
            .notForKind,
            .invalidWarningDays, .tooManyAlerts, .invalidAlert, .invalidRecurrence, .storeUnknown, .dueUnknown,
            .invalidShareDays:
            422
        }
    }
}

extension ShoppingListError {
    fileprivate var httpStatus: Int {
        switch self {
        case .invalidEntry, .invalidQuantity, .deliveryNoteTooLong, .tooManyEntries, .noSuchEntry, .invalidRadius,
            .invalidRating, .invalidReport:
            422
        case .barredFromHelping, .emailNotConfirmed: 403
        case .tooManyDrafts, .tooManyOpen, .notADraft, .noEntries, .notPossible, .postcodeChangedTooOften,
            .postcodeUnknown, .ownList, .alreadyAccepted, .listExpired, .tooManyAccepted, .notTheHelper,
            .acceptedTooOften, .releasedTooOften, .claimTooOld, .tooManyBlocks, .blockedYourself, .alreadyRated,
            .rateTooLate, .receiptTooLate:
            409
        }
    }
}

/// Invalid or conflicting arguments.
public struct UsageError: Error, Sendable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) {
        self.description = description
    }
}

extension PeopleError {
    fileprivate var httpStatus: Int {
        switch self {
        case .weakPassword, .codeWrong, .emailUnconfirmed, .confirmationWrong, .providerNotOffered: 422
        case .wrongPassword, .identityRefused, .notSignedIn: 401
        case .identityUnknown: 404
        case .codeExpired, .tooManyTries, .identityTaken, .providerLinked, .lastWayIn, .emailKnown, .emailMissing,
            .phoneMissing:
            409
        case .signInTooOld: 403
        case .slowDown: 429
        case .providerUnreachable: 503
        }
    }

    fileprivate var retryAfter: Int? {
        if case .slowDown(let seconds) = self { seconds } else { nil }
    }
}

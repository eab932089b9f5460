import AddressBook
import CherishCore
import CherishStore
import Foundation
import Postgres
import PrivatePostgres

/// An error as a program tells it: a stable code, a sentence that says what to do, and the exit status of `docs/command-line.md`.
public struct Failure: Sendable, Equatable {
    public let code: String
    public let message: String
    public let exitStatus: Int32

    /// What an error means to a person at the terminal.
    public init(_ error: any Error) {
        switch error {
        case let error as CareError:
            self.init(error.code, error.description, 1)
        case let error as SchemaError:
            self.init(error.code, error.description, 69)
        case let error as RoleError:
            self.init(error.code, error.description, 69)
        case let error as NotOwner:
            self.init(error.code, error.description, 69)
        case let error as FutureNow:
            self.init(error.code, error.description, 64)
        case let error as ReportError:
            self.init(error.code, error.description, 64)
        case let error as PrivateClusterError where error.isUnwritable:
            self.init("cannot_create", error.description, 73)
        case let error as PrivateClusterError:
            self.init("database_unreachable", error.description, 69)
        // insufficient_privilege
        case let error as PostgresError where error.sqlState == "42501":
            self.init("missing_privilege", Failure.missingPrivilege, 69)
        case let error as PostgresError where Failure.isUnreachable(error):
            self.init(
                "database_unreachable",
                "\(error.description); check DATABASE_URL and that the server runs, then try again", 69)
        // lock_not_available
        case let error as PostgresError where error.sqlState == "55P03":
            self.init(
                "database_busy", "somebody else holds what this needs for longer than lock_timeout; try again", 69)
        case let error as UnreadableRow:
            self.init("unreadable_row", error.description, 65)
        case let error as OutsideCalendar:
            self.init(error.code, error.description, 65)
        case let error as PostgresError where error.sqlState == "23514" && error.constraint == "plant_days_range":
            self.init(OutsideCalendar().code, OutsideCalendar().description, 65)
        case let error as UnreadableFile:
            self.init("unreadable_file", error.description, 65)
        case let error as TemporaryFileError:
            self.init("cannot_create", error.description, 73)
        case let error as OutputError:
            self.init(error)
        case let error as SettingError:
            self.init("invalid_setting", error.description, 64)
        case let error as UsageError:
            self.init("usage", error.description, 64)
        default:
            self.init("internal", "this is a bug, please report it: \(error)", 70)
        }
    }

    private init(_ error: OutputError) {
        switch error {
        case .cannotCreate: self.init("cannot_create", error.description, 73)
        case .failed: self.init("output_failed", error.description, 74)
        }
    }

    /// Wrong usage, in the words of the argument parser.
    public init(usage explanation: String) {
        self.init("usage", Failure.withoutStrayWords(String(explanation.trimmingPrefix("Error: "))), 64)
    }

    /// A memo without quotes ends up as words that nobody expects, and the parser would repeat them.
    private static func withoutStrayWords(_ explanation: String) -> String {
        var lines = explanation.split(separator: "\n", omittingEmptySubsequences: false)
        if lines[0].contains("nexpected argument") {
            lines[0] = "there are words too many; put text with spaces in quotes"
        }
        return lines.joined(separator: "\n")
    }

    /// Tells it on standard error and ends the program.
    public func end() -> Never {
        StandardStreams.tell(line + "\n")
        exit(exitStatus)
    }

    private init(_ code: String, _ message: String, _ exitStatus: Int32) {
        self.code = code
        self.message = message
        self.exitStatus = exitStatus
    }

    private static let missingPrivilege = """
        the user of the database may not do this; connect as the owner of the tables, or as a member of cherish_app, to \
        which 'cherish database roles' gives what the programs need
        """

    /// Not only a server that does not answer: one that is full, stopping or read-only cannot be used either.
    private static func isUnreachable(_ error: PostgresError) -> Bool {
        let classes = ["08", "25006", "25P03", "28", "3D", "53", "57", "58"]
        return error.isConnectionFailure || [.connection, .poolExhausted, .timeout].contains(error.code)
            || classes.contains { error.sqlState?.hasPrefix($0) == true }
    }

    /// `error: CODE: a sentence that says what to do`.
    public var line: String { "error: \(code): \(message)" }
}

/// Words of a command that do not go together.
public struct UsageError: Error, Sendable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) {
        self.description = description
    }
}

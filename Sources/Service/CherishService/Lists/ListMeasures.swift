import CherishCore
import CherishStore
import Foundation

// What operators do about lists: they read reports, close a list, and bar an account from helping.

extension CareService {
    /// The newest reports about lists.
    public func listReports() async throws -> ListReportsDocument {
        let found = try await engine.store.listReports()
        return ListReportsDocument(found.reports, at: found.now)
    }

    /// Closes a list, whoever has it.
    ///
    /// - Parameters:
    ///   - id: the list's id, or a prefix of at least 8 digits.
    ///   - reason: for the record, 1–500 characters.
    public func closeList(_ id: String, because reason: String) async throws -> ShoppingList {
        try await engine.store.closeList(
            try await engine.store.listID(id), because: try ListReportText(reason), by: Self.user
        ).list
    }

    /// Ends an account's access to lists of others, or gives it back.
    ///
    /// - Parameters:
    ///   - reference: the account's e-mail or id.
    ///   - reason: for the record, 1–500 characters.
    public func bar(_ reference: String, lifts: Bool, because reason: String) async throws -> Account {
        let account = try await engine.store.account(reference)
        try await engine.store.bar(account.id, lifts: lifts, because: try ListReportText(reason), by: Self.user)
        return account
    }

    /// What operators did, the newest first.
    public func listMeasures() async throws -> ListMeasuresDocument {
        ListMeasuresDocument(try await engine.store.listMeasures())
    }

    private static var user: String {
        let name = NSUserName()
        return name.isEmpty ? "unknown" : String(name.prefix(100))
    }
}

/// What people told the operator about lists.
public struct ListReportsDocument: Codable, Sendable {
    /// What somebody told.
    public struct Report: Codable, Sendable {
        public let listId, ownerId, reporterId, reason, reportedAt: String
        /// null if the list has been deleted.
        public let title, state: Nullable<String>
    }

    public let reports: [Report]

    init(_ reports: [ListReport], at now: Instant) {
        self.reports = reports.map { report in
            Report(
                listId: report.listID.description, ownerId: report.ownerID.description,
                reporterId: report.reporterID.description, reason: report.reason,
                reportedAt: report.reportedAt.description, title: Nullable(report.stored?.list.title.description),
                state: Nullable(report.stored?.list.state(at: now).rawValue))
        }
    }
}

/// What operators did about lists and accounts.
public struct ListMeasuresDocument: Codable, Sendable {
    /// What an operator did.
    public struct Measure: Codable, Sendable {
        public let accountId: String
        public let listId: Nullable<String>
        public let action, reason, takenBy, takenAt: String
    }

    public let measures: [Measure]

    init(_ measures: [ListMeasure]) {
        self.measures = measures.map { measure in
            Measure(
                accountId: measure.accountID.description, listId: Nullable(measure.listID?.description),
                action: measure.action.rawValue, reason: measure.reason, takenBy: measure.takenBy,
                takenAt: measure.takenAt.description)
        }
    }
}

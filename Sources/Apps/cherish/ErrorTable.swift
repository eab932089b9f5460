import AddressBook
import CherishRuntime
import CherishService
import Foundation
import GardenArchive

/// A table of everything refused or left out, to be corrected and imported again. Its first columns say what is wrong,
/// and an import ignores them; Cherish's own columns follow. ` ::: ` separates several numbers in one cell, as in
/// Google's exports.
struct ErrorTable {
    private static let header = [
        "line", "what", "why", "how", "account", "name", "phone", "nickname", "birthday", "birthday_calendar",
        "cycle_days", "alarm", "tags", "favourite",
    ]

    private let file: OutputFile

    /// Opens the table before any work, so that a mistyped path is reported at once. An existing table stays unchanged
    /// until ``finish()``, so a command may read and write the same table.
    ///
    /// - Throws: ``OutputError`` if the table cannot be written.
    init(path: String) throws {
        file = try OutputFile(path)
        try append(Self.header)
    }

    var isStandardOutput: Bool { file.isStandardOutput }

    /// Completes the table. Call once, at the end.
    func finish() throws {
        try file.finish()
    }

    /// - Parameter card: the contact as in the file; nil if it cannot be read at all.
    func append(line: Int, _ problems: [ImportedContact.Problem], _ card: ContactCard?) throws {
        let card = card ?? ContactCard(line: line)
        try append([
            "\(line)", problems.map(\.code).joined(separator: " "), problems.map(\.why).joined(separator: "; "),
            problems.map(\.how.text).joined(separator: "; "), card.account ?? "", card.name ?? "",
            card.phones.joined(separator: " ::: "), card.nickname ?? "", card.birthday ?? "",
            card.unknownCalendar ?? card.birthdayCalendar.title, card.cycleDays ?? "", card.alarm ?? "",
            FriendTable.cell(ofTags: card.tags), card.isFavourite ? "true" : "",
        ])
    }

    private func append(_ cells: [String]) throws {
        try file.write(FriendTable.row(cells))
    }
}

extension BirthdayCalendar {
    /// The value in the column `birthday_calendar`.
    fileprivate var title: String {
        switch self {
        case .solar: ""
        case .lunar(let isLeapMonth): isLeapMonth ? "lunar-leap" : "lunar"
        }
    }
}

extension Remedy {
    /// The remedy, with the option or command that provides it.
    var text: String {
        switch means {
        case .addingAccounts: "\(sentence) (--time-zone)"
        case .addingDevices: "\(sentence) ('cherish device add')"
        case .bringingBack: "\(sentence) (--restore)"
        case .merging: "\(sentence) (--merge)"
        case nil: sentence
        }
    }
}

import AddressBook
import CherishRuntime
import CherishService
import Foundation
import GardenArchive

/// What was refused or left out, as a table that can be corrected and read once more: our own columns, and in front of them
/// what is wrong, which an import ignores. Several numbers stand in one cell, separated by ` ::: ` as in Google's exports.
struct ErrorTable {
    private static let header = [
        "line", "what", "why", "how", "account", "name", "phone", "nickname", "birthday", "birthday_calendar",
        "cycle_days", "alarm", "tags", "favourite",
    ]

    private let file: OutputFile

    /// Opened before anything is done, so that a mistyped path is not told when all is done already. A table that is there
    /// stays when nothing comes of it all, and a table that is read may be written anew.
    ///
    /// - Throws: ``OutputError`` when the table could not be written.
    init(path: String) throws {
        file = try OutputFile(path)
        try append(Self.header)
    }

    var isStandardOutput: Bool { file.isStandardOutput }

    /// Writes the table, when all else is done.
    func finish() throws {
        try file.finish()
    }

    /// - Parameter card: the contact as the file has it; nil when it cannot be read at all.
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
    /// As the column `birthday_calendar` has it.
    fileprivate var title: String {
        switch self {
        case .solar: ""
        case .lunar(let isLeapMonth): isLeapMonth ? "lunar-leap" : "lunar"
        }
    }
}

extension Remedy {
    /// What to do, with the option or command that does it.
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

import AddressBook
import CherishRuntime
import Foundation
import GardenArchive

/// What was refused or left out, as a table that can be corrected and read once more: our own columns, and in front of them
/// what is wrong, which an import ignores. Several numbers stand in one cell, separated by ` ::: ` as in Google's exports.
struct ErrorTable {
    private static let header = [
        "line", "what", "why", "how", "account", "name", "phone", "nickname", "birthday", "birthday_calendar",
        "cycle_days", "alarm", "tags", "favourite",
    ]

    private let path: String
    private let file: FileHandle

    /// Tries whether the table can be written. Asked before anything is done, so that a mistyped path is not told when all is
    /// done already; leaves no file behind, and a file that is there as it is.
    static func requireWritable(_ path: String) throws {
        var descriptor = open(path, O_WRONLY | O_CLOEXEC)
        if descriptor < 0, errno == ENOENT {
            descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            if descriptor >= 0 { unlink(path) }
        }
        guard descriptor >= 0 else {
            throw UsageError("\(path) cannot be written: choose another file for --errors; nothing was imported")
        }
        close(descriptor)
    }

    /// Begins the table, in the place of what the file holds.
    init(path: String) throws {
        self.path = path
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            throw UsageError("\(path) cannot be written: choose another file for --errors")
        }
        file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try append(Self.header)
    }

    /// - Parameter card: the contact as the file has it; nil when it cannot be read at all.
    func append(line: Int, _ problems: [ImportRow.Problem], _ card: ContactCard?) throws {
        let card = card ?? ContactCard(line: line)
        try append([
            "\(line)", problems.map(\.code).joined(separator: " "), problems.map(\.why).joined(separator: "; "),
            problems.map(\.how).joined(separator: "; "), card.account ?? "", card.name ?? "",
            card.phones.joined(separator: " ::: "), card.nickname ?? "", card.birthday ?? "",
            card.unknownCalendar ?? card.birthdayCalendar.title, card.cycleDays ?? "", card.alarm ?? "",
            FriendTable.cell(ofTags: card.tags), card.isFavourite ? "true" : "",
        ])
    }

    private func append(_ cells: [String]) throws {
        do {
            try file.write(contentsOf: Data(FriendTable.row(cells).utf8))
        } catch {
            throw UsageError("\(path) cannot be written: make room, or choose another file for --errors")
        }
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

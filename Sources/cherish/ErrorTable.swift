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
    /// Holds the rows until all are known, so that a table that is read may be written anew, and one that is there stays
    /// when nothing comes of it all.
    private let rows: FileHandle

    /// Tries whether the table can be written. Asked before anything is done, so that a mistyped path is not told when all is
    /// done already; leaves no file behind, and a file that is there as it is.
    private static func requireWritable(_ path: String) throws {
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

    /// - Throws: ``UsageError`` when the table could not be written.
    init(path: String) throws {
        try Self.requireWritable(path)
        guard let file = tmpfile() else {
            throw UsageError("no temporary file can be made for --errors: make room for temporary files")
        }
        self.path = path
        rows = FileHandle(fileDescriptor: dup(fileno(file)), closeOnDealloc: true)
        fclose(file)
        try append(Self.header)
    }

    /// Writes the table, when all else is done.
    func finish() throws {
        let unwritable = UsageError(
            "\(path) cannot be written: choose another file for --errors; the import itself is done")
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw unwritable }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try rows.seek(toOffset: 0)
            while let piece = try rows.read(upToCount: 1 << 20), !piece.isEmpty { try file.write(contentsOf: piece) }
        } catch {
            throw unwritable
        }
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
        try rows.write(contentsOf: Data(FriendTable.row(cells).utf8))
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

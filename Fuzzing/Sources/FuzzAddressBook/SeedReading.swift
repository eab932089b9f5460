import AddressBook

@testable import CherishService

/// Everything that one pass over a seed file yields.
struct SeedReading {
    private(set) var entries: [SeedFile.Entry] = []

    init(path: String) {
        do {
            var file = try SeedFile(.file(path), columns: .none)
            while let entry = try file.next() { entries.append(entry) }
        } catch is UnreadableFile {
            // Entries before the error still count.
        } catch {
            fatalError("a seed file is refused by UnreadableFile alone, and not by \(error)")
        }
    }

    /// The violated invariants, which must hold for any file.
    ///
    /// - Parameter mostLines: The maximum number of lines of the file.
    func brokenPromises(mostLines: Int) -> [String] {
        var broken: [String] = []
        var previousLine = 0
        for entry in entries {
            let line = entry.line
            if line <= previousLine { broken.append("line \(line) comes after line \(previousLine)") }
            if line > mostLines { broken.append("there is no line \(line): the file has \(mostLines) at most") }
            broken += entry.brokenPromises
            previousLine = line
        }
        return broken
    }
}

extension SeedFile.Entry {
    fileprivate var line: Int {
        switch self {
        case .account(let line, _), .largeAccount(let line, _), .refused(let line, _): line
        case .friend(let contact): contact.line
        }
    }

    fileprivate var brokenPromises: [String] {
        switch self {
        case .account(let line, let document):
            document.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
                ? ["the account in line \(line) is blank"] : []
        case .friend(.success(let card)): card.brokenPromises
        case .friend(.failure), .largeAccount, .refused: []
        }
    }
}

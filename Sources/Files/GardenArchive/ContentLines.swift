import CherishCore

/// The lines of a vCard (RFC 6350) or iCalendar (RFC 5545): UTF-8, folded, each ended by CR LF.
struct ContentLines {
    /// The maximum octets per line, without the line break.
    private static let longestLine = 75

    private(set) var bytes: [UInt8] = []

    /// Adds a line and folds it if it is too long, but never inside a character.
    mutating func add(_ line: String) {
        var room = ContentLines.longestLine
        for scalar in line.unicodeScalars {
            let octets = scalar.utf8
            if octets.count > room {
                bytes += "\r\n ".utf8
                room = ContentLines.longestLine - 1
            }
            bytes += octets
            room -= octets.count
        }
        bytes += "\r\n".utf8
    }

    /// Adds a line whose value is free text.
    mutating func add(_ name: String, text: String) {
        add("\(name):\(ContentLines.escaped(text))")
    }

    /// Adds a line whose value is a list of free texts.
    mutating func add(_ name: String, list: [String]) {
        add("\(name):\(list.map { ContentLines.escaped($0) }.joined(separator: ","))")
    }

    /// Escapes the characters that would end a value; they are the same in both standards. Drops carriage returns.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        // By scalar, because parsers see a comma even if a combining mark follows it.
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\", ",", ";":
                escaped += "\\"
                escaped.unicodeScalars.append(scalar)
            case "\n": escaped += "\\n"
            case "\r": break
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

extension CivilDay {
    /// `20270302`, as both standards write a day.
    var basicForm: String { description.replacing("-", with: "") }
}

extension Instant {
    /// `20270302T000000Z`, as both standards write an instant in UTC; whole seconds, rounded down.
    var basicForm: String {
        let time = Instant(secondsSinceEpoch: secondsSinceEpoch).description
        return time.filter { $0 != "-" && $0 != ":" }
    }
}

extension Sequence where Element == PlantHistory {
    /// The plants that were not removed.
    var living: [PlantHistory] { filter { $0.plant.archivedAt == nil } }
}

extension [Tag] {
    /// The names of the tags with these ids.
    func names(of ids: [Tag.ID]) -> [String] {
        ids.compactMap { id in first { $0.id == id }?.name.description }
    }
}

/// Cherish's product identifier in the files that it writes.
enum Product {
    static let identifier = "-//Cherish//Garden//EN"
}

import CherishCore

/// The lines of a vCard (RFC 6350) or of an iCalendar (RFC 5545): UTF-8, folded, each ended by CR LF.
struct ContentLines {
    /// The most octets in a line without its end.
    private static let longestLine = 75

    private(set) var bytes: [UInt8] = []

    /// Adds a line. Where it is too long it goes on in the next one, behind a space; no character's octets are parted.
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

    /// A line whose value is text of people.
    mutating func add(_ name: String, text: String) {
        add("\(name):\(ContentLines.escaped(text))")
    }

    /// A line whose value is a list of texts of people.
    mutating func add(_ name: String, list: [String]) {
        add("\(name):\(list.map { ContentLines.escaped($0) }.joined(separator: ","))")
    }

    /// A text in which nothing is taken for the end of a value. Both standards escape the same characters.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        // Not by characters: a comma with a combining mark behind it is still a comma to those who read it.
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

extension Sequence where Element == PlantArchive {
    /// Those that were not removed.
    var living: [PlantArchive] { filter { $0.plant.archivedAt == nil } }
}

extension [Tag] {
    /// The names of tags, by their ids.
    func names(of ids: [Tag.ID]) -> [String] {
        ids.compactMap { id in first { $0.id == id }?.name.description }
    }
}

/// What Cherish calls itself in files that it writes.
enum Product {
    static let identifier = "-//Cherish//Garden//EN"
}

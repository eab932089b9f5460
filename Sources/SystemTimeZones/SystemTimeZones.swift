import CherishCore
import Foundation
import Synchronization

/// The tz database of the operating system: the rules of every zone, and the country that a zone lies in.
///
/// Foundation carries zone data of its own, as old as the toolchain; the system's is kept current by its packages, and
/// PostgreSQL on Debian reads the same files. `docs/decisions/0004-system-time-zones.md` has the figures.
/// Zones are read once per process: restart long-running programs after an update of the tz database.
public final class SystemTimeZones: Sendable {
    /// Debian keeps the tz database here.
    public static let defaultDirectory = "/usr/share/zoneinfo"

    private let directory: String
    private let rules = Mutex<[String: TimeZoneRules]>([:])
    private let countries = Mutex<[String: String]?>(nil)

    public init(directory: String = SystemTimeZones.defaultDirectory) {
        self.directory = directory
    }

    /// The rules of a zone.
    ///
    /// - Throws: ``CareError/invalidTimeZone(_:)`` unless `name` is the IANA name of a zone.
    public func rules(_ name: String) throws(CareError) -> TimeZoneRules {
        if let known = rules.withLock({ $0[name] }) { return known }
        guard SystemTimeZones.isZoneName(name), let file = FileManager.default.contents(atPath: "\(directory)/\(name)"),
            let parsed = try? TimeZoneRules(name: name, file: Array(file))
        else { throw .invalidTimeZone(name) }
        rules.withLock { $0[name] = parsed }
        return parsed
    }

    /// The version of the tz database, such as `2026a`; nil where the system does not tell.
    public var version: String? {
        guard let line = lines(of: "tzdata.zi").first, line.hasPrefix("# version ") else { return nil }
        return String(line.dropFirst("# version ".count))
    }

    /// The country, by ISO 3166 code, in which a zone lies; nil for zones of no country such as `UTC`.
    public func country(of name: String) -> String? {
        countries.withLock { known in
            let table = known ?? readCountries()
            known = table
            return table[name]
        }
    }

    /// Letters, digits and a few marks, in up to three parts; nothing that could leave the directory, and none of the
    /// directories and files that are no zones.
    private static func isZoneName(_ name: String) -> Bool {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard (1...3).contains(parts.count),
            !["posix", "right", "localtime", "posixrules", "Factory"].contains(parts[0])
        else { return false }
        return parts.allSatisfy { part in
            part.first.map { $0.isASCII && $0.isLetter } == true
                && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_+-".contains($0)) }
        }
    }

    /// `zone.tab` names the country of each zone, `tzdata.zi` the older names that are links to them.
    private func readCountries() -> [String: String] {
        var countries: [String: String] = [:]
        for line in lines(of: "zone.tab") where !line.hasPrefix("#") {
            let fields = line.split(separator: "\t")
            if fields.count >= 3 { countries[String(fields[2])] = String(fields[0]) }
        }
        for line in lines(of: "tzdata.zi") where line.hasPrefix("L ") {
            let fields = line.split(separator: " ")
            if fields.count == 3, countries[String(fields[2])] == nil {
                countries[String(fields[2])] = countries[String(fields[1])]
            }
        }
        return countries
    }

    private func lines(of file: String) -> [Substring] {
        guard let data = FileManager.default.contents(atPath: "\(directory)/\(file)") else { return [] }
        return String(decoding: data, as: UTF8.self).split(separator: "\n")
    }
}

import CherishCore
import Foundation
import Synchronization

/// The operating system's tz database: the rules of every zone, and the country of each zone.
///
/// The module `SystemTimeZones` knows where the tz database is and how its index files look. It may only read files
/// below its directory. Start reading here; `TimeZoneFile.swift` in `CherishCore` parses the zones.
///
/// Foundation carries its own zone data, as old as the toolchain. System packages keep these files current, and
/// PostgreSQL on Debian reads the same ones; `docs/decisions/0004-system-time-zones.md` has the figures. Each zone is
/// read once per process: restart long-running programs after an update of the tz database.
public final class SystemTimeZones: Sendable {
    /// The location of the tz database on Debian.
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

    /// The clock of an account: its zone, and when its days end (rule 13.4).
    ///
    /// - Throws: ``CareError/invalidTimeZone(_:)``.
    public func clock(of account: Account) throws(CareError) -> TimeZoneRules {
        try rules(account.timeZone).withDays(endingAt: account.dayEnd)
    }

    /// The version of the tz database, such as `2026a`; nil if the system does not provide it.
    public var version: String? {
        guard let line = lines(of: "tzdata.zi").first, line.hasPrefix("# version ") else { return nil }
        return String(line.dropFirst("# version ".count))
    }

    /// The ISO 3166 code of a zone's country; nil for zones without a country, such as `UTC`.
    public func country(of name: String) -> String? {
        countries.withLock { known in
            let table = known ?? readCountries()
            known = table
            return table[name]
        }
    }

    /// Whether a name has one to three parts of letters, digits, and a few marks. Rejects everything that could leave
    /// the directory, and entries that are not zones.
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

    /// `zone.tab` maps zones to countries; `tzdata.zi` links older names to current ones.
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

import AddressBook
import CherishCore
import Foundation

/// Reads the postal codes of GeoNames (rule 11.8): lines of twelve columns, separated by tabs, without a header. Country, code,
/// latitude and longitude count.
public struct PostcodeFileReader {
    /// A line that cannot be read.
    public struct Problem: Error, Sendable, Equatable {
        /// Counted from 1.
        public let line: Int
        /// A sentence that says what is wrong and what to write.
        public let reason: String
    }

    /// The columns of the file, from 0.
    private static let (country, code, latitude, longitude, count) = (0, 1, 9, 10, 12)

    private struct Sum {
        var latitude = 0.0, longitude = 0.0
        /// Where the first place is; the others are averaged around it, or the middle of two sides of the 180th meridian would
        /// be on the other side of the earth.
        var first = 0.0
        var count = 0.0
    }

    private var lines: LineReader
    private var sums: [String: Sum] = [:]

    /// - Throws: ``UnreadableFile`` if the source cannot be read or is empty; any error of the source.
    public init(_ source: ByteSource) throws {
        lines = try LineReader(source)
        if source.size == 0 { throw UnreadableFile(reason: "\(source.name) is empty: name a file of postcodes") }
    }

    /// How much of the file has been read, 0–1; nil if the size is unknown, as for a pipe.
    public var fractionRead: Double? { lines.fractionRead }

    /// The centres of the codes that were read, by country and key in one: `KR04524`.
    public var codes: [String: Position] {
        sums.compactMapValues { sum in
            var longitude = sum.first + sum.longitude / sum.count
            if longitude > 180 { longitude -= 360 } else if longitude < -180 { longitude += 360 }
            return Position(latitude: sum.latitude / sum.count, longitude: longitude)
        }
    }

    /// Reads the next line that is not blank.
    ///
    /// - Returns: nil at the end.
    /// - Throws: any error of the source.
    public mutating func readNext() throws -> Result<Void, Problem>? {
        guard let line = try lines.nextNonBlankLine() else { return nil }
        do throws(Problem) {
            try take(line)
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    private mutating func take(_ line: PhysicalLine) throws(Problem) {
        func problem(_ reason: String) -> Problem { Problem(line: line.number, reason: reason) }
        let fields = line.bytes.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
        guard fields.count == Self.count || fields.count == Self.count - 1 else {
            throw problem(
                "the line has \(fields.count) columns: write the twelve of GeoNames, separated by tabs, without a header"
            )
        }
        guard let country = Country(String(decoding: fields[Self.country], as: UTF8.self)) else {
            throw problem("the first column is no country: write two letters like KR")
        }
        guard let key = Self.key(fields[Self.code]) else {
            throw problem("the second column is no postcode: write 1 to 10 letters, digits, blanks and hyphens")
        }
        guard let latitude = Double(String(decoding: fields[Self.latitude], as: UTF8.self)),
            let longitude = Double(String(decoding: fields[Self.longitude], as: UTF8.self)),
            let position = Position(latitude: latitude, longitude: longitude)
        else {
            throw problem("latitude and longitude are no place on the earth: write degrees like 37.5665 and 126.978")
        }
        var sum = sums[country.description + key] ?? Sum(first: position.longitude)
        var east = position.longitude - sum.first
        if east > 180 { east -= 360 } else if east < -180 { east += 360 }
        sum.latitude += position.latitude
        sum.longitude += east
        sum.count += 1
        sums[country.description + key] = sum
    }

    /// The code in capitals, without blanks and hyphens; nil for anything else. Bytes, because a file has millions.
    private static func key(_ code: ArraySlice<UInt8>) -> String? {
        guard code.count <= 10 else { return nil }
        var key: [UInt8] = []
        for byte in code {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"): key.append(byte)
            case UInt8(ascii: "a")...UInt8(ascii: "z"): key.append(byte - 32)
            case UInt8(ascii: " "), UInt8(ascii: "-"): break
            default: return nil
            }
        }
        return key.isEmpty ? nil : String(decoding: key, as: UTF8.self)
    }
}

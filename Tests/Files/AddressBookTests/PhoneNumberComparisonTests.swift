import AddressBook
import Foundation
import Testing

/// `fixtures/phone-numbers/README.md` describes the file and how its expectations were derived.
@Suite("Phone numbers, compared with Python's phonenumbers")
struct PhoneNumberComparisonTests {
    private struct Line {
        let region: String
        let text: String
        /// In E.164; empty if the text is not a number.
        let number: String
    }

    private func table() throws -> [Line] {
        let text = try String(contentsOfFile: fixture("../phone-numbers/numbers.tsv"), encoding: .utf8)
        return try text.split(separator: "\n").dropFirst().map { line -> Line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map { String($0) }
            try #require(fields.count == 3)
            return Line(region: fields[0], text: fields[1], number: fields[2])
        }
    }

    @Test("Each of 10,000 texts gives the same number, or none")
    func same() throws {
        var differences: [String] = []
        for line in try table() {
            let found = PhoneNumberParser.e164(line.text, region: line.region) ?? ""
            if found != line.number {
                differences.append("\(line.region) \(line.text.debugDescription): \(found) instead of \(line.number)")
            }
        }
        #expect(differences == [])
    }

    @Test("Each of ten countries has 1,000 texts, with many numbers and many invalid ones")
    func complete() throws {
        let countries = Dictionary(grouping: try table(), by: \.region)
        #expect(countries.count == 10)
        for (region, lines) in countries {
            let numberCount = lines.count { !$0.number.isEmpty }
            #expect(lines.count == 1000, "\(region)")
            #expect((500...900).contains(numberCount), "\(region): \(numberCount)")
        }
    }
}

import AddressBook
import CherishCore
import Testing

@testable import StoreFile

@Suite("11.8: GeoNames' postal codes")
struct PostcodeFileReaderTests {
    private func read(_ text: String) throws -> (codes: [String: Position], problems: [PostcodeFileReader.Problem]) {
        var reader = try PostcodeFileReader(ByteSource(name: "codes.txt", bytes: Array(text.utf8)))
        var problems: [PostcodeFileReader.Problem] = []
        while let line = try reader.readNext() {
            if case .failure(let problem) = line { problems.append(problem) }
        }
        return (reader.codes, problems)
    }

    private func line(_ country: String, _ code: String, _ latitude: String, _ longitude: String) -> String {
        "\(country)\t\(code)\t명동\tSeoul\t11\t\t\t\t\t\(latitude)\t\(longitude)\t4\n"
    }

    @Test("each code of a country once, in the middle of its places, across the 180th meridian too")
    func centres() throws {
        let read = try read(
            line("KR", "04524", "37.5", "127.0") + line("KR", "04524", "37.7", "127.2")
                + line("GB", "sw1a 1aa", "51.5", "-0.14")
                + line("PL", "00-950", "52", "21") + line("NZ", "9999", "-40", "179.9")
                + line("NZ", "9999", "-42", "-179.7"))
        #expect(read.problems == [])
        #expect(
            read.codes == [
                "KR04524": try #require(Position(latitude: 37.6, longitude: 127.1)),
                "GBSW1A1AA": try #require(Position(latitude: 51.5, longitude: -0.14)),
                "PL00950": try #require(Position(latitude: 52, longitude: 21)),
                "NZ9999": try #require(Position(latitude: -41, longitude: -179.9)),
            ])
    }

    @Test("other lines are refused one by one, with their number")
    func refusals() throws {
        let read = try read(
            "country\tcode\n" + line("KOR", "1", "1", "2") + "\n" + line("KR", "1!", "1", "2")
                + line("KR", "12345678901", "1", "2")
                + line("KR", "1", "91", "2") + line("KR", "1", "x", "2") + line("KR", "2", "1", "2").trimmingNewline)
        #expect(read.problems.map(\.line) == [1, 2, 4, 5, 6, 7])
        #expect(Array(read.codes.keys) == ["KR2"])
        for problem in read.problems { #expect(problem.reason.contains(": write")) }
    }
}

extension String {
    fileprivate var trimmingNewline: String { String(dropLast()) }
}

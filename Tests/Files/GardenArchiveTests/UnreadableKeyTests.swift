import Testing

@testable import GardenArchive

@Suite("An unknown key")
struct UnreadableKeyTests {
    /// Values that JSON or this machine cannot represent.
    static let values: [[UInt8]] = [
        Array(#""broken: "#.utf8) + [0xFF, UInt8(ascii: "\"")], Array("1e999".utf8), Array("-1e999".utf8),
        Array("[1e999]".utf8),
    ]

    @Test("is a problem of the document, whatever its value", arguments: UnreadableKeyTests.values)
    func newAccount(value: [UInt8]) {
        let beginning =
            #"{"account": {"email": "minji@example.com", "nickname": "민지", "timeZone": "Asia/Seoul"}, "more": "#
        let document = Array(beginning.utf8) + value + [UInt8(ascii: "}")]
        #expect(throws: ExportProblem.self) { _ = try ExportDocument.decode(document) }
    }

    @Test("is a problem in an exported account too", arguments: UnreadableKeyTests.values)
    func exported(value: [UInt8]) throws {
        let known = text(try fixture("account.json")).trimmingPrefix("{")
        let document = Array(#"{"more": "#.utf8) + value + Array(",\(known)".utf8)
        #expect(throws: ExportProblem.self) { _ = try ExportDocument.decode(document) }
    }
}

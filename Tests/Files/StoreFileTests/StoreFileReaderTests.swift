import AddressBook
import CherishCore
import StoreFile
import Testing

@Suite("10.9: files of stores")
struct StoreFileReaderTests {
    private func read(_ text: String) throws -> [(line: Int, record: Result<StoreRecord, StoreFileReader.Problem>)] {
        var reader = try StoreFileReader(ByteSource(name: "stores", bytes: Array(text.utf8)))
        var all: [(line: Int, record: Result<StoreRecord, StoreFileReader.Problem>)] = []
        while let next = try reader.next() { all.append(next) }
        return all
    }

    private func problems(_ text: String) throws -> [Int: String] {
        try read(text).reduce(into: [:]) { found, row in
            if case .failure(let problem) = row.record { found[row.line] = problem.reason }
        }
    }

    @Test("a table has a row for each place, in any order of columns")
    func table() throws {
        let rows = try read(
            """
            Country;name;Return Days;pickup_days;return_policy_url;latitude;longitude;address
            kr;교보문고;14;7;https://example.com/returns;37.5707;126.9779;"종로 1; 지하"
            KR;교보문고;14;7;https://example.com/returns;35.1595;129.0592;부산
            KR;Elsewhere;;;;;;
            """)
        let records = try rows.map { try $0.record.get() }
        #expect(records.map(\.name.description) == ["교보문고", "교보문고", "Elsewhere"])
        #expect(records.map(\.country.description) == ["KR", "KR", "KR"])
        #expect(records.map(\.returnDays) == [14, 14, nil])
        #expect(records.map(\.pickupDays) == [7, 7, nil])
        #expect(records[0].returnPolicyURL?.description == "https://example.com/returns")
        #expect(records[0].places?.map(\.address.description) == ["종로 1; 지하"])
        #expect(records[1].places?.first?.position == Position(latitude: 35.1595, longitude: 129.0592))
        // It has the columns of places, and names none.
        #expect(records[2].places?.isEmpty == true)
    }

    @Test("a table without columns of places says nothing of them")
    func withoutPlaces() throws {
        #expect(try read("name,country\nStore,KR\n").first?.record.get().places == nil)
    }

    @Test("JSON Lines have an object for each store, with the names of the API")
    func jsonLines() throws {
        let rows = try read(
            """
            {"id": "0D5C0A0E-6F0E-4A53-9D1C-4B8F2F6F9A11", "name": "Store", "country": "DE", "returnDays": 30}
            {"name": "Other", "country": "de", "places": [{"address": "1", "latitude": -90, "longitude": 180}]}
            """)
        let records = try rows.map { try $0.record.get() }
        #expect(records[0].id?.description == "0d5c0a0e-6f0e-4a53-9d1c-4b8f2f6f9a11")
        #expect(records[0].places == nil)
        #expect(records[1].places?.map(\.position.latitude) == [-90])
    }

    @Test("a broken row says what to write, and stops no other")
    func broken() throws {
        let found = try problems(
            """
            name,country,return_days,return_policy_url,address,latitude,longitude
            ,KR,,,,,
            Store,Korea,,,,,
            Store,KR,-1,,,,
            Store,KR,3651,,,,
            Store,KR,many,,,,
            Store,KR,,javascript:alert(1),,,
            Store,KR,,,Street 1,91,0
            Store,KR,,,Street 1,nan,0
            Store,KR,,,,37,127
            Store,KR,0,,,,
            """)
        #expect(found.keys.sorted() == Array(2...10))
        #expect(found[2]?.contains("name") == true)
        #expect(found[3]?.contains("KR") == true)
        #expect(found[4]?.contains("returning") == true)
        #expect(found[5]?.contains("3650") == true)
        #expect(found[6]?.contains("return_days is no number") == true)
        #expect(found[7]?.contains("https://") == true)
        #expect(found[8]?.contains("position") == true)
        #expect(found[9]?.contains("position") == true)
        #expect(found[10]?.contains("address") == true)
    }

    @Test("a broken line of JSON says what is wrong with it")
    func brokenJSON() throws {
        let found = try problems(
            """
            {"name": "Store"}
            {"name": "Store", "country": "KR", "returnDays": "thirty"}
            {"name": "Store", "country": "KR", "places": [{"address": "1", "latitude": "x", "longitude": 1}]}
            {"name": "Store", "country": "KR"
            {"name": "Store", "country": "KR"}
            """)
        #expect(found.keys.sorted() == [1, 2, 3, 4])
        #expect(found[1]?.hasPrefix("country is missing") == true)
        #expect(found[2]?.hasPrefix("returnDays has another form") == true)
        #expect(found[3]?.hasPrefix("places 1 latitude has another form") == true)
        #expect(found[4]?.hasPrefix("the line is no JSON object") == true)
    }

    @Test(
        "a table that is none of stores is refused as a whole",
        arguments: [
            "", "name\nStore\n", "name,country,address\nStore,KR,1\n", "name,country,name\nStore,KR,Store\n",
            "name,country,phone\nStore,KR,1\n", "\"name,country\nStore,KR\n",
        ])
    func refused(_ text: String) throws {
        #expect(throws: UnreadableFile.self) { try read(text) }
    }

    @Test("the link to a policy leads to a page")
    func links() {
        for text in ["https://example.com", "HTTP://example.com/a?b=c&d=%20", "https://[::1]/x"] {
            #expect(PolicyURL(text) != nil, "\(text)")
        }
        for text in [
            "", "example.com", "javascript:alert(1)", "https://", "https:// example.com", "https://a\"b", "https:///x",
            "data:text/html,x", "https://예.kr", "https://" + String(repeating: "a", count: 2_000),
        ] {
            #expect(PolicyURL(text) == nil, "\(text)")
        }
    }
}

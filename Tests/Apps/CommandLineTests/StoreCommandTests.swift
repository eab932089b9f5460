import CherishTestSupport
import Foundation
import Testing

/// The operator's catalogue of stores through the command line (rule 10.9).
@Suite("10.9: stores through the command line", .migratedDatabase)
struct StoreCommandTests {
    private let stores = """
        name,country,return_days,pickup_days,return_policy_url,address,latitude,longitude
        교보문고,KR,14,7,https://example.com/returns,"서울 종로구 종로 1",37.5707,126.9779
        교보문고,KR,14,7,https://example.com/returns,부산 중앙대로 672,35.1595,129.0592
        Corner,KR,,,,Somewhere,91,0

        """

    @Test("a catalogue is imported, found, used for a due day, and corrected")
    func life() async throws {
        try await withTemporaryFile("stores.csv") { file in
            try stores.write(to: file, atomically: true, encoding: .utf8)
            let path = file.path
            let rehearsed = try await Program.cherish.run("store", "import", path, "--dry-run")
            #expect(rehearsed.output.contains("would be: stores: 1 new\nplaces: 2 new\nrefused: 1\n  line 4: "))
            #expect(try await Program.cherish.run("store", "list").output.contains("no store yet"))
            let imported = try await Program.cherish.json("store", "import", path)
            #expect((imported["stores"] as? [String: Int])?["new"] == 1 && imported["dryRun"] as? Bool == false)
            #expect((imported["refused"] as? [[String: Any]])?.first?["line"] as? Int == 4)
            let again = try await Program.cherish.run("store", "import", path)
            #expect(again.output.contains("stores: 1 unchanged\nplaces: 2 unchanged"))
        }
        let listed = try await Program.cherish.json("store", "list", "--search", "교보")
        let store = try #require((listed["stores"] as? [[String: Any]])?.first)
        let id = try #require(store["id"] as? String)
        let shown = try await Program.cherish.run("store", "show", String(id.prefix(8)))
        #expect(shown.output.contains("returning  14 days") && shown.output.contains("https://example.com/returns"))
        let near = try await Program.cherish.json(
            "store", "show", "교보문고", "--near", "37.5665,126.978", "--radius", "5")
        let place = try #require((near["places"] as? [[String: Any]])?.first)
        #expect(place["address"] as? String == "서울 종로구 종로 1" && place["distanceKm"] as? Double == 0.47)
        let farther = try await Program.cherish.run(
            "store", "show", "교보문고", "--near", "-37.5,126.978")
        #expect(farther.output.contains("no place of 교보문고 within 10 km"))

        _ = try await Program.cherish.json(
            "account", "add", "--email", "minji@example.com", "--nickname", "민지", "--time-zone", "Asia/Seoul",
            "--language", "ko", "--now", "2027-03-01T08:00:00+09:00")
        let give = ["thing", "add", "minji@example.com", "--kind", "return", "--title", "책"]
        let now = ["--output", "json", "--now", "2027-03-01T08:00:00+09:00"]
        let thing = try await Program.cherish.run(
            give + ["--store", "교보문고", "--bought", "2027-03-01"] + now)
        let document = try thing.json()
        #expect(document["dueOn"] as? String == "2027-03-15" && document["storeId"] as? String == id)
        let thingID = try #require(document["id"] as? String)
        let seen = try await Program.cherish.run("thing", "show", thingID)
        #expect(seen.output.contains("store      교보문고 (KR)"))
        let unknown = try await Program.cherish.run(give + ["--store", "Nowhere", "--due", "2027-03-15"] + now)
        #expect(unknown.status == 64 || unknown.code == "store_unknown")
        let without = try await Program.cherish.run(give + ["--store", id] + now)
        #expect(without.code == "due_unknown")
        let edited = try await Program.cherish.run(["thing", "edit", thingID, "--store", ""] + now)
        #expect(try edited.json()["storeId"] is NSNull && edited.json()["dueOn"] as? String == "2027-03-15")
    }

    @Test(
        "typing mistakes are told",
        arguments: [
            ["store", "show", "Nowhere"], ["store", "show", "x", "--near", "91,0"],
            ["store", "show", "x", "--near", "1"],
            ["store", "show", "x", "--radius", "51"], ["store", "import", "/nowhere.csv"],
        ])
    func mistakes(_ arguments: [String]) async throws {
        let result = try await Program.cherish.run(arguments)
        #expect(result.status != 0 && !result.errors.isEmpty)
    }
}

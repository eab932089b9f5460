import AddressBook
import Testing

@Suite("Columns named by a map")
struct ColumnMapTests {
    /// Reads a table with a column map.
    private func read(_ text: String, columns: ColumnMap) throws -> Book {
        try withFile(Array(text.utf8)) { try readBook(path: $0, columns: columns) }
    }

    @Test(
        "Spaces, quotes and equals signs in a map",
        arguments: [
            ("name=who,phone=number", "who,number"), (" NAME = who , phone= number ", "who,number"),
            ("name=\"last, first\",phone=number", "\"last, first\",number"),
            ("name=\"the \"\"name\"\"\" , phone=a=b", "\"the \"\"name\"\"\",a=b"),
            ("name=Full  NAME,phone=\" Tel. \"", "full name,TEL."),
        ])
    func maps(map: String, header: String) throws {
        let columns = try ColumnMap(map)
        let book = try read("\(header)\nLinh,1\n", columns: columns)
        #expect(book.cards == [ContactCard(line: 2, name: "Linh", phones: ["1"])])
    }

    @Test("A field may be written with hyphens")
    func hyphens() throws {
        let columns = try ColumnMap("cycle-days=every,given-name=a,family-name=b")
        let book = try read("a,b,phone,every\nLinh,Nguyen,1,7\n", columns: columns)
        #expect(book.cards == [ContactCard(line: 2, name: "Linh Nguyen", phones: ["1"], cycleDays: "7")])
    }

    @Test(
        "An invalid map gives the reason",
        arguments: [
            ("", "\"\" has no ="), ("name", "\"name\" has no ="), ("name,phone=x", "\"name\" has no ="),
            ("name=x,", "\"\" has no ="), ("colour=x", "\"colour\" is nothing that a column can hold"),
            ("name=,phone=x", "name= names no column"), ("name=\"\"", "name= names no column"),
            ("name= ", "name= names no column"), ("name=x,name=y", "name is named twice"),
            ("cycle_days=x,cycle-days=y", "cycle_days is named twice"), ("name=\"x", "is never closed"),
            ("name=\"x\"y", "a comma is missing"),
        ])
    func invalid(map: String, reason: String) throws {
        let error = try #require(throws: InvalidColumnMap.self) { try ColumnMap(map) }
        #expect(error.reason.contains(reason))
        #expect(error.description == error.reason)
    }

    @Test("A mapped column overrides titles; other fields keep theirs")
    func precedence() throws {
        let table = "name,who,phone,mobile,Phone 1 - Value,fax,nickname,tags\nA,B,1,2,3,4,N,x;y\n"
        let byName = try read(table, columns: try ColumnMap("name=who"))
        #expect(
            byName.cards == [
                ContactCard(line: 2, name: "B", nickname: "N", phones: ["2", "1", "3"], tags: ["x", "y"])
            ])
        let byPhone = try read(table, columns: try ColumnMap("phone=fax,nickname=tags"))
        #expect(byPhone.cards == [ContactCard(line: 2, name: "A", nickname: "x;y", phones: ["4"])])
    }

    @Test("A map that repeats a title changes nothing")
    func unchanged() throws {
        let table = "name,Phone 1 - Value,Labels\nLinh,1 ::: 2,* myContacts ::: a\n"
        let columns = try ColumnMap("phone=Phone 1 - Value,tags=labels")
        let book = try read(table, columns: columns)
        #expect(book.cards == [ContactCard(line: 2, name: "Linh", phones: ["1", "2"], tags: ["a"])])
    }

    @Test("이름 is the given name next to a mapped family name")
    func familyName() throws {
        let book = try read("씨,이름,전화번호\n김,지우,1\n", columns: try ColumnMap("family_name=씨"))
        #expect(book.cards == [ContactCard(line: 2, name: "김지우", phones: ["1"])])
    }

    @Test("The cycle column can be named alone, and overridden")
    func cycleColumn() throws {
        let table = "name,phone,cycle,주기일,every\nLinh,1,3,7,10\n"
        let alone = try read(table, columns: ColumnMap.none.settingCycleColumn("주기일"))
        #expect(alone.cards.map(\.cycleDays) == ["7"])
        let columns = try ColumnMap("cycle_days=주기일,name=name").settingCycleColumn("Every")
        let again = try read(table, columns: columns)
        #expect(again.cards.map(\.cycleDays) == ["10"])
    }

    @Test("A mapped column that does not exist", arguments: ["성함", ""])
    func missing(title: String) throws {
        let columns = ColumnMap.none.settingCycleColumn(title)
        let error = try #require(throws: UnreadableFile.self) {
            try read("name,phone,\nLinh,1,\n", columns: columns)
        }
        #expect(error.reason.contains("no column \(title.debugDescription)"))
        #expect(error.reason.contains("cycle_days"))
        #expect(error.reason.contains("Found: \"name\", \"phone\""))
    }

    @Test(
        "a column marks favourites, as in an exported table",
        arguments: [("true", true), ("false", false), ("예", true), ("", false)])
    func favourite(text: String, isFavourite: Bool) throws {
        let book = try readBook("name,phone,favourite\n김지우,1,\(text)\n")
        #expect(book.cards.map(\.isFavourite) == [isFavourite])
    }
}

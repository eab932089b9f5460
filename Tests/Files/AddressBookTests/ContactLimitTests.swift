import AddressBook
import Testing

@Suite("Contacts with too many phones and tags")
struct ContactLimitTests {
    private let numbers = (1...1_000).map { "010-0000-\($0)" }
    private let tags = (1...1_000).map { "tag \($0)" }

    /// Expects one contact, with the first of the numbers and tags.
    private func expectFirst(in book: Book) throws {
        let card = try #require(book.cards.first)
        #expect(book.cards.count == 1)
        #expect(book.unreadable.isEmpty)
        #expect(card.name == "Linh")
        #expect(card.phones == Array(numbers.prefix(ContactCard.mostPhones)))
        #expect(card.tags == Array(tags.prefix(ContactCard.mostTags)))
    }

    @Test("A vCard, with categories in one property or many")
    func vCards() throws {
        let phones = numbers.map { "TEL:\($0)" }.joined(separator: "\r\n")
        try expectFirst(in: readBook(vCard("FN:Linh", phones, "CATEGORIES:" + tags.joined(separator: ","))))
        let categories = tags.map { "CATEGORIES:\($0)" }.joined(separator: "\r\n")
        try expectFirst(in: readBook(vCard("FN:Linh", phones, categories)))
    }

    @Test("Ignored numbers do not count, and the best of the others come first")
    func faxes() throws {
        let faxes = String(repeating: "TEL;TYPE=FAX:0\r\n", count: 1_000)
        let phones = numbers.map { "TEL:\($0)" }.joined(separator: "\r\n")
        let card = try contact(version: "3.0", faxes + "TEL: \r\nTEL:1\r\nTEL;TYPE=CELL:2\r\n" + phones)
        #expect(Array(card.phones.prefix(3)) == ["2", "1", "010-0000-1"])
        #expect(card.phones.count == ContactCard.mostPhones)
    }

    @Test("A table with all in one cell, with and without labels")
    func cells() throws {
        let phones = numbers.joined(separator: " ::: ")
        let googleTags = tags.joined(separator: " ::: ")
        let header = "First Name,Labels,Phone 1 - Label,Phone 1 - Value\n"
        try expectFirst(in: readBook("\(header)Linh,\(googleTags),Mobile,\(phones)\n"))
        try expectFirst(in: readBook("name,tags,phone\nLinh,\(tags.joined(separator: ";")),\(phones)\n"))
    }

    @Test("A table with a column for each")
    func columns() throws {
        let titles = ["name"] + numbers.map { _ in "phone" } + tags.map { _ in "tags" }
        let cells = ["Linh"] + numbers + tags
        let rows = [titles, cells].map { $0.joined(separator: ",") }
        try expectFirst(in: readBook(rows.joined(separator: "\n")))
    }

    @Test("JSON Lines")
    func jsonLines() throws {
        let lists = [numbers, tags].map { list in list.map { "\"\($0)\"" }.joined(separator: ",") }
        try expectFirst(in: readBook(#"{"name": "Linh", "phones": [\#(lists[0])], "tags": [\#(lists[1])]}"#))
    }
}

import AddressBook
import Testing

@Suite("vCard 4.0, and what services add to 3.0")
struct VCardNewVersionTests {
    @Test(
        "Phone numbers as URIs",
        arguments: [
            ("TEL;VALUE=uri:tel:+82-10-0000-0001;ext=12", "+82-10-0000-0001"),
            ("TEL;VALUE=uri:tel:010-0000-0001;phone-context=+82", "010-0000-0001"),
            ("TEL;VALUE=\"uri\":TEL:%2B82%2010%200000%200001", "+82 10 0000 0001"),
            ("TEL:tel:1%", "1%"), ("TEL:tel:1%FF", "tel:1%FF"), ("TEL;VALUE=text:1;2", "1;2"),
            ("TEL;VALUE=uri:sip:linh@example.com", "sip:linh@example.com"),
        ])
    func phoneAddresses(line: String, number: String) throws {
        #expect(try contact(version: "4.0", line).phones == [number])
    }

    @Test("Phones of one kind are ordered by preference: low numbers, then high ones, then none")
    func preference() throws {
        let card = try contact(
            version: "4.0", "TEL;TYPE=cell:none", "TEL;TYPE=cell;PREF=100:100", "TEL;TYPE=\"voice,cell\";PREF=2:2",
            "TEL;PREF=1;TYPE=home:home", "TEL;TYPE=cell;PREF=1:1", "TEL;TYPE=cell;PREF=1:1b", "TEL;TYPE=fax;PREF=1:fax",
            "TEL;TYPE=cell;PREF=first:odd")
        #expect(card.phones == ["1", "1b", "2", "100", "none", "odd", "home"])
    }

    @Test("The most preferred name counts, or else the first non-blank one")
    func names() throws {
        #expect(try contact(version: "4.0", "FN;ALTID=1:a", "FN;ALTID=1;PREF=2:b", "FN;PREF=1:c").name == "c")
        #expect(try contact(version: "4.0", "FN;ALTID=1;LANGUAGE=ko:가", "FN;ALTID=1;LANGUAGE=en:Ga").name == "가")
        #expect(try contact(version: "4.0", "FN;PREF=1: ", "FN:a").name == "a")
    }

    @Test("A group is not a person", arguments: ["KIND:group", "kind:Group", "X-ADDRESSBOOKSERVER-KIND:group"])
    func groups(line: String) throws {
        let book = try readBook(vCard("FN:Club", line, "MEMBER:urn:uuid:1") + vCard("FN:Emma", "KIND:individual"))
        #expect(book.cards.map(\.name) == ["Emma"])
        #expect(book.unreadable.isEmpty)
    }

    @Test("Categories, except those built into Google")
    func categories() throws {
        let card = try contact(
            version: "3.0", "CATEGORIES:myContacts,Friends,, ,family", #"CATEGORIES:STARRED,a\,b,식물 모임,friends"#)
        #expect(card.tags == ["Friends", "family", "a,b", "식물 모임", "friends"])
        #expect(try contact(version: "4.0", "CATEGORIES:coworkers, starred , mycontacts").tags == ["coworkers"])
        #expect(try contact(version: "2.1", "CATEGORIES;QUOTED-PRINTABLE:=EA=B0=80,b").tags == ["가", "b"])
    }

    @Test("Apple's label for a phone's group counts as its kind")
    func appleLabels() throws {
        let card = try contact(
            version: "3.0", "item1.TEL:1", "item1.X-ABLabel:_$!<Work>!$_", "item2.TEL:2",
            "ITEM2.X-ABLabel:_$!<Mobile>!$_", "item3.TEL:3", "item3.X-ABLabel:휴대폰", "item4.X-ABLabel:iPhone",
            "item4.TEL:4", "item5.TEL:5", "item5.X-ABLabel:_$!<HomeFAX>!$_", "item6.TEL:6", "item6.X-ABLabel:Pager",
            "item7.URL:7", "item7.X-ABLabel:Mobile", "TEL:8", "X-ABLabel:fax")
        #expect(card.phones == ["2", "3", "4", "1", "8"])
    }

    @Test("Unknown versions are refused card by card", arguments: ["5.0", "2.0", "1", "three"])
    func versions(version: String) throws {
        let card = "BEGIN:VCARD\nVERSION:\(version)\nFN:Linh\nEND:VCARD\n"
        let book = try readBook(card + vCard("FN:Emma"))
        #expect(book.cards.map(\.name) == ["Emma"])
        let reason = "vCard \(version.uppercased()) is not known: export as vCard 3.0"
        #expect(book.unreadable == [UnreadableContact(line: 1, reason: reason)])
    }
}

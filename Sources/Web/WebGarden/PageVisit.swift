import CherishCore
import CherishHTTP
import CherishService
import Foundation

/// Somebody who opens a page, or sends its form.
struct PageVisit: Sendable {
    let ask: Ask
    /// Who is signed in.
    let account: Account?
    /// The plants that were asked for, on a page that shows them.
    let garden: GardenGlanceView?
    /// What was sent: empty for a page that is opened.
    var form = Form()
    /// What is wrong with what was sent.
    var problem: Problem?

    /// - Parameter seesGarden: whether the page shows the garden, which is read with the account in one round trip.
    /// - Throws: ``PeopleError/notSignedIn`` for an account that has just been erased.
    init(_ ask: Ask, seesGarden: Bool = false) async throws {
        self.ask = ask
        do {
            let service = ask.visitor == nil ? nil : try await ask.garden()
            if seesGarden, let service { garden = try await GardenFilter(ask).glances(service) } else { garden = nil }
            if let garden { account = garden.account } else { account = try await service?.account() }
        } catch CareError.notFound(.account) {
            throw PeopleError.notSignedIn
        }
    }

    /// The account's language; otherwise the one that the visitor chose, or the browser prefers.
    var words: Words {
        Words(language: account?.language ?? LanguageCookie.language(of: ask) ?? ask.language)
    }

    /// Who is signed in.
    ///
    /// - Throws: ``PeopleError/notSignedIn``.
    func signedIn() throws -> Account {
        guard let account else { throw PeopleError.notSignedIn }
        return account
    }

    /// The path of the whole garden.
    var gardenPath: String { PageContent.Tab.garden.path(GardenAppearance(account)) }

    /// The first value of a parameter of the query.
    func query(_ name: String) -> String? { ask.query(name) }

    /// The id of the plant in the path.
    func plantID() throws -> String { try ask.id("plant", of: .plant) }

    /// What names the fact that the form records, so that it happens once (rule 14.3).
    var fact: Fact { Fact(id: form["id"].flatMap { UUID(uuidString: $0) }) }

    /// What a field shows: what was sent, or else a value.
    func shown(_ name: String, or value: String = "") -> String { form.isEmpty ? value : form[name] ?? "" }

    /// Whether a box is ticked: as it was sent, or else as said.
    func isTicked(_ name: String, or value: Bool, as text: String = "true") -> Bool {
        form.isEmpty ? value : form.all(name).contains(text)
    }
}

extension Ask {
    /// The first value of a parameter of the query.
    func query(_ name: String) -> String? { query.first { $0.0 == name }?.1 }
}

/// Remembers the language of somebody who is not signed in.
enum LanguageCookie {
    private static let name = "__Host-language"

    static func language(of ask: Ask) -> Language? {
        if let chosen = ask.query("language"), let language = Language(rawValue: chosen) {
            return language
        }
        return ask.cookie(name).flatMap { Language(rawValue: String($0)) }
    }

    /// The header that remembers a language for a year.
    static func header(_ language: Language) -> String {
        "\(name)=\(language.rawValue); Path=/; Max-Age=31536000; Secure; SameSite=Lax"
    }
}

/// A path of our own pages, to which somebody may be led.
struct OwnPath: Sendable {
    let text: String

    /// Another text becomes `/`, so that no link leads elsewhere.
    init(_ given: String?) {
        let isOwn = given.map { path in
            path.hasPrefix("/") && !path.hasPrefix("//") && path.utf8.count <= 2_000
                && path.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }
        }
        text = isOwn == true ? given ?? "/" : "/"
    }
}

import AddressBook
import CherishCore
import CherishStore
import Foundation

/// What became of one contact of a file.
public struct ImportRow: Sendable {
    /// The line of the file on which the contact begins.
    public let line: Int
    public let name: String?
    public let result: Result<ImportOutcome, ImportRefusal>
}

/// Why a contact was not taken.
public struct ImportRefusal: Error, Hashable, Sendable {
    public let code: String
    public let message: String
}

extension Engine {
    /// A phone number as people write it, read in the country of the account's time zone (`docs/command-line.md`).
    ///
    /// - Throws: ``CareError/invalidPhone(_:)``.
    public func phoneNumber(_ text: String, timeZone: String) throws(CareError) -> PhoneNumber {
        guard let e164 = PhoneNumberParser.e164(text, region: zones.country(of: timeZone)) else {
            throw .invalidPhone(text)
        }
        return try PhoneNumber(e164: e164)
    }

    /// Registers the contacts of an address book. Refuses contacts one by one and reports each.
    ///
    /// - Parameters:
    ///   - cycle: the cycle of contacts for which the file names none.
    ///   - restoring: whether friends that were removed before are brought back.
    ///   - isDryRun: only tells what would happen.
    ///   - progress: told now and then how many contacts were read.
    /// - Throws: ``UnreadableFile`` when the file cannot be read at all.
    public func importContacts(
        from path: String, to account: Account, cycle: Cycle, restoring: Bool, isDryRun: Bool,
        progress: (Int) -> Void = { _ in }
    ) async throws -> [ImportRow] {
        var rows: [ImportRow] = []
        var registrations: [Registration] = []
        // Where in `rows` the outcome of each registration belongs.
        var places: [Int] = []
        try AddressBookReader.read(path: path) { contact in
            if rows.count.isMultiple(of: 1000) { progress(rows.count) }
            switch contact {
            case .failure(let unreadable):
                let refusal = ImportRefusal(code: "unreadable_contact", message: unreadable.reason)
                rows.append(ImportRow(line: unreadable.line, name: nil, result: .failure(refusal)))
            case .success(let card):
                do throws(ImportRefusal) {
                    registrations.append(try registration(card, account: account, cycle: cycle))
                    places.append(rows.count)
                    rows.append(ImportRow(line: card.line, name: card.name, result: .success(.repeated)))
                } catch {
                    rows.append(ImportRow(line: card.line, name: card.name, result: .failure(error)))
                }
            }
        }
        progress(rows.count)
        let outcomes = try await store.importFriends(
            registrations, to: account.id, restoring: restoring, isDryRun: isDryRun)
        for (place, outcome) in zip(places, outcomes) {
            rows[place] = ImportRow(line: rows[place].line, name: rows[place].name, result: .success(outcome))
        }
        return rows
    }

    private func registration(_ card: ContactCard, account: Account, cycle: Cycle) throws(ImportRefusal) -> Registration
    {
        var days = cycle.days
        if let text = card.cycleDays {
            guard let number = Int(text.trimmingCharacters(in: .whitespaces)) else {
                throw ImportRefusal(
                    code: "invalid_cycle", message: "\"\(text)\" is no number of days; write one from 1 to 90")
            }
            days = number
        }
        do {
            return try checkedRegistration(card, account: account, cycle: try Cycle(days: days))
        } catch {
            throw ImportRefusal(code: error.code, message: error.description)
        }
    }

    private func checkedRegistration(_ card: ContactCard, account: Account, cycle: Cycle) throws(CareError)
        -> Registration
    {
        let name = try ContactName(card.name ?? "")
        var phone: PhoneNumber?
        // The first number that can be read; the best come first.
        for text in card.phones where phone == nil {
            phone = try? phoneNumber(text, timeZone: account.timeZone)
        }
        guard let phone else { throw .invalidPhone(card.phones.first ?? "") }
        var registration = Registration(
            name: name, phone: phone, nickname: try Nickname(card.nickname, for: name), birthday: nil, cycle: cycle)
        if let birthday = card.birthday { registration.birthday = try Birthday(birthday) }
        if let alarm = card.alarm { registration.alarmTime = try TimeOfDay(alarm: alarm) }
        return registration
    }
}

import CherishCore
import CherishStore
import Secrets

extension PeopleService {
    /// How many enquiries an account may send in a day.
    static let mostEnquiries = 5

    /// Whether the operator takes enquiries.
    public var takesEnquiries: Bool { enquiries != nil }

    /// Sends the operator a mail, which answers go back to the account's e-mail.
    ///
    /// - Throws: ``RequestError/enquiriesOff``, ``PeopleError/slowDown(seconds:)``.
    public func enquire(_ subject: String, _ message: String, of visitor: Visitor) async throws {
        guard let enquiries else { throw RequestError.enquiriesOff }
        let account = try await engine.store.garden(of: visitor.accountID).account()
        let wait = try await engine.store.people.takeDailyAttempt(
            SecretHash.sha256("enquiry \(account.id)"), limit: PeopleService.mostEnquiries)
        if wait > 0 { throw PeopleError.slowDown(seconds: wait) }
        let enquiry = Enquiry(subject: subject, message: message, account: account)
        messages.send(PersonalMessage(.enquiry(enquiry), to: enquiries, in: account.language))
    }
}

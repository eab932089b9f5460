import CherishCore
import Foundation

/// An account at Twilio.
public struct TwilioSettings: Sendable {
    /// Where Twilio answers.
    public static let production = "https://api.twilio.com"

    /// `AC…`
    public var accountSID: String
    public var authToken: Secret
    /// A number in E.164, a sender's name, or the id of a messaging service (`MG…`).
    public var from: String
    /// Another server for tests.
    public var url: String

    /// Describes an account.
    ///
    /// - Parameters:
    ///   - accountSID: `AC…`
    ///   - from: A number in E.164, a sender's name, or the id of a messaging service (`MG…`).
    ///   - url: Another server for tests.
    public init(accountSID: String, authToken: Secret, from: String, url: String = production) {
        self.accountSID = accountSID
        self.authToken = authToken
        self.from = from
        self.url = url
    }
}

/// Sends text messages through Twilio.
public final class TwilioSender: TextMessageSender {
    private let settings: TwilioSettings
    private let poster: HTTPPoster

    /// A sender for one account.
    public init(_ settings: TwilioSettings, transport: TextMessageTransport = TextMessageTransport()) {
        self.settings = settings
        poster = HTTPPoster(transport)
    }

    /// Returns once Twilio has taken the message.
    public func send(_ message: TextMessage) async throws(MailError) {
        let isService = settings.from.hasPrefix("MG") && settings.from.count == 34
        let sender = isService ? "MessagingServiceSid" : "From"
        let form = [("To", message.to.description), (sender, settings.from), ("Body", message.text)]
        let answer = try await poster.post(
            HTTPPoster.Request(
                url: "\(settings.url)/2010-04-01/Accounts/\(settings.accountSID.percentEncoded)/Messages.json",
                headers: ["content-type: application/x-www-form-urlencoded"],
                body: form.map { "\($0.0)=\($0.1.percentEncoded)" }.joined(separator: "&"),
                login: (settings.accountSID, settings.authToken)))
        if let error = TwilioSender.error(answer) { throw error }
    }

    /// Twilio's own numbers are listed at https://www.twilio.com/docs/api/errors.
    private static func error(_ answer: HTTPPoster.Answer) -> MailError? {
        struct Problem: Decodable {
            let code: Int
        }
        let problem = try? JSONDecoder().decode(Problem.self, from: Data(answer.body))
        return HTTPAnswers.error(
            status: answer.status, detail: (problem?.code).map(String.init), service: "Twilio")
    }
}

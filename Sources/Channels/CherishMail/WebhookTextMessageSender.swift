import CherishCore
import Crypto
import Foundation

/// Posts text messages to the operator's own server, signed according to Standard Webhooks
/// (github.com/standard-webhooks/standard-webhooks), like pushes to webhooks.
public final class WebhookTextMessageSender: TextMessageSender {
    private let url: String
    private let secret: WebhookSecret
    private let poster: HTTPPoster
    private let clock: @Sendable () -> Date

    /// - Parameters:
    ///   - url: The operator chose it, so it may lead into a network of its own.
    ///   - clock: The wall clock that the receiver compares with its own.
    public init(
        url: String, secret: WebhookSecret, transport: TextMessageTransport = TextMessageTransport(),
        clock: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.url = url
        self.secret = secret
        poster = HTTPPoster(transport)
        self.clock = clock
    }

    /// Returns once the server has answered with any 2xx.
    public func send(_ message: TextMessage) async throws(MailError) {
        let body = try WebhookTextMessageSender.payload(message)
        let answer = try await poster.post(
            HTTPPoster.Request(
                url: url, headers: headers(id: "msg_\(message.id.uuidString.lowercased())", body), body: body))
        if let error = HTTPAnswers.error(status: answer.status, service: "the webhook") { throw error }
    }

    private func headers(id: String, _ body: String) -> [String] {
        let seconds = String(Int(clock().timeIntervalSince1970))
        let code = HMAC<SHA256>.authenticationCode(
            for: Array("\(id).\(seconds).\(body)".utf8), using: SymmetricKey(data: secret.bytes))
        return [
            "content-type: application/json", "webhook-id: \(id)", "webhook-timestamp: \(seconds)",
            "webhook-signature: v1,\(Data(code).base64EncodedString())",
        ]
    }

    private static func payload(_ message: TextMessage) throws(MailError) -> String {
        struct Payload: Encodable {
            struct Message: Encodable {
                let text: String
                let to: String
            }
            let data: Message
            let timestamp: String
            let type = "text_message"

            private enum CodingKeys: CodingKey {
                case data, timestamp, type
            }
        }
        return try Payload(
            data: Payload.Message(text: message.text, to: message.to.description),
            timestamp: message.date.description
        ).jsonText()
    }
}

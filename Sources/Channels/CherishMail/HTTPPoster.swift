import CLibCurl
import Foundation

/// Posts to the services that send text messages.
final class HTTPPoster: Sendable {
    struct Request: Sendable {
        let url: String
        /// Like `content-type: application/json`.
        var headers: [String]
        let body: String
        /// For basic authentication.
        var login: (user: String, password: Secret)?
    }

    /// A status, and the beginning of the body.
    struct Answer: Sendable {
        let status: Int
        let body: [UInt8]
    }

    static let variable = "CHERISH_SMS"

    private let limits: TransferLimits
    private let threads: TransferThreads

    init(_ transport: TextMessageTransport) {
        limits = TransferLimits(
            connectTimeout: transport.connectTimeout, timeout: transport.timeout,
            certificatesPath: transport.certificatesPath)
        threads = TransferThreads(transport.concurrency)
    }

    /// Redirects are not followed: they would take the text elsewhere.
    ///
    /// - Throws: if there is no answer.
    func post(_ request: Request) async throws(MailError) -> Answer {
        let outcome = try await threads.limited { () async throws(MailError) in
            await threads.run { [limits] cancellation in
                do throws(TransferFailure) {
                    return try HTTPPoster.transfer(request, limits, cancellation).perform()
                } catch {
                    return CurlTransfer.Outcome(failure: error)
                }
            }
        }
        // A status counts, even if the body after it breaks off.
        if let failure = outcome.failure, outcome.status == 0 || failure == .cancelled {
            throw failure.error(variable: HTTPPoster.variable)
        }
        return Answer(status: outcome.status, body: outcome.body)
    }

    private static func transfer(
        _ request: Request, _ limits: TransferLimits, _ cancellation: Cancellation
    ) throws(TransferFailure) -> CurlTransfer {
        let transfer = try CurlTransfer(
            to: request.url, schemes: "https,http", limits: limits, cancellation: cancellation)
        try transfer.post(request.body)
        try transfer.set(CURLOPT_HTTPHEADER, to: request.headers + ["user-agent: cherish"])
        if let login = request.login {
            try transfer.set(CURLOPT_HTTPAUTH, to: 1)
            try transfer.set(CURLOPT_USERNAME, to: login.user)
            try transfer.set(CURLOPT_PASSWORD, to: login.password.text)
        }
        return transfer
    }
}

/// The consequence of each answer of a service that sends text messages.
enum HTTPAnswers {
    /// nil if the service took the message.
    ///
    /// - Parameters:
    ///   - service: its name, for the explanation.
    ///   - detail: the service's own number for what is wrong.
    static func error(status: Int, detail: String? = nil, service: String) -> MailError? {
        let numbers = [String(status), detail].compactMap(\.self).joined(separator: " ")
        switch status {
        case 200...299: return nil
        case 401, 403:
            return MailError(
                .permanent, .authentication, status: numbers,
                "\(service) refused the key or the secret; correct \(HTTPPoster.variable)")
        case 408, 425, 429, 500...599:
            return MailError(
                .temporary, .refused, status: numbers,
                "\(service) asks to try again later; if this goes on, look at its own status page or log")
        // Another server answered, or the URL is wrong.
        case ..<200, 300...399, 404, 405, 407, 410:
            return MailError(
                .permanent, .setting, status: numbers,
                "\(service) does not know the URL; correct \(HTTPPoster.variable)")
        default:
            return MailError(
                .permanent, .refused, status: numbers,
                "\(service) does not take this message, or none for its recipient; its own log says why")
        }
    }
}

extension String {
    /// The text within a URL or a form: everything but letters, digits and `-._~` as `%XX`.
    var percentEncoded: String {
        let plain = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return addingPercentEncoding(withAllowedCharacters: plain) ?? ""
    }
}

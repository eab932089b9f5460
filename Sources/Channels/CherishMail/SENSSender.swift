import CherishCore
import Crypto
import Foundation

/// A project of SENS, NAVER Cloud's service for text messages.
public struct SENSSettings: Sendable {
    /// Where SENS answers.
    public static let production = "https://sens.apigw.ntruss.com"

    public var accessKey: String
    public var secretKey: Secret
    /// `ncp:sms:kr:…`
    public var serviceID: String
    /// The number registered with SENS, in digits.
    public var from: String
    /// Another server for tests.
    public var url: String

    /// Describes a project.
    ///
    /// - Parameters:
    ///   - serviceID: `ncp:sms:kr:…`
    ///   - from: The number registered with SENS, in digits.
    ///   - url: Another server for tests.
    public init(accessKey: String, secretKey: Secret, serviceID: String, from: String, url: String = production) {
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.serviceID = serviceID
        self.from = from
        self.url = url
    }
}

/// Sends text messages through SENS.
public final class SENSSender: TextMessageSender {
    private let settings: SENSSettings
    private let poster: HTTPPoster
    private let clock: @Sendable () -> Date

    /// - Parameter clock: the wall clock, which SENS compares with its own.
    public init(
        _ settings: SENSSettings, transport: TextMessageTransport = TextMessageTransport(),
        clock: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.settings = settings
        poster = HTTPPoster(transport)
        self.clock = clock
    }

    /// Returns once SENS has taken the message.
    public func send(_ message: TextMessage) async throws(MailError) {
        let body = try SENSBody(message, from: settings.from).jsonText()
        // Colons separate the parts of a service's id, and have no other meaning in a path.
        let service = settings.serviceID.split(separator: ":", omittingEmptySubsequences: false)
            .map { String($0).percentEncoded }.joined(separator: ":")
        let path = "/sms/v2/services/\(service)/messages"
        let timestamp = String(Int(clock().timeIntervalSince1970 * 1000))
        let answer = try await poster.post(
            HTTPPoster.Request(
                url: settings.url + path,
                headers: [
                    "content-type: application/json; charset=utf-8",
                    "x-ncp-apigw-timestamp: \(timestamp)",
                    "x-ncp-iam-access-key: \(settings.accessKey)",
                    "x-ncp-apigw-signature-v2: \(signature(path: path, timestamp: timestamp))",
                ],
                body: body))
        if let error = SENSSender.error(answer) { throw error }
    }

    private func signature(path: String, timestamp: String) -> String {
        let signed = "POST \(path)\n\(timestamp)\n\(settings.accessKey)"
        let code = HMAC<SHA256>.authenticationCode(
            for: Array(signed.utf8), using: SymmetricKey(data: Array(settings.secretKey.text.utf8)))
        return Data(code).base64EncodedString()
    }

    /// The body of an answer has a status of its own.
    private static func error(_ answer: HTTPPoster.Answer) -> MailError? {
        struct Result: Decodable {
            let statusCode: String
        }
        let service = "SENS"
        let result = try? JSONDecoder().decode(Result.self, from: Data(answer.body))
        if let status = (result?.statusCode).flatMap(Int.init), (200...299).contains(answer.status) {
            return HTTPAnswers.error(status: status, service: service)
        }
        return HTTPAnswers.error(status: answer.status, service: service)
    }
}

/// What SENS wants to know about a message.
private struct SENSBody: Encodable {
    struct Recipient: Encodable {
        let to: String
    }

    /// The most of a message within Korea, in EUC-KR, where Korean letters have two bytes.
    private static let mostBytes = 90

    let type = "SMS"
    let contentType = "COMM"
    let countryCode: String
    let from: String
    let content: String
    let messages: [Recipient]

    private enum CodingKeys: CodingKey {
        case type, contentType, countryCode, from, content, messages
    }

    init(_ message: TextMessage, from: String) throws(MailError) {
        let number = NationalNumber(message.to)
        let byteCount = message.text.unicodeScalars.reduce(0) { $0 + ($1.isASCII ? 1 : 2) }
        if number.countryCode == "82", byteCount > SENSBody.mostBytes {
            throw MailError(
                .permanent, .message,
                "SENS takes at most \(SENSBody.mostBytes) bytes (45 Korean letters) within Korea; shorten the message")
        }
        countryCode = number.countryCode
        self.from = from
        content = message.text
        messages = [Recipient(to: number.digits)]
    }
}

/// A phone number as its own country writes it, beside the code of the country.
struct NationalNumber: Equatable {
    /// Country codes of one and of two digits (ITU-T E.164); all others have three.
    private static let shortCodes: Set<Substring> = [
        "1", "7", "20", "27", "30", "31", "32", "33", "34", "36", "39", "40", "41", "43", "44", "45", "46", "47", "48",
        "49", "51", "52", "53", "54", "55", "56", "57", "58", "60", "61", "62", "63", "64", "65", "66", "81", "82",
        "84", "86", "90", "91", "92", "93", "94", "95", "98",
    ]

    let countryCode: String
    /// With a leading zero in Korea; elsewhere, without what is dialled within the country only.
    let digits: String

    init(_ number: PhoneNumber) {
        let all = number.description.dropFirst()
        let length = (1...2).first { NationalNumber.shortCodes.contains(all.prefix($0)) } ?? 3
        countryCode = String(all.prefix(length))
        digits = (countryCode == "82" ? "0" : "") + all.dropFirst(length)
    }
}

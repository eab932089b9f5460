import CherishCore
import CherishMail
import CherishRuntime
import CherishService
import CherishStore
import Foundation
import Logging
import Metrics
import ServiceLifecycle
import Synchronization

/// Sends codes and enquiries by mail, and codes by text message, in the background. The service ends when what was taken has been sent.
final class PersonalMessages: PersonalMessageSender, Service {
    /// More are dropped: whoever asks for so many is no person, and people ask again.
    private static let mostUnderway = 1_000

    private let mails: any MailSender
    private let from: Mailbox
    private let textMessages: any TextMessageSender
    private let logger: Logger
    /// Messages that were taken and are not sent yet.
    private let underway = Atomic<Int>(0)
    private let waiting: AsyncStream<PersonalMessage>
    private let entrance: AsyncStream<PersonalMessage>.Continuation

    /// - Throws: ``SettingError`` for an unusable `CHERISH_MAIL` or `CHERISH_SMS`.
    init(_ settings: Settings, logger: Logger) throws {
        var environment = ProcessInfo.processInfo.environment
        for (variable, name) in [("CHERISH_MAIL", "mail"), ("CHERISH_SMS", "sms")]
        where environment[variable]?.isEmpty ?? true {
            let path = PersonalMessages.fallback(name, settings)
            environment[variable] = "jsonl:\(path)"
            logger.warning("\(variable) is not set: such codes go to a file", metadata: ["file": "\(path)"])
        }
        let (mail, text) = (
            try PersonalMessages.setting("CHERISH_MAIL", try MailSettings(environment: environment)),
            try PersonalMessages.setting("CHERISH_SMS", try TextMessageSettings(environment: environment))
        )
        (mails, from, textMessages, self.logger) = (mail.sender(), mail.from, text.sender(), logger)
        (waiting, entrance) = AsyncStream.makeStream()
    }

    private static func setting<Value>(
        _ variable: String, _ value: @autoclosure () throws(MessageSettingError) -> Value?
    ) throws -> Value {
        do throws(MessageSettingError) {
            if let value = try value() { return value }
        } catch {
            throw SettingError(variable: error.variable, problem: error.problem)
        }
        throw SettingError(variable: variable, problem: "it is empty")
    }

    /// A file beside the private cluster, or in the working directory of a service with a database of its own.
    private static func fallback(_ name: String, _ settings: Settings) -> String {
        switch settings.database {
        case .privateCluster(let home): "\(home)/\(name).jsonl"
        case .server: "\(FileManager.default.currentDirectoryPath)/cherish-\(name).jsonl"
        }
    }

    func send(_ message: PersonalMessage) {
        guard underway.wrappingAdd(1, ordering: .relaxed).newValue <= PersonalMessages.mostUnderway else {
            underway.wrappingSubtract(1, ordering: .relaxed)
            logger.error("too many messages are waiting; one was dropped")
            return PersonalMessages.count("dropped")
        }
        entrance.yield(message)
    }

    func run() async throws {
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                // The sender limits how many it sends at once. One that is put off for minutes must not hold up others.
                for await message in waiting { group.addTask { await self.deliver(message) } }
            }
        } onGracefulShutdown: {
            self.entrance.finish()
        }
    }

    private static func count(_ outcome: String) {
        Counter(label: "cherish_personal_messages_total", dimensions: [("outcome", outcome)]).increment()
    }

    private func deliver(_ message: PersonalMessage) async {
        defer { underway.wrappingSubtract(1, ordering: .relaxed) }
        do throws(MailError) {
            let (id, date) = (UUID(), Instant(secondsSinceEpoch: Int64(Date().timeIntervalSince1970)))
            switch message.recipient {
            case .email(let address):
                try await mails.send(
                    try Mail(
                        id: id, date: date, from: from, to: address, replyTo: message.replyTo,
                        subject: message.subject, text: message.text))
            case .phone(let phone):
                try await textMessages.send(TextMessage(id: id, date: date, to: phone, text: message.text))
            }
            PersonalMessages.count("sent")
        } catch {
            PersonalMessages.count("failed")
            // Neither the recipient nor the code belongs into the log.
            logger.error("a message could not be sent", metadata: ["error": "\(error)"])
        }
    }
}

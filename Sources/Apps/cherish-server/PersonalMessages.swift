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

/// Sends codes and enquiries by mail, in the background. The service ends when what was taken has been sent.
final class PersonalMessages: PersonalMessageSender, Service {
    /// More are dropped: whoever asks for so many is no person, and people ask again.
    private static let mostUnderway = 1_000

    private let sender: any MailSender
    private let from: Mailbox
    private let logger: Logger
    /// Messages that were taken and are not sent yet.
    private let underway = Atomic<Int>(0)
    private let waiting: AsyncStream<PersonalMessage>
    private let entrance: AsyncStream<PersonalMessage>.Continuation

    /// - Throws: ``SettingError`` for an unusable `CHERISH_MAIL`.
    init(_ settings: Settings, logger: Logger) throws {
        var environment = ProcessInfo.processInfo.environment
        if environment["CHERISH_MAIL"]?.isEmpty ?? true {
            let path = PersonalMessages.fallback(settings)
            environment["CHERISH_MAIL"] = "jsonl:\(path)"
            logger.warning(
                "no mail is sent: codes go to a file; set CHERISH_MAIL", metadata: ["file": "\(path)"])
        }
        let mail = try PersonalMessages.settings(environment)
        (sender, from, self.logger) = (mail.sender(), mail.from, logger)
        (waiting, entrance) = AsyncStream.makeStream()
    }

    private static func settings(_ environment: [String: String]) throws -> MailSettings {
        do throws(MessageSettingError) {
            if let settings = try MailSettings(environment: environment) { return settings }
        } catch {
            throw SettingError(variable: error.variable, problem: error.problem)
        }
        throw SettingError(variable: "CHERISH_MAIL", problem: "it is empty")
    }

    /// A file beside the private cluster, or in the working directory of a service with a database of its own.
    private static func fallback(_ settings: Settings) -> String {
        switch settings.database {
        case .privateCluster(let home): "\(home)/mail.jsonl"
        case .server: "\(FileManager.default.currentDirectoryPath)/cherish-mail.jsonl"
        }
    }

    func send(_ message: PersonalMessage) {
        guard underway.wrappingAdd(1, ordering: .relaxed).newValue <= PersonalMessages.mostUnderway else {
            underway.wrappingSubtract(1, ordering: .relaxed)
            logger.error("too many mails are waiting; one was dropped")
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
            let mail = try Mail(
                id: UUID(), date: Instant(secondsSinceEpoch: Int64(Date().timeIntervalSince1970)), from: from,
                to: message.recipient, replyTo: message.replyTo, subject: message.subject, text: message.text)
            try await sender.send(mail)
            PersonalMessages.count("sent")
        } catch {
            PersonalMessages.count("failed")
            // Neither the recipient nor the code belongs into the log.
            logger.error("a mail could not be sent", metadata: ["error": "\(error)"])
        }
    }
}

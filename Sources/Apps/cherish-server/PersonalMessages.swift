import CherishCore
import CherishMail
import CherishRuntime
import CherishService
import CherishStore
import Foundation
import Logging
import Metrics
import ServiceLifecycle

/// Sends codes by mail, in the background. The service ends when what was taken has been sent.
final class PersonalMessages: PersonalMessageSender, Service {
    /// More are dropped: whoever asks for so many is no person, and people ask again.
    private static let mostWaiting = 10_000

    /// A slow mail server for one person must not hold up the others' mails.
    private static let mostAtOnce = 4

    private let sender: any MailSender
    private let from: Mailbox
    private let logger: Logger
    private let waiting: AsyncStream<PersonalMessage>
    private let entrance: AsyncStream<PersonalMessage>.Continuation

    /// - Throws: ``MessageSettingError`` for an unusable `CHERISH_MAIL`.
    init(_ settings: Settings, logger: Logger) throws {
        var environment = ProcessInfo.processInfo.environment
        if environment["CHERISH_MAIL"]?.isEmpty ?? true {
            let path = PersonalMessages.fallback(settings)
            environment["CHERISH_MAIL"] = "jsonl:\(path)"
            logger.warning(
                "no mail is sent: codes go to a file; set CHERISH_MAIL", metadata: ["file": "\(path)"])
        }
        guard let mail = try MailSettings(environment: environment) else {
            throw SettingError(variable: "CHERISH_MAIL", problem: "it is empty")
        }
        (sender, from, self.logger) = (mail.sender(), mail.from, logger)
        (waiting, entrance) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(PersonalMessages.mostWaiting))
    }

    /// A file beside the private cluster, or in the working directory of a service with a database of its own.
    private static func fallback(_ settings: Settings) -> String {
        switch settings.database {
        case .privateCluster(let home): "\(home)/mail.jsonl"
        case .server: "\(FileManager.default.currentDirectoryPath)/cherish-mail.jsonl"
        }
    }

    func send(_ message: PersonalMessage) {
        if case .dropped = entrance.yield(message) {
            logger.error("too many mails are waiting; the oldest was dropped")
            PersonalMessages.count("dropped")
        }
    }

    func run() async throws {
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                let places = Places(PersonalMessages.mostAtOnce)
                for await message in waiting {
                    await places.take()
                    group.addTask {
                        await self.deliver(message)
                        await places.giveBack()
                    }
                }
            }
        } onGracefulShutdown: {
            self.entrance.finish()
        }
    }

    private static func count(_ outcome: String) {
        Counter(label: "cherish_personal_messages_total", dimensions: [("outcome", outcome)]).increment()
    }

    private func deliver(_ message: PersonalMessage) async {
        do throws(MailError) {
            let mail = try Mail(
                id: UUID(), date: Instant(secondsSinceEpoch: Int64(Date().timeIntervalSince1970)), from: from,
                to: message.recipient, subject: message.subject, text: message.text)
            try await sender.send(mail)
            PersonalMessages.count("sent")
        } catch {
            PersonalMessages.count("failed")
            // Neither the recipient nor the code belongs into the log.
            logger.error("a mail could not be sent", metadata: ["error": "\(error)"])
        }
    }
}

/// Limits how much happens at once.
private actor Places {
    private var free: Int
    private var line: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) {
        free = count
    }

    func take() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { line.append($0) }
        }
    }

    func giveBack() {
        if line.isEmpty { free += 1 } else { line.removeFirst().resume() }
    }
}

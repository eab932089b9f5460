import CherishCore
import Foundation

/// The outcome of sending one job's push.
public enum SendResult: Sendable, Hashable {
    case delivered
    /// Try again. The error holds no personal data.
    case retry(error: String)
    /// It will never be accepted.
    case refused
}

/// Receives the push of every job, whether or not its account has a device: a file or a terminal.
public protocol PushSender: Sendable {
    /// Sends a batch and returns one result per message, in order. "Delivered" means durable.
    func send(_ messages: [PushMessage], at now: Instant) async -> [SendResult]
}

/// Writes each push as a human-readable line to a file descriptor.
public struct LineSender: PushSender {
    private let output: AppendingFile

    /// - Parameter descriptor: Standard output, or standard error if a document goes to standard output.
    public init(descriptor: Int32) {
        output = AppendingFile(descriptor: descriptor)
    }

    /// Writes one line per push.
    public func send(_ messages: [PushMessage], at now: Instant) async -> [SendResult] {
        let lines = messages.map { message in
            let text = message.text
            return "push \(message.topic) \(message.occursOn): \(text.title) — \(text.body) <\(message.link)>"
        }
        return await output.append(lines).results(messages.count)
    }
}

/// Appends each push as a line of JSON to a file that several programs may share.
public struct JSONLinesSender: PushSender {
    private let output: AppendingFile

    public init(path: String) {
        output = AppendingFile(path: path)
    }

    /// - Parameter descriptor: An open file, such as standard output.
    public init(descriptor: Int32) {
        output = AppendingFile(descriptor: descriptor)
    }

    /// Appends the batch. In a regular file, either all of it is on disk afterwards or nothing.
    public func send(_ messages: [PushMessage], at now: Instant) async -> [SendResult] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            let lines = try messages.map { String(decoding: try encoder.encode(Line($0, now)), as: UTF8.self) }
            return await output.append(lines).results(messages.count)
        } catch {
            return messages.map { _ in .refused }
        }
    }

    /// The keys documented in `docs/command-line.md`, "Where pushes go".
    private struct Line: Encodable {
        let message: PushMessage
        let now: Instant

        init(_ message: PushMessage, _ now: Instant) {
            self.message = message
            self.now = now
        }

        private enum Key: String, CodingKey {
            case accountId, plantId, kind, occursOn, title, body, link, deviceToken, collapseId, sentAt
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            let text = message.text
            try container.encode(message.accountID.description, forKey: .accountId)
            try container.encode(message.subjectID.description, forKey: .plantId)
            try container.encode(message.topic.label, forKey: .kind)
            try container.encode(message.occursOn.description, forKey: .occursOn)
            try container.encode(text.title, forKey: .title)
            try container.encode(text.body, forKey: .body)
            try container.encode(message.link, forKey: .link)
            // Always present; null without a device.
            try container.encode(message.deviceToken, forKey: .deviceToken)
            try container.encode(message.collapseID, forKey: .collapseId)
            try container.encode(now.description, forKey: .sentAt)
        }
    }
}

extension AppendingFile.Outcome {
    fileprivate func results(_ count: Int) -> [SendResult] {
        switch self {
        case .written: Array(repeating: .delivered, count: count)
        case .failed(let error): Array(repeating: .retry(error: error), count: count)
        }
    }
}

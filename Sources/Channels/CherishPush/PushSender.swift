import CherishCore

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
            return "push \(message.topic) \(message.occursOn): \(text.title) — \(text.body) <\(message.link)>\n"
        }
        return await output.append(Array(lines.joined().utf8)).results(messages.count)
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
        var lines = JSONWriter(capacity: messages.count * 512)
        for message in messages {
            lines.write(message, sentAt: now)
            lines.newLine()
        }
        return await output.append(lines.bytes).results(messages.count)
    }
}

extension JSONWriter {
    /// Writes the keys documented in `docs/command-line.md`, "Where pushes go".
    fileprivate mutating func write(_ message: PushMessage, sentAt now: Instant) {
        let text = message.text
        object { json in
            json.member("accountId", message.accountID)
            json.member("body", text.body)
            json.member("collapseId", message.collapseID)
            // Always present; null without a device.
            json.member("deviceToken", message.deviceToken)
            json.member("kind", message.topic.label)
            json.member("link", message.link)
            json.member("occursOn", message.occursOn)
            let subject = message.topic.subject
            json.member("plantId", subject == "plant" ? message.subjectID.description : nil)
            json.member("sentAt", now)
            json.member("subject", subject)
            json.member("subjectId", message.subjectID)
            json.member("title", text.title)
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

import CherishCore
import Foundation
import Testing

@testable import CherishMail

@Suite("Messages in a file")
struct FileSenderTests {
    private func lines(_ path: String) throws -> [[String: String]] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: true)
            .map { try JSONDecoder().decode([String: String].self, from: Data($0.utf8)) }
    }

    private func permissions(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? NSNumber).intValue
    }

    private func refusal(_ path: String) async throws -> MailError {
        let mail = try sample()
        let error = try await failure { () async throws(MailError) in try await FileMailSender(path: path).send(mail) }
        #expect(error.code == .file)
        #expect(!"\(error)".contains("minji") && !"\(error)".contains("123456"))
        return error
    }

    @Test("one object a line, in a file that only its owner may read")
    func appends() async throws {
        try await withFolder { folder in
            let path = folder.path + "/messages.jsonl"
            let text = "한 줄\n\"두\" 줄\\\u{2028}</a>\r\n\u{0}"
            try await FileMailSender(path: path).send(try sample(subject: "가입 코드\n", text: text))
            try await FileTextMessageSender(path: path).send(try sampleText(text: text))
            #expect(
                try lines(path) == [
                    ["at": "2027-03-02T00:00:00Z", "subject": "가입 코드 ", "text": text, "to": "minji@example.com"],
                    ["at": "2027-03-02T00:00:00Z", "text": text, "to": "+821012345678"],
                ])
            #expect(try permissions(path) == 0o600)
        }
    }

    @Test("concurrent senders keep lines whole")
    func concurrent() async throws {
        try await withFolder { folder in
            let path = folder.path + "/messages.jsonl"
            let senders = (0..<4).map { _ in FileMailSender(path: path) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<100 {
                    // Longer than a page.
                    let mail = try sample(subject: "\(number)", text: String(repeating: "가", count: 3000))
                    group.addTask { try await senders[number % 4].send(mail) }
                }
                try await group.waitForAll()
            }
            #expect(Set(try lines(path).compactMap { $0["subject"] }) == Set((0..<100).map(String.init)))
            #expect(try lines(path).count == 100)
        }
    }

    @Test(
        "a file that others may read or change is refused, and stays as it is", arguments: [0o644, 0o640, 0o620, 0o602])
    func open(mode: Int) async throws {
        try await withFolder { folder in
            let path = folder.path + "/messages.jsonl"
            try Data("{}\n".utf8).write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            let error = try await refusal(path)
            #expect(error.outlook == .permanent)
            #expect(error.explanation.contains("chmod 600"))
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "{}\n")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            try await FileMailSender(path: path).send(try sample())
            #expect(try lines(path).count == 2)
        }
    }

    @Test("a link, a device, a FIFO and a folder are refused")
    func otherThings() async throws {
        try await withFolder { folder in
            let target = folder.path + "/target"
            try Data().write(to: URL(fileURLWithPath: target))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: target)
            let link = folder.path + "/link"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
            #expect(try await refusal(link).outlook == .permanent)
            let fifo = folder.path + "/fifo"
            try #require(mkfifo(fifo, 0o600) == 0)
            #expect(try await refusal(fifo).outlook == .permanent)
            #expect(try await refusal("/dev/null").outlook == .permanent)
            #expect(try await refusal(folder.path).explanation.contains("Is a directory"))
            #expect(try await refusal(folder.path + "/missing/messages.jsonl").outlook == .temporary)
        }
    }

    @Test("half a line of a killed program is ended first")
    func halfLine() async throws {
        try await withFolder { folder in
            let path = folder.path + "/messages.jsonl"
            try Data(#"{"at":"20"#.utf8).write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            for _ in 1...2 { try await FileMailSender(path: path).send(try sample()) }
            let written = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
            #expect(written.count == 3)
            #expect(written.first == #"{"at":"20"#)
        }
    }
}

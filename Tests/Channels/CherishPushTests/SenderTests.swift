import CherishCore
import CherishPush
import Foundation
import Glibc
import Testing

/// The decoded fields of a line.
private struct Line: Decodable {
    let title: String
    let collapseId: String
}

private func decode(_ line: String) throws -> Line {
    try JSONDecoder().decode(Line.self, from: Data(line.utf8))
}

@Suite("The sender of JSON lines")
struct JSONLinesSenderTests {
    @Test("writes all names of docs/command-line.md, with null for a missing device")
    func names() async throws {
        try await withPath { path in
            let sender = JSONLinesSender(path: path)
            let results = await sender.send([try message(), try message(deviceToken: "token")], at: try now())
            #expect(results == [.delivered, .delivered])
            func line(_ deviceToken: String) -> String {
                #"{"accountId":"5eed0000-0000-4000-8000-000000000007","#
                    + #""body":"함께한 지 1일째, 오늘은 민들레에 물을 주는 날이에요. 반가운 목소리를 들려주세요.","#
                    + #""collapseId":"cherish-7-1","deviceToken":\#(deviceToken),"kind":"watering_due","#
                    + #""link":"cherish://plants/11110000-0000-5000-8000-000000000001/water","#
                    + #""occursOn":"2027-03-02","plantId":"11110000-0000-5000-8000-000000000001","#
                    + #""sentAt":"2027-03-02T00:00:00Z","subject":"plant","#
                    + #""subjectId":"11110000-0000-5000-8000-000000000001","title":"하나가 물을 기다려요"}"#
            }
            #expect(try lines(path) == [line("null"), line("\"token\"")])
        }
    }

    @Test("preserves every nickname, whatever its characters mean in JSON")
    func unicode() async throws {
        let nicknames = [
            "민지👨‍👩‍👧‍👦", "\"따옴표\"", "back\\slash", "{\"a\":1}", "é", "한글\u{1112}\u{1161}\u{11AB}", "a/b</script>",
            "\u{202E}우향", "🏴󠁧󠁢󠁳󠁣󠁴󠁿",
        ]
        try await withPath { path in
            let messages = try nicknames.map { try message(topic: .withered, language: .english, nickname: $0) }
            let results = await JSONLinesSender(path: path).send(messages, at: try now())
            #expect(results == Array(repeating: SendResult.delivered, count: nicknames.count))
            let titles = try lines(path).map { try decode($0).title }
            #expect(titles == messages.map(\.text.title))
        }
    }

    @Test("appends to existing lines, and nothing if there is nothing to send")
    func appends() async throws {
        try await withPath { path in
            let empty = await JSONLinesSender(path: path).send([], at: try now())
            #expect(empty.isEmpty)
            #expect(!FileManager.default.fileExists(atPath: path))
            for number in 1...3 {
                _ = await JSONLinesSender(path: path).send([try message(seq: number)], at: try now())
            }
            #expect(try lines(path).map { try decode($0).collapseId } == ["cherish-7-1", "cherish-7-2", "cherish-7-3"])
        }
    }

    @Test("four concurrent senders keep lines whole and batches contiguous")
    func concurrent() async throws {
        try await withPath { path in
            let batches = 10
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 1...4 {
                    group.addTask {
                        let sender = JSONLinesSender(path: path)
                        for batch in 1...batches {
                            // Long lines, so that a batch exceeds a page.
                            let messages = try (1...5).map { place in
                                try message(
                                    deviceToken: String(repeating: "가", count: 1000),
                                    seq: writer * 1000 + batch * 10 + place)
                            }
                            let results = await sender.send(messages, at: try now())
                            #expect(results == Array(repeating: SendResult.delivered, count: 5))
                        }
                    }
                }
                try await group.waitForAll()
            }
            let written = try lines(path).map { try decode($0).collapseId }
            try #require(written.count == 4 * batches * 5)
            #expect(Set(written).count == written.count)
            for start in stride(from: 0, to: written.count, by: 5) {
                let name = written[start].dropLast()
                #expect(Array(written[start..<start + 5]) == (1...5).map { "\(name)\($0)" })
            }
        }
    }

    @Test("one sender keeps the batches of concurrent lanes contiguous, and answers each of them")
    func sharedSender() async throws {
        try await withPath { path in
            let sender = JSONLinesSender(path: path)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for batch in 1...100 {
                    group.addTask {
                        let messages = try (0...9).map { try message(seq: batch * 10 + $0) }
                        let results = await sender.send(messages, at: try now())
                        #expect(results == Array(repeating: SendResult.delivered, count: 10))
                    }
                }
                try await group.waitForAll()
            }
            let written = try lines(path).map { try decode($0).collapseId }
            try #require(Set(written).count == 1000 && written.count == 1000)
            for start in stride(from: 0, to: written.count, by: 10) {
                let name = written[start].dropLast()
                #expect(Array(written[start..<start + 10]) == (0...9).map { "\(name)\($0)" })
            }
        }
    }

    @Test("terminates a half-written line of a crashed writer before its own")
    func halfLine() async throws {
        try await withPath { path in
            try #"{"accountId":"5eed"#.write(toFile: path, atomically: false, encoding: .utf8)
            for _ in 1...2 { _ = await JSONLinesSender(path: path).send([try message()], at: try now()) }
            let written = try lines(path)
            #expect(written.count == 3)
            #expect(written.first == #"{"accountId":"5eed"#)
            for line in written.dropFirst() { #expect(try decode(line).collapseId == "cherish-7-1") }
        }
    }

    @Test("asks to retry all pushes if the file cannot be written, and leaves nothing behind")
    func unwritable() async throws {
        try await withPath { path in
            let missing = path + ".d/pushes.jsonl"
            let results = await JSONLinesSender(path: missing).send([try message(), try message()], at: try now())
            #expect(results == Array(repeating: SendResult.retry(error: "No such file or directory"), count: 2))
            #expect(!FileManager.default.fileExists(atPath: path + ".d"))

            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            let onDirectory = await JSONLinesSender(path: path).send([try message()], at: try now())
            #expect(onDirectory == [.retry(error: "Is a directory")])
            #expect(try FileManager.default.contentsOfDirectory(atPath: path).isEmpty)
        }
    }

    @Test(
        "asks to retry if the disk is full", .enabled(if: FileManager.default.isWritableFile(atPath: "/dev/full")))
    func fullDisk() async throws {
        let results = await JSONLinesSender(path: "/dev/full").send([try message(), try message()], at: try now())
        #expect(results == Array(repeating: SendResult.retry(error: "No space left on device"), count: 2))
    }

    @Test("accepts /dev/null as a file")
    func nowhere() async throws {
        let results = await JSONLinesSender(path: "/dev/null").send([try message()], at: try now())
        #expect(results == [.delivered])
    }

    @Test("writes to a FIFO's reader, and asks to retry without one")
    func fifo() async throws {
        try await withPath { path in
            try #require(mkfifo(path, 0o600) == 0)
            let unread = await JSONLinesSender(path: path).send([try message()], at: try now())
            #expect(unread == [.retry(error: "No such device or address")])
            let reader = open(path, O_RDONLY | O_NONBLOCK)
            try #require(reader >= 0)
            defer { close(reader) }
            let taken = await JSONLinesSender(path: path).send([try message()], at: try now())
            #expect(taken == [.delivered])
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = read(reader, &bytes, bytes.count)
            #expect(try decode(String(decoding: bytes[..<max(count, 0)], as: UTF8.self)).collapseId == "cherish-7-1")
        }
    }

    @Test("creates a file that only its owner may read: it contains names")
    func permissions() async throws {
        try await withPath { path in
            _ = await JSONLinesSender(path: path).send([try message()], at: try now())
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            let permissions = try #require(attributes[.posixPermissions] as? NSNumber)
            #expect(permissions.intValue & 0o077 == 0)
        }
    }
}

@Suite("The sender of lines for people")
struct LineSenderTests {
    @Test("writes kind, day, text and link of each push on a line")
    func lines() async throws {
        try await withPath { path in
            let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
            try #require(descriptor >= 0)
            defer { close(descriptor) }
            let sender = LineSender(descriptor: descriptor)
            let messages = [try message(), try message(topic: .reviewMissing, language: .english, nickname: "Hana")]
            let results = await sender.send(messages, at: try now())
            #expect(results == [.delivered, .delivered])
            #expect(
                try content(path) == """
                    push watering_due 2027-03-02: 하나가 물을 기다려요 — \
                    함께한 지 1일째, 오늘은 민들레에 물을 주는 날이에요. 반가운 목소리를 들려주세요. \
                    <cherish://plants/11110000-0000-5000-8000-000000000001/water>
                    push review_missing 2027-03-02: How was it with Hana? — \
                    Keep it in three keywords before it slips away. \
                    <cherish://plants/11110000-0000-5000-8000-000000000001/review>

                    """)
        }
    }

    @Test("asks to retry all pushes if its output is closed")
    func closed() async throws {
        let results = await LineSender(descriptor: -1).send([try message(), try message()], at: try now())
        #expect(results == Array(repeating: SendResult.retry(error: "Bad file descriptor"), count: 2))
    }

    @Test("writes nothing for no pushes")
    func empty() async throws {
        let results = await LineSender(descriptor: -1).send([], at: try now())
        #expect(results.isEmpty)
    }
}

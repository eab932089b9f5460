import CherishClient
import Foundation

/// Lets a program drive a device over standard input and output, in lines of JSON: what it should do, and how the server answers.
/// So the program decides what the network, the clock and the storage do. With arguments, it follows a garden instead:
///
///     cherish-device SERVER TOKEN FILE
@main
enum Main {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.count == 3, let server = URL(string: arguments[1]) {
            let storage = try FileStorage(URL(fileURLWithPath: arguments[3]))
            return try await follow(
                Garden(storage: storage, transport: HTTPTransport(server: server, token: arguments[2])))
        }
        let wire = Wire()
        let device = Device(wire)
        while let line = await nextLine() {
            let message = try JSON(Data(line.utf8))
            if let number = message["answer"] {
                wire.resume(number, message)
            } else {
                Task { await device.carryOut(message) }
            }
        }
    }
}

/// Writes the titles of the things whenever something has changed.
private func follow(_ garden: Garden) async throws {
    try await garden.listen { cursor in
        if try await garden.cursor() != cursor { try await garden.sync() }
        let titles = try await garden.items(.thing).compactMap { $0["title"] }
        FileHandle.standardOutput.write(try JSON.array(titles).data + Data("\n".utf8))
    }
}

/// Reads a line on a thread that may wait.
private func nextLine() async -> String? {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: readLine()) }
    }
}

/// The lines that go out, and the answers that they wait for.
final class Wire: Sendable {
    private let lock = NSLock()
    // Only used under the lock.
    nonisolated(unsafe) private var waiting: [JSON: CheckedContinuation<JSON, Never>] = [:]
    nonisolated(unsafe) private var last = 0

    func write(_ message: JSON) {
        guard let line = try? message.data else { return }
        lock.withLock { FileHandle.standardOutput.write(line + Data("\n".utf8)) }
    }

    func ask(_ message: [String: JSON]) async -> JSON {
        await withCheckedContinuation { continuation in
            let number: JSON = lock.withLock {
                last += 1
                waiting[.integer(last)] = continuation
                return .integer(last)
            }
            write(.object(message.merging(["ask": number]) { $1 }))
        }
    }

    func resume(_ number: JSON, _ message: JSON) {
        lock.withLock { waiting.removeValue(forKey: number) }?.resume(returning: message)
    }
}

struct Crash: Error {}

/// Asks the driving program instead of a server.
struct DrivenTransport: GardenTransport {
    let wire: Wire

    func send(_ request: GardenRequest) async throws -> GardenAnswer {
        let answer = await wire.ask([
            "method": .string(request.method), "path": .string(request.path), "body": request.body ?? .null,
            "hasBody": .bool(request.body != nil),
        ])
        guard case .integer(let status)? = answer["status"] else { throw URLError(.networkConnectionLost) }
        return GardenAnswer(status: status, body: Data((answer["text"]?.text ?? "").utf8))
    }

    func events() -> AsyncThrowingStream<Data, any Error> { AsyncThrowingStream { $0.finish() } }
}

/// A storage whose program crashes instead of every so many-th write.
final class CrashingStorage: GardenStorage {
    private let entries = MemoryStorage()
    private let lock = NSLock()
    // Only used under the lock.
    nonisolated(unsafe) private var writesUntilCrash = 0
    nonisolated(unsafe) private var clock = 0.0

    /// - Parameter count: 0 for never.
    func crash(after count: Int) { lock.withLock { writesUntilCrash = count } }

    func read(_ prefix: String) -> [(key: String, value: JSON)] { entries.read(prefix) }

    func write(_ changes: [(key: String, value: JSON?)]) throws {
        let crashes = lock.withLock {
            guard writesUntilCrash > 0 else { return false }
            writesUntilCrash -= 1
            return writesUntilCrash == 0
        }
        if crashes { throw Crash() }
        entries.write(changes)
    }

    /// The device's clock, in milliseconds.
    var milliseconds: Double {
        get { lock.withLock { clock } }
        set { lock.withLock { clock = newValue } }
    }
}

actor Device {
    private let wire: Wire
    private let storage = CrashingStorage()
    private var garden: Garden

    init(_ wire: Wire) {
        self.wire = wire
        garden = Self.garden(storage, wire)
    }

    private static func garden(_ storage: CrashingStorage, _ wire: Wire) -> Garden {
        Garden(storage: storage, transport: DrivenTransport(wire: wire)) {
            Date(timeIntervalSince1970: storage.milliseconds / 1000)
        }
    }

    /// Carries out a command, and answers with its number.
    func carryOut(_ message: JSON) async {
        var answer: [String: JSON] = ["done": message["number"] ?? .null]
        do {
            if let clock = message["clock"].flatMap(Self.double) { storage.milliseconds = clock }
            answer["result"] = try await result(of: message)
        } catch let error as Unreachable {
            answer["unreachable"] = .string(error.reason.rawValue)
        } catch is Crash {
            answer["crash"] = true
        } catch {
            answer["error"] = .string("\(error)")
        }
        wire.write(.object(answer))
    }

    private func result(of message: JSON) async throws -> JSON {
        let (id, body) = (message["id"]?.text ?? "", message["body"] ?? .null)
        let kind = message["kind"]?.text.flatMap(Garden.Kind.init) ?? .friend
        switch message["do"]?.text {
        case "water": return try await json(garden.water(id, method: body["method"]?.text ?? ""))
        case "review":
            let day = message["day"]?.text ?? ""
            return try await json(garden.review(id, on: day, keywords: [], memo: body["memo"]?.text))
        case "complete": return try await json(garden.complete(id))
        case "edit":
            guard case .object(let parts) = body else { return .null }
            return try await json(garden.edit(kind, id, parts))
        case "remove": return try await json(garden.remove(kind, id))
        case "deeds": return .array(try await garden.deeds().map { try json($0) })
        case "dismiss":
            for deed in try await garden.deeds() where deed.key == id { try await garden.dismiss(deed) }
            return .null
        case "entries": return .object(Dictionary(uniqueKeysWithValues: storage.read("").map { ($0.key, $0.value) }))
        case "crash": storage.crash(after: Self.double(body).map { Int($0) } ?? 0)
        case "restart": garden = Self.garden(storage, wire)
        case "sync": try await garden.sync()
        default: throw URLError(.unsupportedURL)
        }
        return .null
    }

    private func json(_ deed: Garden.Deed) throws -> JSON { try JSON(JSONEncoder().encode(deed)) }

    private static func double(_ value: JSON) -> Double? {
        switch value {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }
}

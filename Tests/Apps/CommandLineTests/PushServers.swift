import CherishTestSupport
import Synchronization

/// An APNs server that is started once its keys are known.
final class ServerHolder: Sendable {
    private let server = Mutex<APNsServer?>(nil)

    /// - Returns: its URL.
    func start(
        _ authority: TestCertificateAuthority, _ key: TestSigningKey,
        fault: @escaping @Sendable (PushServer.Request, String) -> PushServer.Answer? = { _, _ in nil }
    ) async throws -> String {
        let started = try await APNsServer.start(
            authority: authority, publicKeyPEM: key.publicKeyPEM, keyID: "ABC123DEFG", teamID: "DEF123GHIJ",
            topic: "com.example.cherish", fault: fault)
        server.withLock { $0 = started }
        return started.url
    }

    var acceptedCount: Int { server.withLock { $0?.acceptedCount ?? 0 } }
    var requestCount: Int { server.withLock { $0?.server.requestCount ?? 0 } }
    var acceptedBodies: [String] {
        server.withLock { $0?.accepted.map { String(decoding: $0.body, as: UTF8.self) } ?? [] }
    }

    func stop() async {
        await server.withLock { $0 }?.stop()
    }
}

/// Answers given in turn; afterwards none.
final class AnswerQueue: Sendable {
    private let answers: Mutex<[PushServer.Answer]>

    init(_ answers: [PushServer.Answer]) {
        self.answers = Mutex(answers)
    }

    func next() -> PushServer.Answer? {
        answers.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
}

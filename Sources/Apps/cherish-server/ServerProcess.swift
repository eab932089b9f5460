import CherishCore
import CherishHTTP
import CherishMail
import CherishRuntime
import CherishService
import CherishStore
import Foundation
import Logging
import NIOSSL
import Pictures
import Secrets
import ServiceLifecycle
import WebGarden
import WorkerRuntime

/// Wires the server: the database, the services, the door, and the worker.
enum ServerProcess {
    static func run(_ settings: Settings, _ server: ServerSetting, withWorker: Bool, now: Instant?) async throws {
        raiseFileLimit()
        let (logger, registry) = WorkerProcess.bootstrap(settings, label: "cherish.server")
        if server.isPlain {
            logger.warning(
                "passwords travel in clear text: CHERISH_PUBLIC_URL is no https, and there is no certificate")
        }
        let engine = try await Engine.openForAccounts(
            settings, time: now.map { .running(from: $0, since: .now) }, connections: server.maximumConnections)
        do {
            if now != nil, case .server = settings.database { try await engine.store.requirePresent() }
            let hasher = PasswordHasher(threads: max(1, ProcessInfo.processInfo.activeProcessorCount / 2))
            let messages = try PersonalMessages(settings, logger: logger)
            let people = PeopleService(
                engine, hasher: hasher, messages: messages, enquiries: server.enquiries,
                identities: try SignInTokens(logger: logger))
            let services = Services(
                care: CareService(engine), people: people,
                pictures: PictureMaker(program: ProgramPath.beside("cherish-picture")),
                changes: ChangeHub(engine, logger: logger))
            let isReady: @Sendable () async -> Bool = { (try? await engine.migrator.requireCurrent()) != nil }
            let door = try HTTPServer(
                services,
                pages: WebGarden.pages(
                    GardenDocuments(privacy: server.privacy, terms: server.terms), hasLinks: server.isForThisMachine),
                at: ListeningAddress(host: server.host, port: server.port), tls: try tls(server),
                settings: ServerSettings(
                    publicOrigin: server.publicOrigin, isSecure: server.tls != nil,
                    trustedProxies: server.trustedProxies, logger: logger),
                version: "0.1.0", isReady: isReady,
                onListening: { port in
                    let scheme = server.tls == nil ? "http" : "https"
                    let host = server.host.contains(":") ? "[\(server.host)]" : server.host
                    logger.notice("listening", metadata: ["api": "\(scheme)://\(host):\(port)"])
                })
            if withWorker {
                let own = server.workerDatabase.map { settings.with(database: $0) } ?? settings
                try await WorkerProcess.withServices(own, logger, registry) { services in
                    try await WorkerProcess.serve(services + [messages, door], logger)
                }
            } else {
                let monitoring = try await WorkerProcess.monitoring(settings, logger, registry, isReady: isReady)
                // The group stops services in reverse order: requests end first, and metrics last.
                try await WorkerProcess.serve([monitoring, messages, door].compactMap(\.self), logger)
            }
        } catch {
            await engine.close()
            throw error
        }
        await engine.close()
        logger.notice("stopped")
    }

    /// Each connection takes a descriptor, and systems allow 1,024 by default, until a process asks for more.
    private static func raiseFileLimit() {
        var limit = rlimit()
        let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(files, &limit) == 0 else { return }
        limit.rlim_cur = min(limit.rlim_max, 65_536)
        setrlimit(files, &limit)
    }

    private static func tls(_ server: ServerSetting) throws -> TLSConfiguration? {
        guard let files = server.tls else { return nil }
        do {
            var tls = TLSConfiguration.makeServerConfiguration(
                certificateChain: try NIOSSLCertificate.fromPEMFile(files.certificatePath).map { .certificate($0) },
                privateKey: .privateKey(try NIOSSLPrivateKey(file: files.keyPath, format: .pem)))
            tls.minimumTLSVersion = .tlsv12
            // Of TLS 1.2, only what has forward secrecy and authenticated encryption.
            tls.cipherSuites = "ECDHE+AESGCM:ECDHE+CHACHA20"
            return tls
        } catch {
            throw SettingError(
                variable: "CHERISH_TLS_CERTIFICATE",
                problem: "the certificate or the key is no readable file in PEM; check both paths and who may read them"
            )
        }
    }
}

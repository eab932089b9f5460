import CherishRuntime
import CherishService
import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOSSL
import ServiceLifecycle

/// Where the server listens.
public struct ListeningAddress: Sendable {
    public let host: String
    /// 0 for any free port.
    public let port: Int

    public init(host: String, port: Int) {
        (self.host, self.port) = (host, port)
    }
}

/// The server of the API.
public struct HTTPServer: Service {
    private static let mostConnections = 16_384
    /// How long requests may take once the process is to stop.
    private static let patience = Duration.seconds(15)

    private let application: Application<Door>
    private let changes: ChangeHub
    private let address: ListeningAddress
    private let logger: Logger

    /// - Parameters:
    ///   - pages: for browsers; none by default.
    ///   - tls: certificates and key, for a server without a proxy in front; it then speaks HTTP/2, too.
    ///   - isReady: whether requests can be answered, for probes.
    ///   - onListening: receives the port.
    public init(
        _ services: Services, pages: Pages = Pages(), at address: ListeningAddress, tls: TLSConfiguration? = nil,
        settings: ServerSettings,
        version: String, isReady: @escaping @Sendable () async -> Bool,
        onListening: @escaping @Sendable (Int) async -> Void
    ) throws {
        let table = RouteTable(Route.all)
        let document = try OpenAPI.document(of: table, version: version).bytes
        let door = Door(
            services: services, table: table, pages: pages, settings: settings,
            extras: [
                "/openapi.json": { Reply(.ok, headers: [.contentType: "application/json"], body: document) },
                "/livez": {
                    Reply(.ok, headers: [.contentType: "text/plain; charset=utf-8"], body: Array("alive\n".utf8))
                },
                "/readyz": {
                    await isReady()
                        ? Reply(.ok, headers: [.contentType: "text/plain; charset=utf-8"], body: Array("ready\n".utf8))
                        : Reply(
                            .serviceUnavailable,
                            headers: [.contentType: "text/plain; charset=utf-8", .retryAfter: "1"],
                            body: Array("the database is away\n".utf8))
                },
            ])
        var configuration = ApplicationConfiguration(address: .hostname(address.host, port: address.port))
        configuration.availableConnectionsDelegate = MaximumAvailableConnections(HTTPServer.mostConnections)
        (changes, self.address, logger) = (services.changes, address, settings.logger)
        application = Application(
            responder: door, server: try settings.connections.server(tls: tls, isSecure: settings.isSecure),
            configuration: configuration,
            onServerRunning: { channel in await onListening(channel.localAddress?.port ?? address.port) },
            logger: settings.logger)
    }

    /// Answers until the process is to stop, and finishes what is being answered.
    ///
    /// - Throws: ``SettingError`` if nothing can listen at the address.
    public func run() async throws {
        // In a task of its own, because the server must stop listening before it is cancelled: a connection that arrives
        // meanwhile would crash the process.
        let group = ServiceGroup(services: [application], logger: logger)
        let serving = Task.detached { try await group.run() }
        let listening = Task.detached { [changes] in await changes.run() }
        defer { listening.cancel() }
        do {
            try await withTaskCancellationOrGracefulShutdownHandler {
                try await serving.value
            } onCancelOrGracefulShutdown: { [changes] in
                // They would never end, and their clients find another server.
                changes.close()
                Task {
                    await group.triggerGracefulShutdown()
                    try? await Task.sleep(for: HTTPServer.patience)
                    serving.cancel()
                }
            }
        } catch let error as IOError where [EADDRINUSE, EADDRNOTAVAIL, EACCES].contains(error.errnoCode) {
            throw SettingError(
                variable: "CHERISH_HTTP",
                problem: "nothing can listen at \(address.host):\(address.port) (\(error)); set another address or port"
            )
        }
    }
}

/// What the server answers besides the API: pages for browsers.
public struct Pages: Sendable {
    let table: RouteTable
    /// A page that tells a person about a problem.
    let page: (@Sendable (Problem, Visit) -> Reply)?

    /// No pages.
    public init() {
        (table, page) = (RouteTable([]), nil)
    }

    /// The path of the route of a page that a form is on, and its parameters; nil if there is none.
    package func match(_ path: String) -> (route: String, parameters: [Substring: String])? {
        guard case .route(let route, let parameters) = table.match(.get, path) else { return nil }
        return (route.path, parameters)
    }

    package init(_ routes: [Route], problemPage: @escaping @Sendable (Problem, Visit) -> Reply) {
        (table, page) = (RouteTable(routes), problemPage)
    }
}

extension Route {
    /// Every route of the API.
    static let all =
        changes + people + identities + phones + pictures + garden + history + things + stores + links + lists
        + collections + pauses
        + imports
        + enquiries
}

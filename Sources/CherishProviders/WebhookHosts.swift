import Foundation
import Logging
import NIOCore

/// The servers of webhooks: where each is, a connection to it, and its own circuit breaker, so that one that fails keeps
/// nobody else waiting.
///
/// A name is looked up and judged by us, and the connection goes to the very address that was judged: a name that has
/// another address a moment later fools nobody.
actor WebhookHosts {
    struct Host: Sendable {
        let provider: Provider
        let transport: HTTPTransport
    }

    /// What is known of a name, or is being found out.
    private final class Entry {
        let host: Task<Result<Host, TransportFailure>, Never>
        let madeAt = ContinuousClock.now
        var users = 0
        /// Whether newcomers get another one, and the last user closes it.
        var isOld = false
        var hasFailed = false

        /// Addresses change; a name that was not found is looked for again sooner.
        var lifetime: Duration { hasFailed ? .seconds(30) : .seconds(120) }
        var isOutdated: Bool { isOld || ContinuousClock.now - madeAt >= lifetime }

        init(_ find: @escaping @Sendable () async -> Result<Host, TransportFailure>) {
            host = Task { await find() }
        }
    }

    /// Each has a connection and a store of certificates.
    private static let mostEntries = 128
    /// Looking up blocks a thread of its own, for as long as somebody's name server likes.
    private static let concurrentLookups = 128

    private let settings: TransportSettings
    private let allowsPrivateAddresses: Bool
    private let logger: Logger
    private let lookups = ConcurrencyLimit(concurrentLookups)
    private var entries: [String: Entry] = [:]
    private var lastCleaning = ContinuousClock.now
    private var isClosed = false

    init(_ settings: TransportSettings, allowsPrivateAddresses: Bool, logger: Logger) {
        self.settings = settings
        self.allowsPrivateAddresses = allowsPrivateAddresses
        // These are the users' servers; what is wrong with one is nothing that the operator can mend.
        var logger = logger
        logger.logLevel = .critical
        self.logger = logger
    }

    /// Runs the body with a host.
    func with<Result: Sendable>(
        _ name: String, _ body: @Sendable (Host) async -> Result, otherwise: @Sendable (TransportFailure) -> Result
    ) async -> Result {
        guard !isClosed else { return otherwise(.interrupted) }
        clean()
        let entry = entry(for: name)
        entry.users += 1
        let result: Result
        switch await entry.host.value {
        case .success(let host): result = await body(host)
        case .failure(let failure):
            entry.hasFailed = true
            result = otherwise(failure)
        }
        entry.users -= 1
        await closeIfUnused(entry)
        return result
    }

    /// Closes all connections; to be called once at the end, when nothing is sent any more.
    func close() async {
        isClosed = true
        for (name, entry) in entries {
            retire(entry, name)
            await closeIfUnused(entry)
        }
    }

    private func entry(for name: String) -> Entry {
        if let entry = entries[name] {
            if !entry.isOutdated { return entry }
            retire(entry, name)
            if entry.users == 0 { Task { await closeIfUnused(entry) } }
        }
        let entry = Entry { [self] in await find(name) }
        entries[name] = entry
        return entry
    }

    private func retire(_ entry: Entry, _ name: String) {
        entry.isOld = true
        if entries[name] === entry { entries[name] = nil }
    }

    private func closeIfUnused(_ entry: Entry) async {
        guard entry.isOld, entry.users == 0 else { return }
        try? await entry.host.value.get().transport.close()
    }

    /// Forgets now and then what nobody has asked for in a while, and at once what is too much.
    private func clean() {
        let isFull = entries.count >= WebhookHosts.mostEntries
        guard isFull || ContinuousClock.now - lastCleaning > .seconds(30) else { return }
        lastCleaning = .now
        for (name, entry) in entries where entry.users == 0 && (isFull || entry.isOutdated) {
            retire(entry, name)
            Task { await closeIfUnused(entry) }
        }
    }

    private func find(_ name: String) async -> Result<Host, TransportFailure> {
        let addresses = await addresses(of: name)
        guard let first = addresses.first, let address = first.ipAddress else { return .failure(.hostNotFound) }
        // Also where only some are private: a connection might go to any.
        guard allowsPrivateAddresses || addresses.allSatisfy(PublicAddress.isPublic) else {
            return .failure(.privateAddress)
        }
        return .success(
            Host(
                provider: Provider(
                    name: "webhook",
                    settings: ProviderSettingNames(credentials: "its URL", address: "its URL", environment: "its URL"),
                    concurrency: nil, isOnlyOne: false, clock: settings.clock, logger: logger),
                transport: HTTPTransport(settings, pinned: [name: address], idle: .seconds(15))))
    }

    /// All addresses of a name, the one to use first.
    private nonisolated func addresses(of name: String) async -> [SocketAddress] {
        if let literal = try? SocketAddress(ipAddress: name, port: 0) { return [literal] }
        let found = await lookups.run {
            await withCheckedContinuation { continuation in
                // Dispatch lends blocked threads a companion only now and then.
                Thread.detachNewThread { continuation.resume(returning: SystemLookup.addresses(of: name)) }
            }
        }
        return found ?? []
    }
}

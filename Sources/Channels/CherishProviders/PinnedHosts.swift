import CherishPush
import Foundation
import NIOCore

/// Hosts whose names come from accounts: webhooks, and browsers' push services. Each has its address, a connection and a
/// circuit breaker, so that a failing one delays no other.
///
/// We resolve and check a name ourselves, and connect to exactly the address that was checked. This defeats DNS
/// rebinding.
actor PinnedHosts {
    struct Host: Sendable {
        let provider: Provider
        let transport: HTTPTransport
    }

    /// The result of a name's lookup, or the lookup underway.
    private final class Entry {
        let host: Task<Result<Host, TransportFailure>, Never>
        let madeAt = ContinuousClock.now
        var users = 0
        /// Retired: newcomers get another entry, and the last user closes this one.
        var isOld = false
        var hasFailed = false

        /// Addresses change. A failed lookup is retried sooner.
        var lifetime: Duration { hasFailed ? .seconds(30) : .seconds(120) }
        var isOutdated: Bool { isOld || ContinuousClock.now - madeAt >= lifetime }

        init(_ find: @escaping @Sendable () async -> Result<Host, TransportFailure>) {
            host = Task { await find() }
        }
    }

    /// Each entry costs a connection and a certificate store.
    private static let mostEntries = 128
    /// A lookup blocks a dedicated thread for as long as somebody else's name server takes.
    private static let concurrentLookups = 128

    private let settings: TransportSettings
    private let allowsPrivateAddresses: Bool
    private let provider: @Sendable (String) -> Provider
    private let lookUp: @Sendable (String) -> [SocketAddress]
    private let lookups = ConcurrencyLimit(concurrentLookups)
    private var entries: [String: Entry] = [:]
    private var lastCleaning = ContinuousClock.now
    private var isClosed = false

    /// - Parameters:
    ///   - provider: Returns the circuit breaker of a host, given its name.
    ///   - lookUp: Returns all addresses of a name, preferred first. It may block for long.
    init(
        _ settings: TransportSettings, allowsPrivateAddresses: Bool,
        provider: @escaping @Sendable (String) -> Provider,
        lookUp: @escaping @Sendable (String) -> [SocketAddress] = SystemLookup.addresses(of:)
    ) {
        self.settings = settings
        self.allowsPrivateAddresses = allowsPrivateAddresses
        self.provider = provider
        self.lookUp = lookUp
    }

    /// Runs the body with a host, or `otherwise` if the lookup fails.
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

    /// Closes all connections. Call once, at the end, when nothing is sent any more.
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

    /// Retires unused entries: outdated ones every 30 seconds, all of them when full.
    private func clean() {
        let isFull = entries.count >= PinnedHosts.mostEntries
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
        // Refuse the name even if only some addresses are private, whichever comes first.
        guard allowsPrivateAddresses || addresses.allSatisfy({ PublicAddress.isPublic($0.bytes) }) else {
            return .failure(.privateAddress)
        }
        return .success(
            Host(
                provider: provider(name),
                transport: HTTPTransport(settings, pinned: [name: address], idle: .seconds(15))))
    }

    /// All addresses of a name, preferred first.
    private nonisolated func addresses(of name: String) async -> [SocketAddress] {
        if let literal = try? SocketAddress(ipAddress: name, port: 0) { return [literal] }
        let found = await lookups.run {
            await withCheckedContinuation { continuation in
                // Use a dedicated thread: Dispatch adds threads only slowly when others block.
                Thread.detachNewThread { [lookUp] in continuation.resume(returning: lookUp(name)) }
            }
        }
        return found ?? []
    }
}

extension SocketAddress {
    /// 4 or 16 bytes, most significant first; empty if it is no IP address.
    var bytes: [UInt8] {
        switch self {
        case .v4(let address): withUnsafeBytes(of: address.address.sin_addr) { Array($0) }
        case .v6(let address): withUnsafeBytes(of: address.address.sin6_addr) { Array($0) }
        case .unixDomainSocket: []
        }
    }
}

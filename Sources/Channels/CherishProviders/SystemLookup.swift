import Glibc
import NIOCore

/// Resolves names with the system's resolver.
enum SystemLookup {
    /// All addresses of a name, in the system's order of preference; empty if there are none.
    static func addresses(of name: String) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_ADDRCONFIG
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(name, nil, &hints, &found) == 0 else { return [] }
        defer { freeaddrinfo(found) }
        return sequence(first: found, next: { $0?.pointee.ai_next }).prefix { $0 != nil }.compactMap { entry in
            guard let entry = entry?.pointee, let address = entry.ai_addr else { return nil }
            switch entry.ai_family {
            case AF_INET:
                return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { SocketAddress($0.pointee) }
            case AF_INET6:
                return address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { SocketAddress($0.pointee) }
            default: return nil
            }
        }
    }
}

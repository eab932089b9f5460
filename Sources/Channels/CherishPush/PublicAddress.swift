import Glibc

/// Decides which addresses a webhook may have. Adding a webhook makes this server send requests to a URL of the
/// account's choice, so it must not lead to anything that only this server can reach.
package enum PublicAddress {
    /// IANA's special-purpose registries: private, shared, link-local, documentation, benchmarking, multicast,
    /// reserved.
    private static let specialIPv4 = [
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24",
        "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
        // A cloud's metadata service, which is not in the registries.
        "168.63.129.16/32",
    ].compactMap(Block.init)

    /// Everything outside global unicast is special. So are some ranges inside: Teredo and its neighbours,
    /// documentation, and 6to4, which may embed a private IPv4 address.
    private static let globalIPv6 = ["2000::/3"].compactMap(Block.init)
    private static let specialIPv6 = [
        "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "2620:4f:8000::/48",
    ].compactMap(Block.init)

    /// Whether anybody on the Internet could reach this address.
    ///
    /// - Parameter bytes: 4 or 16, most significant first; anything else is no IP address, and not public.
    package static func isPublic(_ bytes: [UInt8]) -> Bool {
        switch bytes.count {
        case 4: return !specialIPv4.contains { $0.contains(bytes) }
        case 16: return globalIPv6.contains { $0.contains(bytes) } && !specialIPv6.contains { $0.contains(bytes) }
        default: return false
        }
    }

    /// The bytes of an address in its usual notation; nil if the text is not an address.
    static func bytes(of text: String) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 { return Array(bytes.prefix(4)) }
        return inet_pton(AF_INET6, text, &bytes) == 1 ? bytes : nil
    }

    /// An address range in CIDR notation, such as `10.0.0.0/8`.
    private struct Block {
        let bytes: [UInt8]
        let length: Int

        /// nil if the text is not a range; every entry above is one.
        init?(_ text: String) {
            let parts = text.split(separator: "/").map(String.init)
            guard parts.count == 2, let first = PublicAddress.bytes(of: parts[0]), let length = Int(parts[1]),
                length <= first.count * 8
            else { return nil }
            bytes = first
            self.length = length
        }

        func contains(_ address: [UInt8]) -> Bool {
            address.count == bytes.count
                && (0..<length).allSatisfy { bit in
                    (address[bit / 8] ^ bytes[bit / 8]) & (0x80 >> (bit % 8)) == 0
                }
        }
    }
}

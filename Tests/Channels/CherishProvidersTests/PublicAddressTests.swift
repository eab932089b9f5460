import NIOCore
import Testing

@testable import CherishProviders
@testable import CherishPush

@Suite("Addresses allowed for webhooks")
struct PublicAddressTests {
    private func isPublic(_ text: String) throws -> Bool {
        PublicAddress.isPublic(try SocketAddress(ipAddress: text, port: 443).bytes)
    }

    @Test(
        "include those anybody on the Internet can reach",
        arguments: [
            "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
            "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.0.3.0",
            "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "203.0.112.255", "203.0.114.0",
            "223.255.255.255", "168.63.129.15", "168.63.129.17",
            "2606:4700:4700::1111", "2001:200::1", "2001:4860:4860::8888", "2001:db7:ffff::1", "2001:db9::1",
            "2003::1", "2620:4f:7fff::1", "2620:4f:8001::1", "3ffe::1", "3fff:1000::1",
            "3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
        ])
    func open(address: String) throws {
        #expect(try isPublic(address))
    }

    @Test(
        "exclude private, special and unassigned ones",
        arguments: [
            "0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255",
            // Metadata services of clouds.
            "100.100.100.200", "169.254.169.254", "168.63.129.16", "fd00:ec2::254",
            "127.0.0.1", "127.255.255.255", "169.254.0.0", "172.16.0.0", "172.31.255.255", "192.0.0.0",
            "192.0.2.1", "192.88.99.1", "192.168.0.1", "192.168.255.255", "198.18.0.0", "198.19.255.255",
            "198.51.100.7", "203.0.113.255", "224.0.0.1", "239.255.255.255", "240.0.0.0", "255.255.255.255",
            "::", "::1", "fe80::1", "febf::1", "fec0::1", "fc00::1", "fdff::1", "ff02::1", "ff0e::1",
            // Embedded IPv4: mapped, compatible, translated, NAT64, 6to4, Teredo.
            "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::127.0.0.1", "::ffff:0:10.0.0.1", "64:ff9b::7f00:1",
            "64:ff9b:1::a00:1", "2002:7f00:1::1", "2002:808:808::1", "2001::1",
            "2001:db8::1", "2001:2::1", "2001:1ff:ffff::1", "3fff::1", "3fff:fff:ffff::1", "2620:4f:8000::1",
            "100::1", "5f00::1", "1fff:ffff::1", "4000::1",
        ])
    func special(address: String) throws {
        #expect(try !isPublic(address))
    }

    @Test("need a valid IP address")
    func socketFile() throws {
        #expect(try !PublicAddress.isPublic(SocketAddress(unixDomainSocketPath: "/tmp/cherish.sock").bytes))
    }

    /// Networks that we refuse although Python, in some version, calls them global. We may be stricter than Python, but
    /// never less strict.
    private static let stricter: [(network: String, because: String)] = [
        ("192.0.0.0/24", "protocol assignments; two of them answer near whoever asks"),
        ("192.31.196.0/24", "AS112: answered by whatever network is near, and by no webhook"),
        ("192.52.193.0/24", "AMT relays, likewise"),
        ("192.175.48.0/24", "AS112, likewise"),
        ("192.88.99.0/24", "6to4 relays, withdrawn by RFC 7526"),
        ("168.63.129.16/32", "Azure's metadata service, on an address like any other"),
        ("2001::/23", "protocol assignments: Teredo holds an IPv4 address, and others are no places"),
        ("2002::/16", "6to4 holds an IPv4 address, which may be private"),
        ("2620:4f:8000::/48", "AS112 of IPv6"),
        ("3fff::/20", "documentation since RFC 9637, which older Pythons do not know"),
        ("::/3", "not given out as global unicast; holds NAT64 and other disguises of IPv4"),
        ("4000::/2", "not given out as global unicast"),
        ("8000::/1", "not given out as global unicast, apart from private, link-local and multicast addresses"),
    ]

    /// Prints an address, whether Python calls it global, and whether we are known to be stricter.
    private static let program = """
        import ipaddress, random, sys
        stricter = [ipaddress.ip_network(text) for text in sys.argv[1:]]
        special = stricter + [ipaddress.ip_network(text) for text in '''
        0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.2.0/24 192.168.0.0/16
        198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 ::/128 ::1/128 ::ffff:0:0/96 64:ff9b::/96
        64:ff9b:1::/48 100::/64 2000::/3 2001::/32 2001:2::/48 2001:db8::/32 2001:20::/28 fc00::/7 fe80::/10 fec0::/10
        ff00::/8'''.split()]
        seeded = random.Random(20270302)
        numbers = {4: set(), 6: set()}
        for _ in range(2000):
            numbers[4].add(seeded.getrandbits(32))
            numbers[6].add(seeded.getrandbits(128))
            numbers[6].add(0x2 << 124 | seeded.getrandbits(125))
        for network in special:
            first, last = int(network.network_address), int(network.broadcast_address)
            width = network.max_prefixlen
            for number in [first - 1, first, first + 1, (first + last) // 2, last - 1, last, last + 1]:
                if 0 <= number < 1 << width: numbers[network.version].add(number)
            for _ in range(20):
                numbers[network.version].add(seeded.randint(first, last))
        for version, kind in [(4, ipaddress.IPv4Address), (6, ipaddress.IPv6Address)]:
            for address in map(kind, sorted(numbers[version])):
                known = any(address.version == network.version and address in network for network in stricter)
                print(address, int(address.is_global and not address.is_multicast), int(known))
        """

    @Test("match Python's ipaddress, except for a few where we are stricter")
    func secondOpinion() async throws {
        let networks = PublicAddressTests.stricter.map(\.network)
        let lines = try await python(PublicAddressTests.program, networks).split(separator: "\n")
        #expect(lines.count > 6000)
        var counts: [String: Int] = [:]
        for line in lines {
            let words = line.split(separator: " ").map(String.init)
            try #require(words.count == 3)
            let (isGlobal, isStricter) = (words[1] == "1", words[2] == "1")
            let ours = try isPublic(words[0])
            #expect(ours == (isGlobal && !isStricter), "\(words[0])")
            counts["\(isGlobal) \(isStricter)", default: 0] += 1
        }
        // All four cases occurred, so the comparison was not vacuous.
        #expect(counts.count == 4, "\(counts)")
    }
}

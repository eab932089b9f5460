import CLibUUID
import Foundation

// The module SystemUUID makes random and name-based UUIDs with libuuid, because Foundation has no name-based ones. It
// may touch nothing but libuuid. Start reading here; this is its only file.

extension UUID {
    /// A random UUID (version 4).
    public static func random() -> UUID {
        var bytes = noBytes()
        withUnsafeMutableBytes(of: &bytes) { uuid_generate_random($0.bindMemory(to: UInt8.self).baseAddress) }
        return UUID(uuid: bytes)
    }

    /// A name-based UUID (version 5, SHA-1): the same namespace and name always give the same id. Anyone can verify a
    /// guessed name, so never use names from a small set, such as phone numbers.
    public static func nameBased(in namespace: UUID, name: String) -> UUID {
        var bytes = noBytes()
        withUnsafeMutableBytes(of: &bytes) { bytes in
            withUnsafeBytes(of: namespace.uuid) { namespaceBytes in
                uuid_generate_sha1(
                    bytes.bindMemory(to: UInt8.self).baseAddress,
                    namespaceBytes.bindMemory(to: UInt8.self).baseAddress, name, name.utf8.count)
            }
        }
        return UUID(uuid: bytes)
    }

    private static func noBytes() -> Foundation.uuid_t {
        (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    }
}

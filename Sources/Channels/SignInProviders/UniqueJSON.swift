import Foundation

/// JSON objects that name nothing twice. Of two values with one name, readers disagree on which counts (RFC 8259, 4).
enum UniqueJSON {
    private struct Names: Decodable {
        private struct Name: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }

            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        let count: Int

        init(from decoder: any Decoder) throws {
            count = try decoder.container(keyedBy: Name.self).allKeys.count
        }
    }

    /// nil if the bytes are no such object in UTF-8, or do not suit the type.
    static func decode<Value: Decodable>(_ type: Value.Type, from bytes: Data) -> Value? {
        // The decoder also reads UTF-16 and UTF-32, where each ASCII character has a zero byte.
        guard !bytes.contains(0), let names = try? JSONDecoder().decode(Names.self, from: bytes),
            names.count == memberCount(of: bytes)
        else { return nil }
        return try? JSONDecoder().decode(type, from: bytes)
    }

    /// How many members the outermost object of valid JSON has: each has one colon outside of strings.
    private static func memberCount(of bytes: Data) -> Int {
        var (count, depth) = (0, 0)
        var (isInString, isEscaped) = (false, false)
        for byte in bytes {
            if isEscaped {
                isEscaped = false
            } else if isInString {
                if byte == UInt8(ascii: "\\") { isEscaped = true }
                if byte == UInt8(ascii: "\"") { isInString = false }
            } else {
                switch byte {
                case UInt8(ascii: "\""): isInString = true
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
                case UInt8(ascii: ":") where depth == 1: count += 1
                default: break
                }
            }
        }
        return count
    }
}

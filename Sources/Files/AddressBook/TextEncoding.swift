#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The encodings of address books, by their iconv names.
enum TextEncoding {
    /// Windows-949, a superset of EUC-KR. Korean programs label it with either name.
    static let korean = "UHC"

    /// Exporters' names for encodings that iconv knows by another name.
    private static let names = [
        "euc-kr": korean, "euckr": korean, "ks_c_5601-1987": korean, "ksc5601": korean, "ks_c_5601": korean,
        "cp949": korean, "ms949": korean, "windows-949": korean,
        "shift_jis": "CP932", "shift-jis": "CP932", "sjis": "CP932", "gb2312": "GB18030", "gbk": "GB18030",
    ]

    /// Decodes bytes; nil if the encoding is unknown or the bytes are invalid in it.
    static func text(_ bytes: some Collection<UInt8>, charset: String) -> String? {
        guard let converter = TextConverter(from: charset) else { return nil }
        let converted = converter.convert(Array(bytes)) + converter.finish()
        return converter.hasFailed ? nil : String(validating: converted, as: UTF8.self)
    }

    /// Returns iconv's name of an encoding; nil if the text is not a plain name, because iconv would accept suffixes
    /// such as `//IGNORE`.
    static func name(_ charset: String) -> String? {
        let isName = charset.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
                UInt8(ascii: ":"):
                true
            default: false
            }
        }
        guard isName, (1...40).contains(charset.utf8.count) else { return nil }
        return names[charset.lowercased()] ?? charset
    }

    /// Detects the encoding of a file from its beginning; nil for UTF-8.
    ///
    /// Without a byte-order mark, zero bytes reveal UTF-16. The text is Korean if more non-ASCII lines are valid only
    /// in that encoding than in UTF-8, so one broken line does not change how the others are read.
    static func detected(in beginning: [UInt8]) -> (charset: String?, markLength: Int) {
        if beginning.starts(with: [0xEF, 0xBB, 0xBF]) { return (nil, 3) }
        if beginning.starts(with: [0xFF, 0xFE]) { return ("UTF-16LE", 2) }
        if beginning.starts(with: [0xFE, 0xFF]) { return ("UTF-16BE", 2) }
        let sample = beginning.prefix(4096)
        let zeros = sample.indices.filter { sample[$0] == 0 }
        // In UTF-16 every line end has a zero byte; a few strays in other text prove nothing.
        if zeros.count > 4, zeros.count > sample.count / 32 {
            let odd = zeros.count { !$0.isMultiple(of: 2) }
            if odd == zeros.count { return ("UTF-16LE", 0) }
            if odd == 0 { return ("UTF-16BE", 0) }
        }
        return (isKorean(beginning) ? korean : nil, 0)
    }

    /// Splits into lines and unfolds those of a vCard, since a fold may split a UTF-8 character.
    private static func unfolded(_ bytes: [UInt8]) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        for line in bytes.split(separator: Byte.lineFeed) {
            if let first = line.first, first == Byte.space || first == Byte.tab, !lines.isEmpty {
                if lines[lines.count - 1].last == Byte.carriageReturn { lines[lines.count - 1].removeLast() }
                lines[lines.count - 1] += line.dropFirst()
            } else {
                lines.append(Array(line))
            }
        }
        return lines
    }

    private static func isKorean(_ beginning: [UInt8]) -> Bool {
        var balance = 0
        for line in unfolded(beginning) where line.contains(where: { $0 >= 0x80 }) {
            var check = UTF8Check()
            check.check(line[...])
            if check.isComplete {
                balance -= 1
            } else if text(line, charset: korean) != nil {
                balance += 1
            }
        }
        return balance > 0
    }
}

/// Converts bytes of one encoding to UTF-8, piece by piece.
final class TextConverter {
    /// Replaces invalid bytes. It is not UTF-8 either, so the line that holds it is rejected.
    private static let broken: UInt8 = 0xFF

    private let descriptor: iconv_t
    /// How many bytes to skip at an invalid character. In UTF-16 these are the two of a lone surrogate, so that
    /// decoding stays aligned.
    private let unitSize: Int
    /// The start of a character whose remaining bytes have not arrived.
    private var rest: [UInt8] = []
    /// Whether any bytes were invalid.
    private(set) var hasFailed = false

    /// nil if iconv does not know the encoding.
    init?(from charset: String) {
        guard let name = TextEncoding.name(charset), let descriptor = iconv_open("UTF-8", name),
            Int(bitPattern: descriptor) != -1
        else { return nil }
        self.descriptor = descriptor
        unitSize = name.uppercased().hasPrefix("UTF-16") ? 2 : 1
    }

    deinit {
        iconv_close(descriptor)
    }

    /// Converts the next bytes to UTF-8. A split character is returned with the bytes that complete it.
    func convert(_ bytes: [UInt8]) -> [UInt8] {
        var input = rest + bytes
        var output: [UInt8] = []
        var position = 0
        while position < input.count {
            let (taken, code) = step(&input, from: position, into: &output)
            position += taken
            if code == EINVAL { break }
            if code == EILSEQ {
                hasFailed = true
                output.append(Self.broken)
                position += unitSize
            }
        }
        rest = Array(input[min(position, input.count)...])
        return output
    }

    /// Flushes at the end of the file: empty, or the marker for an incomplete character.
    func finish() -> [UInt8] {
        guard !rest.isEmpty else { return [] }
        rest = []
        hasFailed = true
        return [Self.broken]
    }

    /// Makes one iconv call. Returns the number of bytes consumed and why it stopped: 0 at the end of the input, else
    /// errno.
    private func step(_ input: inout [UInt8], from position: Int, into output: inout [UInt8]) -> (Int, Int32) {
        // No character of these encodings needs more than three times its bytes in UTF-8.
        let capacity = (input.count - position) * 3 + 16
        var taken = 0
        var code: Int32 = 0
        output += [UInt8](unsafeUninitializedCapacity: capacity) { buffer, filled in
            input.withUnsafeMutableBytes { source in
                var from = source.baseAddress?.advanced(by: position).assumingMemoryBound(to: CChar.self)
                var to = UnsafeMutableRawPointer(buffer.baseAddress)?.assumingMemoryBound(to: CChar.self)
                var fromCount = source.count - position
                var toCount = capacity
                let result = iconv(descriptor, &from, &fromCount, &to, &toCount)
                if result == -1 { code = errno }
                taken = source.count - position - fromCount
                filled = capacity - toCount
            }
        }
        return (taken, code)
    }
}

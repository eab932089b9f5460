import CZlib

/// Compression of what browsers load (RFC 1952), by zlib.
enum Gzip {
    /// - Parameter level: 1 is quick, 9 is small.
    /// - Returns: nil if zlib has no memory.
    static func compress(_ bytes: [UInt8], level: Int32) -> [UInt8]? {
        var stream = z_stream()
        let (windowBits, usualMemory): (Int32, Int32) = (15 + 16, 8)
        guard
            deflateInit2_(
                &stream, level, Z_DEFLATED, windowBits, usualMemory, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { return nil }
        defer { deflateEnd(&stream) }
        let most = Int(deflateBound(&stream, UInt(bytes.count)))
        var source = bytes
        var isWhole = false
        let compressed = [UInt8](unsafeUninitializedCapacity: most) { target, count in
            source.withUnsafeMutableBufferPointer { source in
                stream.next_in = source.baseAddress
                stream.avail_in = UInt32(source.count)
                stream.next_out = target.baseAddress
                stream.avail_out = UInt32(most)
                isWhole = deflate(&stream, Z_FINISH) == Z_STREAM_END
            }
            count = Int(stream.total_out)
        }
        return isWhole ? compressed : nil
    }
}

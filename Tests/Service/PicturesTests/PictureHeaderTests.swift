import CherishTestSupport
import PictureFormat
import SeededChance
import Testing

@Suite("Headers of pictures")
struct PictureHeaderTests {
    @Test(
        "format, size and orientation",
        arguments: [
            ("orientation-1.jpg", .jpeg, 96, 64, 1), ("orientation-2.jpg", .jpeg, 96, 64, 2),
            ("orientation-3.jpg", .jpeg, 96, 64, 3), ("orientation-4.jpg", .jpeg, 96, 64, 4),
            ("orientation-5.jpg", .jpeg, 64, 96, 5), ("orientation-6.jpg", .jpeg, 64, 96, 6),
            ("orientation-7.jpg", .jpeg, 64, 96, 7), ("orientation-8.jpg", .jpeg, 64, 96, 8),
            ("orientation-6-little-endian.jpg", .jpeg, 64, 96, 6), ("orientation-6.png", .png, 32, 48, 6),
            ("orientation-6.webp", .webP, 64, 96, 6), ("progressive.jpg", .jpeg, 96, 64, 1),
            ("lossless.webp", .webP, 96, 64, 1), ("lossy.webp", .webP, 96, 64, 1), ("thin.png", .png, 1, 4000, 1),
        ] as [(String, PictureHeader.Format, Int, Int, Int)])
    func headers(name: String, format: PictureHeader.Format, width: Int, height: Int, orientation: Int) throws {
        let header = try PictureHeader(fixture(name))
        #expect(header.format == format)
        #expect(header.width == width)
        #expect(header.height == height)
        #expect(header.orientation == orientation)
    }

    @Test("an orientation that does not exist counts as none", arguments: [0, 9, 255])
    func impossibleOrientation(value: UInt8) throws {
        var bytes = try fixture("orientation-6-little-endian.jpg")
        let tag = try #require(bytes.indices.first { bytes[$0...].starts(with: [0x12, 0x01, 3, 0, 1, 0, 0, 0, 6, 0]) })
        bytes[tag + 8] = value
        #expect(try PictureHeader(bytes).orientation == 1)
    }

    @Test("an EXIF block of any content, or cut off anywhere, is read within its bounds")
    func hostileOrientation() throws {
        let bytes = try fixture("orientation-6-little-endian.jpg")
        let exif = try #require(JPEGSegments(bytes).first { $0.marker == 0xe1 })
        var generator = SplitMix64(seed: 1)
        for length in 0...exif.content.count {
            for _ in 0..<20 {
                var content = Array(bytes[exif.content].prefix(length))
                for _ in 0..<3 where length > 6 {
                    content[generator.number(in: 6...length - 1)] = UInt8(truncatingIfNeeded: generator.next())
                }
                let head = [0xff, 0xe1, 0, UInt8(length + 2)]
                let damaged = bytes[..<exif.whole.lowerBound] + head + content + bytes[exif.whole.upperBound...]
                let header = try PictureHeader(Array(damaged))
                #expect(1...8 ~= header.orientation)
            }
        }
    }

    @Test("damaged files are read within their bounds", arguments: 1...UInt64(repetitions(200, inDebug: 20)))
    func damagedFiles(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        var readCount = 0
        for name in try pictureNames() where name != "large.jpg" {
            let bytes = damaged(try fixture(name), with: &generator)
            if let header = try? PictureHeader(bytes) {
                readCount += 1
                #expect(header.width > 0 && header.height > 0 && 1...8 ~= header.orientation, "\(name), seed \(seed)")
            }
            for segment in JPEGSegments(bytes) { #expect(segment.whole.upperBound <= bytes.count) }
            for chunk in PNGChunks(bytes) { #expect(chunk.whole.upperBound <= bytes.count) }
        }
        #expect(readCount > 0)
    }
}

/// The bytes with one to four injuries: other bytes, or a piece that is missing or repeated.
func damaged(_ bytes: [UInt8], with generator: inout SplitMix64) -> [UInt8] {
    var bytes = bytes
    for _ in 1...generator.number(in: 1...4) {
        let start = generator.number(in: 0...max(0, bytes.count - 1))
        let piece = start..<min(bytes.count, start + generator.number(in: 1...32))
        switch generator.number(in: 0...3) {
        case 0: bytes.removeSubrange(piece)
        case 1: bytes.insert(contentsOf: bytes[piece], at: start)
        default:
            for index in piece.prefix(4) { bytes[index] = UInt8(truncatingIfNeeded: generator.next()) }
        }
    }
    return bytes
}

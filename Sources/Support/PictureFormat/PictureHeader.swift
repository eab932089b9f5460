/// What a picture's file tells about it before it is decoded.
///
/// The module PictureFormat knows what files of pictures look like, and what cherish-picture answers. It decodes nothing
/// and imports nothing. Start reading here.
package struct PictureHeader: Sendable {
    package enum Format: Sendable {
        case jpeg, png, webP
    }

    package let format: Format
    /// In pixels, at least 1, as stored.
    package let width, height: Int
    /// How to turn the picture: 1–8, as EXIF numbers them; 1 if nothing says so.
    package let orientation: Int

    /// - Throws: ``PictureStatus/notAPicture``; ``PictureStatus/broken`` if the size cannot be read, or if a JPEG is cut
    ///   off, whose rest its decoder would make up, or has too many scans.
    package init(_ bytes: [UInt8]) throws(PictureStatus) {
        let size: (width: Int, height: Int)?
        let exif: ArraySlice<UInt8>?
        if bytes.starts(with: [0xff, 0xd8, 0xff]) {
            format = .jpeg
            (size, exif) = Self.readJPEG(bytes)
        } else if bytes.starts(with: PNGChunks.signature) {
            format = .png
            (size, exif) = Self.readPNG(bytes)
        } else if bytes.has("RIFF"), bytes.has("WEBP", at: 8) {
            format = .webP
            guard !Self.isAnimatedWebP(bytes) else { throw .notAPicture }
            (size, exif) = Self.readWebP(bytes)
        } else {
            throw .notAPicture
        }
        guard let size, size.width > 0, size.height > 0 else { throw .broken }
        (width, height) = size
        orientation = exif.flatMap(Self.orientation) ?? 1
    }

    private typealias Reading = (size: (width: Int, height: Int)?, exif: ArraySlice<UInt8>?)

    private static func readJPEG(_ bytes: [UInt8]) -> Reading {
        var size: (width: Int, height: Int)?
        var exif: ArraySlice<UInt8>?
        var scanCount = 0
        for segment in JPEGSegments(bytes) {
            let content = bytes[segment.content]
            switch segment.marker {
            case JPEGSegments.Segment.end: return (size, exif)
            case JPEGSegments.Segment.scan:
                scanCount += 1
                guard scanCount <= PictureLimits.mostScans else { return (nil, nil) }
            case JPEGSegments.Segment.application1 where exif == nil && content.has("Exif"): exif = content
            case _ where segment.isFrame:
                guard let height = content.number(at: 1, length: 2), let width = content.number(at: 3, length: 2) else {
                    return (nil, nil)
                }
                size = size ?? (width, height)
            default: break
            }
        }
        return (nil, nil)
    }

    private static func readPNG(_ bytes: [UInt8]) -> Reading {
        var chunks = PNGChunks(bytes)
        guard let first = chunks.next(), first.name.has("IHDR"),
            let width = bytes[first.content].number(at: 0, length: 4),
            let height = bytes[first.content].number(at: 4, length: 4)
        else { return (nil, nil) }
        return ((width, height), chunks.first { $0.name.has("eXIf") }.map { bytes[$0.content] })
    }

    private static func isAnimatedWebP(_ bytes: [UInt8]) -> Bool {
        bytes.has("VP8X", at: 12) && bytes.number(at: 20, length: 1).map { $0 & 2 != 0 } == true
    }

    private static func readWebP(_ bytes: [UInt8]) -> Reading {
        func number(_ offset: Int, _ length: Int) -> Int? {
            bytes.number(at: offset, length: length, isBigEndian: false)
        }
        if bytes.has("VP8 ", at: 12), let width = number(26, 2), let height = number(28, 2) {
            return ((width & 0x3fff, height & 0x3fff), nil)
        }
        if bytes.has("VP8L", at: 12), let both = number(21, 4) {
            return ((both & 0x3fff + 1, both >> 14 & 0x3fff + 1), nil)
        }
        guard bytes.has("VP8X", at: 12), let width = number(24, 3), let height = number(27, 3) else {
            return (nil, nil)
        }
        var start = 12
        while let length = number(start + 4, 4), length <= bytes.count - start - 8 {
            if bytes.has("EXIF", at: start) {
                return ((width + 1, height + 1), bytes[start + 8..<start + 8 + length])
            }
            start += 8 + length + length % 2
        }
        return ((width + 1, height + 1), nil)
    }

    /// The orientation in an EXIF block: an entry of the first directory of a TIFF. Nothing else of it is read.
    private static func orientation(_ exif: ArraySlice<UInt8>) -> Int? {
        let tiff = exif.has("Exif") ? exif.dropFirst(6) : exif
        let isBigEndian = tiff.has("MM")
        func number(_ offset: Int, _ length: Int) -> Int? {
            tiff.number(at: offset, length: length, isBigEndian: isBigEndian)
        }
        guard isBigEndian || tiff.has("II"), let directory = number(4, 4), let count = number(directory, 2) else {
            return nil
        }
        for entry in 0..<count {
            let start = directory + 2 + entry * 12
            guard let tag = number(start, 2) else { return nil }
            if tag == 0x0112 { return number(start + 8, 2).flatMap { 1...8 ~= $0 ? $0 : nil } }
        }
        return nil
    }
}

import CLibGD
import PictureFormat

/// A picture that somebody sent, decoded.
struct Drawing {
    /// Of the JPEG that is written, up to 100.
    private static let quality: Int32 = 85
    private static let white: Int32 = 0xff_ffff

    private let header: PictureHeader
    private let picture: gdImagePtr

    /// - Parameter bytes: a JPEG, PNG or WebP.
    init(_ bytes: [UInt8]) throws(PictureStatus) {
        header = try PictureHeader(bytes)
        guard max(header.width, header.height) <= PictureLimits.longestSide,
            header.width * header.height <= PictureLimits.mostPixels
        else { throw .tooManyPixels }
        // A decoder that sees another size than we did has been misled, or we have.
        guard let picture = Self.decode(bytes, header.format),
            picture.pointee.sx == header.width, picture.pointee.sy == header.height
        else { throw .broken }
        // libgd keeps the one transparent colour of an RGB PNG apart.
        if picture.pointee.trueColor != 0, picture.pointee.transparent >= 0 {
            gdImageColorReplace(picture, picture.pointee.transparent, Self.white)
        }
        self.picture = picture
    }

    /// The JPEG of its centre: a square of at most ``PictureLimits/storedSide``.
    func square() throws(PictureStatus) -> [UInt8] {
        let side = min(header.width, header.height)
        let stored = min(side, PictureLimits.storedSide)
        return try jpeg(
            x: (header.width - side) / 2, y: (header.height - side) / 2, width: side, height: side,
            storedWidth: stored, storedHeight: stored)
    }

    /// The JPEG of all of it, of at most ``PictureLimits/receiptPixels``.
    func whole() throws(PictureStatus) -> [UInt8] {
        let scale = min(1, (Double(PictureLimits.receiptPixels) / Double(header.width * header.height)).squareRoot())
        return try jpeg(
            x: 0, y: 0, width: header.width, height: header.height,
            storedWidth: max(1, Int(Double(header.width) * scale)),
            storedHeight: max(1, Int(Double(header.height) * scale)))
    }

    /// Reads one format only: none of the others that libgd knows can be reached.
    private static func decode(_ bytes: [UInt8], _ format: PictureHeader.Format) -> gdImagePtr? {
        var bytes = format == .png ? pixels(ofPNG: bytes) : bytes
        return bytes.withUnsafeMutableBytes { bytes in
            let (count, start) = (Int32(bytes.count), bytes.baseAddress)
            return switch format {
            case .jpeg: gdImageCreateFromJpegPtr(count, start)
            case .png: gdImageCreateFromPngPtr(count, start)
            case .webP: gdImageCreateFromWebpPtr(count, start)
            }
        }
    }

    /// A PNG without texts and profiles: libpng would unpack them, which may take minutes.
    private static func pixels(ofPNG bytes: [UInt8]) -> [UInt8] {
        PNGChunks(bytes).reduce(into: PNGChunks.signature) { kept, chunk in
            if chunk.isOfPixels { kept += bytes[chunk.whole] }
        }
    }

    /// The JPEG of a part on white, scaled down and turned upright, without the comment in which libgd names itself.
    private func jpeg(
        x: Int, y: Int, width: Int, height: Int, storedWidth: Int, storedHeight: Int
    ) throws(PictureStatus) -> [UInt8] {
        let (right, bottom) = (Int32(storedWidth), Int32(storedHeight))
        guard let part = gdImageCreateTrueColor(right, bottom) else { throw .broken }
        gdImageFilledRectangle(part, 0, 0, right - 1, bottom - 1, Self.white)
        gdImageCopyResampled(part, picture, 0, 0, Int32(x), Int32(y), right, bottom, Int32(width), Int32(height))
        var count: Int32 = 0
        guard let upright = Self.turned(part, by: header.orientation),
            let start = gdImageJpegPtr(upright, &count, Self.quality)
        else { throw .broken }
        let bytes = Array(UnsafeRawBufferPointer(start: start, count: Int(count)))
        return JPEGSegments(bytes).reduce(into: Array(bytes.prefix(2))) { kept, segment in
            if segment.marker != JPEGSegments.Segment.comment { kept += bytes[segment.whole] }
        }
    }

    /// A picture turned upright.
    ///
    /// - Parameter orientation: as EXIF numbers them. From 5 on, rows have to become columns.
    private static func turned(_ picture: gdImagePtr, by orientation: Int) -> gdImagePtr? {
        var turned = picture
        if orientation >= 5 {
            guard let columns = gdImageCreateTrueColor(picture.pointee.sy, picture.pointee.sx) else { return nil }
            for row in 0..<picture.pointee.sy {
                for column in 0..<picture.pointee.sx {
                    gdImageSetPixel(columns, row, column, gdImageGetPixel(picture, column, row))
                }
            }
            turned = columns
        }
        switch orientation {
        case 2, 6: gdImageFlipHorizontal(turned)
        case 3, 7: gdImageFlipBoth(turned)
        case 4, 8: gdImageFlipVertical(turned)
        default: break
        }
        return turned
    }
}

import CLibGD
import Glibc
import PictureFormat

/// Makes a profile picture (rule 12.7): reads a JPEG, PNG or WebP from standard input and writes a square JPEG of at most
/// 512 pixels, without metadata, to standard output, which must not be a file. Exits with a ``PictureStatus``.
///
/// Whoever takes over a decoder is locked up in here: before it reads a byte, the process gives up all but its standard
/// streams and some memory and time. Foundation is not linked, because it would take longer to start than a picture.
@main
enum Main {
    /// A WebP with transparency and ``PictureLimits/mostPixels``, the hungriest kind, takes 600 MiB.
    private static let mostMemory = 640 << 20
    private static let mostSeconds: UInt32 = 8
    /// Of the JPEG that is written, up to 100.
    private static let quality: Int32 = 85
    private static let white: Int32 = 0xff_ffff

    static func main() {
        // Not exit(), which would run the destructors of all libraries.
        _exit(run().rawValue)
    }

    private static func run() -> PictureStatus {
        guard cherish_confine(mostMemory, mostSeconds) else { return .unconfined }
        do throws(PictureStatus) {
            try write(jpeg(of: square(from: input())))
            return .done
        } catch {
            return error
        }
    }

    private static func input() throws(PictureStatus) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: PictureLimits.mostBytes + 1)
        var count = 0
        while count < bytes.count {
            let length = bytes.withUnsafeMutableBytes {
                read(STDIN_FILENO, $0.baseAddress?.advanced(by: count), $0.count - count)
            }
            if length < 0, errno == EINTR { continue }
            guard length > 0 else { break }
            count += length
        }
        guard count <= PictureLimits.mostBytes else { throw .tooManyBytes }
        return Array(bytes[..<count])
    }

    private static func write(_ bytes: [UInt8]) throws(PictureStatus) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let length = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if length < 0, errno == EINTR { continue }
            guard length > 0 else { throw .broken }
            rest = rest.dropFirst(length)
        }
    }

    /// The centre of a picture on white, scaled down and turned upright.
    private static func square(from bytes: [UInt8]) throws(PictureStatus) -> gdImagePtr {
        let header = try PictureHeader(bytes)
        guard max(header.width, header.height) <= PictureLimits.longestSide,
            header.width * header.height <= PictureLimits.mostPixels
        else { throw .tooManyPixels }
        // A decoder that sees another size than we did has been misled, or we have.
        guard let picture = decode(bytes, header.format),
            picture.pointee.sx == header.width, picture.pointee.sy == header.height
        else { throw .broken }
        // libgd keeps the one transparent colour of an RGB PNG apart.
        if picture.pointee.trueColor != 0, picture.pointee.transparent >= 0 {
            gdImageColorReplace(picture, picture.pointee.transparent, white)
        }

        let side = min(header.width, header.height)
        let stored = Int32(min(side, PictureLimits.storedSide))
        guard let square = gdImageCreateTrueColor(stored, stored) else { throw .broken }
        gdImageFilledRectangle(square, 0, 0, stored - 1, stored - 1, white)
        gdImageCopyResampled(
            square, picture, 0, 0, Int32((header.width - side) / 2), Int32((header.height - side) / 2),
            stored, stored, Int32(side), Int32(side))
        turn(square, to: header.orientation)
        return square
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

    /// Turns a square upright.
    ///
    /// - Parameter orientation: as EXIF numbers them. From 5 on, rows have to become columns.
    private static func turn(_ square: gdImagePtr, to orientation: Int) {
        if orientation >= 5 {
            for row in 0..<square.pointee.sy {
                for column in 0..<row {
                    let pixel = gdImageGetPixel(square, column, row)
                    gdImageSetPixel(square, column, row, gdImageGetPixel(square, row, column))
                    gdImageSetPixel(square, row, column, pixel)
                }
            }
        }
        switch orientation {
        case 2, 6: gdImageFlipHorizontal(square)
        case 3, 7: gdImageFlipBoth(square)
        case 4, 8: gdImageFlipVertical(square)
        default: break
        }
    }

    /// The JPEG of a square, without the comment in which libgd names itself.
    private static func jpeg(of square: gdImagePtr) throws(PictureStatus) -> [UInt8] {
        var count: Int32 = 0
        guard let start = gdImageJpegPtr(square, &count, quality) else { throw .broken }
        let bytes = Array(UnsafeRawBufferPointer(start: start, count: Int(count)))
        return JPEGSegments(bytes).reduce(into: Array(bytes.prefix(2))) { kept, segment in
            if segment.marker != JPEGSegments.Segment.comment { kept += bytes[segment.whole] }
        }
    }
}

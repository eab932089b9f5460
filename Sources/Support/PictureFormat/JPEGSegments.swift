/// The segments of a JPEG behind its first marker, up to its end, as far as they are well-formed.
package struct JPEGSegments: Sequence, IteratorProtocol {
    package struct Segment {
        /// The second byte of its marker.
        package let marker: UInt8
        /// All of it, with its marker and, behind the head of a scan, the compressed data.
        package let whole: Range<Int>
        /// What its length covers.
        package let content: Range<Int>
    }

    private let bytes: [UInt8]
    /// Where the next segment begins; nil after the last one.
    private var start: Int? = 2

    /// - Parameter bytes: a file that begins with the marker of a JPEG.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    package mutating func next() -> Segment? {
        guard let start, bytes.number(at: start, length: 1) == 0xff,
            // A marker may begin with any number of these.
            let code = bytes[start...].firstIndex(where: { $0 != 0xff })
        else { return nil }
        let content = code + 1
        if bytes[code] == Segment.end {
            self.start = nil
            return Segment(marker: Segment.end, whole: start..<content, content: content..<content)
        }
        guard let length = bytes.number(at: content, length: 2), length >= 2, length <= bytes.count - content else {
            return nil
        }
        let end = bytes[code] == Segment.scan ? endOfData(from: content + length) : content + length
        self.start = end
        return Segment(marker: bytes[code], whole: start..<end, content: content + 2..<content + length)
    }

    /// Where compressed data end: at the next marker that may not be among them.
    private func endOfData(from start: Int) -> Int {
        var index = start
        while index < bytes.count - 1 {
            if bytes[index] == 0xff, bytes[index + 1] != 0, !(0xd0...0xd7 ~= bytes[index + 1]) { return index }
            index += 1
        }
        return bytes.count
    }
}

extension JPEGSegments.Segment {
    package static let application1: UInt8 = 0xe1
    package static let comment: UInt8 = 0xfe
    package static let end: UInt8 = 0xd9
    package static let scan: UInt8 = 0xda

    /// Whether pixels or their colours depend on it: no comment and no segment of a program, but for the heads of JFIF and Adobe,
    /// which say how colours are meant.
    package var isOfPixels: Bool {
        switch marker {
        case 0xe0: content.count == 14
        case 0xee: content.count == 12
        case 0xe1...0xef, Self.comment: false
        default: true
        }
    }

    /// Whether it tells the size of the picture: a "start of frame". DHT, JPG and DAC lie between these.
    package var isFrame: Bool { 0xc0...0xcf ~= marker && ![0xc4, 0xc8, 0xcc].contains(marker) }
}

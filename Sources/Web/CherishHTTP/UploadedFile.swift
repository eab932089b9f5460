import AddressBook
import Foundation
import HTTPTypes
import Secrets

/// A file that somebody sends as the body, or as the only part of a form (RFC 7578). It waits in a file without a name.
package struct UploadedFile: Sendable {
    private static let pieceLength = 256 * 1024

    /// As the sender calls it; text of any kind. Empty if it has no name.
    package let name: String
    /// The SHA-256 of its bytes.
    let digest: [UInt8]
    private let body: SpooledFile
    /// Where it lies in the body.
    private let range: Range<Int>

    /// Finds the file in a body.
    ///
    /// - Throws: ``RefusedRequest/brokenForm`` for a form that is none, or holds anything but one file.
    init(_ body: SpooledFile, headers: HTTPFields) throws {
        self.body = body
        let type = headers[.contentType] ?? ""
        if type.lowercased().hasPrefix("multipart/form-data") {
            guard let boundary = HeaderParameter.value(of: "boundary", in: type) else {
                throw RefusedRequest.brokenForm
            }
            let file = try body.withBytes { try MultipartForm.onlyFile(in: $0, boundary: boundary) }
            (name, range) = (file.name, file.range)
        } else {
            name = headers[.contentDisposition].flatMap { HeaderParameter.value(of: "filename", in: $0) } ?? ""
            range = 0..<body.length
        }
        digest = try SecretHash.sha256(of: UploadedFile.pieces(of: body, range))
    }

    /// Its bytes, piece by piece.
    package var source: ByteSource {
        ByteSource(
            name: name.isEmpty ? "the file" : name, size: range.count, next: UploadedFile.pieces(of: body, range))
    }

    /// All its bytes, of a file that is known to be small.
    package func bytes() throws -> [UInt8] {
        let next = UploadedFile.pieces(of: body, range)
        var bytes: [UInt8] = []
        while let piece = try next() { bytes += piece }
        return bytes
    }

    private static func pieces(of body: SpooledFile, _ range: Range<Int>) -> () throws -> [UInt8]? {
        var rest = range
        return {
            if rest.isEmpty { return nil }
            let piece = try body.piece(rest.prefix(pieceLength))
            rest = rest.lowerBound + piece.count..<rest.upperBound
            return piece
        }
    }
}

/// A form of several parts, as browsers send it (RFC 7578, RFC 2046). It is read here and not by a library, because only one
/// part is taken, and that stays in its file.
enum MultipartForm {
    /// Bytes of the headers of a part.
    private static let mostHeaderBytes = 8_192

    /// The only part, which must be a file.
    ///
    /// - Throws: ``RefusedRequest/brokenForm``.
    static func onlyFile(in bytes: UnsafeRawBufferPointer, boundary: String) throws -> (
        name: String, range: Range<Int>
    ) {
        guard (1...70).contains(boundary.utf8.count) else { throw RefusedRequest.brokenForm }
        let delimiter = Array("\r\n--\(boundary)".utf8)
        // The first delimiter needs no line break before it.
        guard bytes.starts(with: delimiter.dropFirst(2)) else { throw RefusedRequest.brokenForm }
        let headersStart = try endOfLine(after: delimiter.count - 2, in: bytes)
        let headersEnd = bytes.firstRange(
            of: Array("\r\n\r\n".utf8), in: headersStart - 2..<min(bytes.count, headersStart + mostHeaderBytes))
        guard let headersEnd else { throw RefusedRequest.brokenForm }
        guard let end = bytes.firstRange(of: delimiter, in: headersEnd.upperBound..<bytes.count),
            // Two hyphens behind the delimiter end the form. Another part would be a value that nobody reads.
            bytes[end.upperBound...].starts(with: "--".utf8),
            bytes[(end.upperBound + 2)...].allSatisfy({ " \t\r\n".utf8.contains($0) })
        else { throw RefusedRequest.brokenForm }
        let headers = String(decoding: bytes[headersStart..<max(headersStart, headersEnd.lowerBound)], as: UTF8.self)
        guard let name = try fileName(headers) else { throw RefusedRequest.brokenForm }
        return (name, headersEnd.upperBound..<end.lowerBound)
    }

    /// Behind the line break that ends a delimiter; only blanks may come before it.
    private static func endOfLine(after start: Int, in bytes: UnsafeRawBufferPointer) throws -> Int {
        guard let end = bytes.firstRange(of: Array("\r\n".utf8), in: start..<min(bytes.count, start + 100)),
            bytes[start..<end.lowerBound].allSatisfy({ " \t".utf8.contains($0) })
        else { throw RefusedRequest.brokenForm }
        return end.upperBound
    }

    /// The name of a part that is a file; nil for another value.
    private static func fileName(_ headers: String) throws -> String? {
        var disposition: Substring?
        for line in headers.split(separator: "\r\n") {
            guard let colon = line.firstIndex(of: ":") else { throw RefusedRequest.brokenForm }
            switch line[..<colon].lowercased() {
            case "content-disposition": disposition = line[line.index(after: colon)...]
            case "content-transfer-encoding":
                // Nobody sends others any more (RFC 7578, 4.7).
                let encoding = line[line.index(after: colon)...].lowercased().filter { $0 != " " }
                guard ["binary", "8bit", "7bit"].contains(encoding) else { throw RefusedRequest.brokenForm }
            default: continue
            }
        }
        // Browsers write a quote in a name as %22.
        return disposition.flatMap { HeaderParameter.value(of: "filename", in: String($0)) }?
            .replacing("%22", with: "\"")
    }
}

/// Parameters of a header, such as `form-data; name="file"; filename="friends.vcf"`.
enum HeaderParameter {
    /// - Returns: the text of the first one of that name, without quotes; nil if there is none, or none that is whole.
    static func value(of name: String, in header: String) -> String? {
        var rest = header[...].drop { $0 != ";" }
        while rest.popFirst() != nil {
            rest = rest.drop { $0 == " " || $0 == "\t" }
            let found = rest.prefix { $0 != "=" && $0 != ";" }
            rest = rest.dropFirst(found.count)
            guard rest.first == "=" else { continue }
            rest = rest.dropFirst()
            guard let value = takeValue(&rest) else { return nil }
            if found.lowercased() == name { return value }
            rest = rest.drop { $0 != ";" }
        }
        return nil
    }

    private static func takeValue(_ rest: inout Substring) -> String? {
        guard rest.first == "\"" else {
            let token = rest.prefix { $0 != ";" && $0 != " " }
            rest = rest.dropFirst(token.count)
            return String(token)
        }
        var value = ""
        rest = rest.dropFirst()
        while let character = rest.popFirst() {
            switch character {
            case "\"": return value
            case "\\" where rest.first == "\"" || rest.first == "\\": value.append(rest.removeFirst())
            default: value.append(character)
            }
        }
        return nil
    }
}

extension UnsafeRawBufferPointer {
    /// Where a pattern is first found within a range.
    fileprivate func firstRange(of pattern: [UInt8], in range: Range<Int>) -> Range<Int>? {
        guard let base = baseAddress, let first = pattern.first else { return nil }
        var start = range.lowerBound
        while start + pattern.count <= range.upperBound,
            let found = memchr(base + start, CInt(first), range.upperBound - start)
        {
            let place = UnsafeRawPointer(found) - base
            if place + pattern.count <= range.upperBound, memcmp(found, pattern, pattern.count) == 0 {
                return place..<place + pattern.count
            }
            start = place + 1
        }
        return nil
    }
}

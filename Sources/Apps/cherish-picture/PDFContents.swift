import CLibQPDF
import Glibc
import PictureFormat

/// What people see of a PDF: its pages, and nothing that they cannot see.
///
/// The pages move into a new document. What a reader might run, follow or unpack stays behind, as do titles, authors, dates
/// and forms: they hang on the old document, or on parts of a page that are not copied. Of the streams on which a page depends,
/// such as pictures and fonts, only those parts are copied that this file names, and of a JPEG only its pixels.
enum PDFContents {
    /// What is copied of a page.
    private static let partsOfPage: Set = [
        "/Type", "/Parent", "/Resources", "/MediaBox", "/CropBox", "/Contents", "/Rotate", "/UserUnit", "/Group",
    ]

    static func isPDF(_ bytes: [UInt8]) -> Bool { bytes.starts(with: "%PDF-".utf8) }

    /// A document with the same pages and nothing else.
    static func alone(in bytes: [UInt8]) throws(PictureStatus) -> [UInt8] {
        let original = Document(qpdf_init())
        guard bytes.withUnsafeBytes({ original.reads($0) }) else { throw .broken }
        let count = qpdf_get_num_pages(original.handle)
        guard (1...Int32(PictureLimits.mostPages)).contains(count) else { throw count < 0 ? .broken : .tooManyPages }
        qpdf_push_inherited_attributes_to_page(original.handle)

        let copy = Document(qpdf_init())
        qpdf_empty_pdf(copy.handle)
        var cleaning = Cleaning(original)
        for number in 0..<Int(count) {
            let page = qpdf_get_page_n(original.handle, number)
            original.keep(partsOfPage, of: page)
            try cleaning.clean(page)
            guard qpdf_add_page(copy.handle, original.handle, page, 0) == 0 else { throw .broken }
        }
        guard !original.hasFailed, let written = copy.written(), written.count <= PictureLimits.mostBytes else {
            throw .broken
        }
        return written
    }

    /// A document of libqpdf. It is never freed: the process ends with its picture.
    fileprivate struct Document {
        let handle: qpdf_data

        init(_ handle: qpdf_data) {
            self.handle = handle
            qpdf_silence_errors(handle)
            qpdf_set_suppress_warnings(handle, 1)
        }

        var hasFailed: Bool { qpdf_has_error(handle) != 0 }

        /// - Parameter bytes: must outlive the document.
        func reads(_ bytes: UnsafeRawBufferPointer) -> Bool {
            let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            return qpdf_read_memory(handle, "", start, UInt64(bytes.count), nil) & Int32(QPDF_ERRORS) == 0
        }

        /// The keys of a dictionary, as text, and as the C strings by which libqpdf finds them: they need not be UTF-8.
        func keys(of dictionary: qpdf_oh) -> [(name: String, key: [CChar])] {
            qpdf_oh_begin_dict_key_iter(handle, dictionary)
            var keys: [(String, [CChar])] = []
            while qpdf_oh_dict_more_keys(handle) != 0 {
                guard let key = qpdf_oh_dict_next_key(handle) else { break }
                keys.append((String(cString: key), Array(UnsafeBufferPointer(start: key, count: strlen(key) + 1))))
            }
            return keys
        }

        /// Removes all parts of a dictionary but some.
        func keep(_ parts: Set<String>, of dictionary: qpdf_oh) {
            for (name, key) in keys(of: dictionary) where !parts.contains(name) {
                qpdf_oh_remove_key(handle, dictionary, key)
            }
        }

        func written() -> [UInt8]? {
            guard qpdf_init_write_memory(handle) & Int32(QPDF_ERRORS) == 0 else { return nil }
            qpdf_set_stream_data_mode(handle, qpdf_s_preserve)
            qpdf_set_object_stream_mode(handle, qpdf_o_generate)
            // The other kind tells when the file was written.
            qpdf_set_deterministic_ID(handle, 1)
            guard qpdf_write(handle) & Int32(QPDF_ERRORS) == 0, let start = qpdf_get_buffer(handle) else { return nil }
            return Array(UnsafeBufferPointer(start: start, count: qpdf_get_buffer_length(handle)))
        }
    }
}

/// Removes what hides in the objects on which a page depends.
private struct Cleaning {
    /// What is copied of the names by which a page knows fonts, pictures and the like: no layers, and no notes about parts of
    /// the page.
    private static let resources: Set = [
        "/Font", "/XObject", "/ExtGState", "/ColorSpace", "/Pattern", "/Shading", "/ProcSet",
    ]
    /// What is copied of a stream (ISO 32000-1, by kind): no descriptions, no working files of editors, and no contents that
    /// lie in another file.
    private static let partsOfStream: Set = [
        "/Length", "/Filter", "/DecodeParms", "/Type", "/Subtype",
        // Pictures
        "/Width", "/Height", "/ColorSpace", "/BitsPerComponent", "/Intent", "/ImageMask", "/Mask", "/Decode",
        "/Interpolate",
        "/SMask", "/Matte",
        // Forms and patterns
        "/FormType", "/BBox", "/Matrix", "/Resources", "/Group", "/PatternType", "/PaintType", "/TilingType", "/XStep",
        "/YStep",
        // Shadings and functions
        "/ShadingType", "/Background", "/AntiAlias", "/BitsPerCoordinate", "/BitsPerFlag", "/VerticesPerRow",
        "/Function",
        "/FunctionType", "/Domain", "/Range", "/Size", "/BitsPerSample", "/Order", "/Encode",
        // Fonts, their encodings, and profiles of colours
        "/Length1", "/Length2", "/Length3", "/CMapName", "/CIDSystemInfo", "/WMode", "/UseCMap", "/N", "/Alternate",
        // Tables of JBIG2
        "/JBIG2Globals",
    ]
    /// Filters that carry nothing but what is filtered. JPXDecode is not among them: its descriptions cannot be removed
    /// without decoding it.
    private static let filters: Set = [
        "/FlateDecode", "/LZWDecode", "/ASCIIHexDecode", "/ASCII85Decode", "/RunLengthDecode", "/CCITTFaxDecode",
        "/JBIG2Decode",
    ]

    private let document: PDFContents.Document
    private var seen: Set<Int32> = []

    init(_ document: PDFContents.Document) {
        self.document = document
    }

    /// Cleans an object and all that it refers to. The line of those that wait takes the place of calls within calls, which
    /// a document could nest until the stack ends.
    mutating func clean(_ object: qpdf_oh) throws(PictureStatus) {
        let handle = document.handle
        var waiting = [object]
        while let object = waiting.popLast() {
            if qpdf_oh_is_indirect(handle, object) != 0,
                !seen.insert(qpdf_oh_get_object_id(handle, object)).inserted
            {
                continue
            }
            if qpdf_oh_is_array(handle, object) != 0 {
                for index in 0..<qpdf_oh_get_array_n_items(handle, object) {
                    waiting.append(qpdf_oh_get_array_item(handle, object, index))
                }
                continue
            }
            let isStream = qpdf_oh_is_stream(handle, object) != 0
            guard isStream || qpdf_oh_is_dictionary(handle, object) != 0 else { continue }
            let dictionary = isStream ? qpdf_oh_get_dict(handle, object) : object
            if isStream { try cleanStream(object, dictionary) }
            for (name, key) in document.keys(of: dictionary) {
                let value = qpdf_oh_get_key(handle, dictionary, key)
                // The way back to all other pages.
                if name == "/Parent" { continue }
                if name == "/Resources" { document.keep(Self.resources, of: value) }
                waiting.append(value)
            }
        }
    }

    private func cleanStream(_ stream: qpdf_oh, _ dictionary: qpdf_oh) throws(PictureStatus) {
        document.keep(Self.partsOfStream, of: dictionary)
        let filters = filters(of: dictionary)
        if filters == ["/DCTDecode"] {
            try cleanJPEG(stream, dictionary)
        } else if !Self.filters.isSuperset(of: filters) {
            throw .broken
        }
    }

    private func filters(of dictionary: qpdf_oh) -> [String] {
        let handle = document.handle
        let value = qpdf_oh_get_key(handle, dictionary, "/Filter")
        let items =
            qpdf_oh_is_array(handle, value) != 0
            ? (0..<qpdf_oh_get_array_n_items(handle, value)).map { qpdf_oh_get_array_item(handle, value, $0) } : [value]
        return items.filter { qpdf_oh_is_name(handle, $0) != 0 }.compactMap { item in
            qpdf_oh_get_name(handle, item).map { String(cString: $0) }
        }
    }

    /// Removes the segments of a JPEG in which cameras and editors write. Its pixels are not decoded.
    private func cleanJPEG(_ stream: qpdf_oh, _ dictionary: qpdf_oh) throws(PictureStatus) {
        let handle = document.handle
        var start: UnsafeMutablePointer<UInt8>?
        var count = 0
        guard qpdf_oh_get_stream_data(handle, stream, qpdf_dl_none, nil, &start, &count) & Int32(QPDF_ERRORS) == 0,
            let start
        else { throw .broken }
        let bytes = Array(UnsafeBufferPointer(start: start, count: count))
        guard bytes.starts(with: [0xff, 0xd8]) else { throw .broken }
        var kept = Array(bytes.prefix(2))
        var isWhole = false
        for segment in JPEGSegments(bytes) {
            isWhole = segment.marker == JPEGSegments.Segment.end
            if segment.isOfPixels { kept += bytes[segment.whole] }
        }
        guard isWhole else { throw .broken }
        kept.withUnsafeBufferPointer { kept in
            qpdf_oh_replace_stream_data(
                handle, stream, kept.baseAddress, kept.count, qpdf_oh_get_key(handle, dictionary, "/Filter"),
                qpdf_oh_get_key(handle, dictionary, "/DecodeParms"))
        }
    }
}

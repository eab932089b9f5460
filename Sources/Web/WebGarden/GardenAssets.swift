import CGardenAssets
import Foundation
import Secrets

/// The files that pages load: styles, scripts, pictures. Their names contain a hash of what is in them, so browsers keep
/// them for ever.
struct GardenAssets: Sendable {
    /// A file as it is served.
    struct File: Sendable {
        let name, mediaType: String
        let bytes: [UInt8]
        /// The same by gzip, if that is shorter.
        let compressed: [UInt8]?

        init(name: String, mediaType: String, bytes: [UInt8]) {
            (self.name, self.mediaType, self.bytes) = (name, mediaType, bytes)
            let compressed = mediaType.hasPrefix("image/png") ? nil : Gzip.compress(bytes, level: 12)
            self.compressed = compressed.flatMap { $0.count < bytes.count ? $0 : nil }
        }
    }

    /// By the name with its hash.
    let files: [String: File]
    /// The service worker, whose name must stay.
    let worker: File
    /// From `garden.css` to its path with a hash.
    private let paths: [String: String]

    static let shared = GardenAssets(sources: embedded)

    /// The paths of the modules that `garden.js` imports, for browsers to load at once.
    let modules: [String]

    /// The path of a file.
    ///
    /// - Parameter name: as the file is called in `Assets`, or `garden.css`, which is all styles in one.
    func path(_ name: String) -> String { paths[name] ?? "/assets/\(name)" }

    /// - Parameter sources: the files by name.
    init(sources: [String: [UInt8]]) {
        var naming = Naming(sources: sources)
        for name in sources.keys.sorted() where !name.hasSuffix(".css") && name != "worker.js" { _ = naming.path(name) }
        _ = naming.path("garden.css")
        let version = Naming.hash(Array(naming.files.keys.sorted().joined().utf8))
        let shell = naming.files.keys.sorted().filter { !$0.hasPrefix("icon-") && !$0.hasPrefix("apple-") }
        let list = shell.map { "\"/assets/\($0)\"" }.joined(separator: ", ")
        let text = Self.withoutComments(naming.rewritten("worker.js")).replacing("/* assets */", with: list)
            .replacing("/* version */", with: version)
        worker = File(name: "worker.js", mediaType: "text/javascript; charset=utf-8", bytes: Array(text.utf8))
        (files, paths) = (naming.files, naming.paths)
        modules = naming.paths.filter { $0.key.hasSuffix(".js") && !["garden.js", "cover.js"].contains($0.key) }
            .map(\.value).sorted()
    }

    /// A script without the lines that are comments, which are a third of it and of no use to browsers.
    static func withoutComments(_ script: String) -> String {
        var isInside = false
        let lines = script.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
            let text = line.drop { $0 == " " }
            if isInside {
                isInside = !text.hasSuffix("*/")
                return false
            }
            if text.hasPrefix("//") { return false }
            guard text.hasPrefix("/**") else { return true }
            // A cast stands before code.
            if text.contains("*/") { return !text.hasSuffix("*/") }
            isInside = true
            return false
        }
        return lines.joined(separator: "\n")
    }

    /// What the program contains.
    static var embedded: [String: [UInt8]] {
        let files = UnsafeBufferPointer(start: garden_assets(), count: garden_asset_count).map { asset in
            (String(cString: asset.name), [UInt8](UnsafeBufferPointer(start: asset.bytes, count: asset.length)))
        }
        return Dictionary(uniqueKeysWithValues: files)
    }
}

/// Gives files their names with hashes. A file that names others gets its own after theirs.
private struct Naming {
    let sources: [String: [UInt8]]
    var files: [String: GardenAssets.File] = [:]
    var paths: [String: String] = [:]

    init(sources: [String: [UInt8]]) {
        self.sources = sources
    }

    static func hash(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef")
        return String(SecretHash.sha256(bytes).prefix(8).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }

    mutating func path(_ name: String) -> String {
        if let path = paths[name] { return path }
        let bytes =
            name.hasSuffix(".js")
            ? Array(GardenAssets.withoutComments(rewritten(name)).utf8)
            : name.hasSuffix(".css") ? Array(rewritten(name).utf8) : source(name)
        let parts = name.split(separator: ".")
        let hashed = "\(parts[0]).\(Self.hash(bytes)).\(parts[1])"
        files[hashed] = GardenAssets.File(name: hashed, mediaType: Self.mediaType(of: name), bytes: bytes)
        paths[name] = "/assets/\(hashed)"
        return "/assets/\(hashed)"
    }

    /// The text of a file, in which `"./counter.js"` and `/assets/plants.svg` have become the paths of those files.
    mutating func rewritten(_ name: String) -> String {
        var text = String(decoding: source(name), as: UTF8.self)
        for other in sources.keys.sorted() where other != name {
            for reference in ["\"./\(other)\"", "\"/assets/\(other)\"", "\"/assets/\(other)#"]
            where text.contains(reference) {
                let (start, end) = ("\"", reference.last == "#" ? "#" : "\"")
                text = text.replacing(reference, with: "\(start)\(path(other))\(end)")
            }
        }
        return text
    }

    private func source(_ name: String) -> [UInt8] {
        if let bytes = sources[name] { return bytes }
        return sources.keys.filter { $0.hasSuffix(".css") }.sorted().flatMap { sources[$0] ?? [] }
    }

    private static func mediaType(of name: String) -> String {
        switch name.split(separator: ".").last {
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "svg": "image/svg+xml"
        default: "image/png"
        }
    }
}

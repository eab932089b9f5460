import GardenArchive

/// Reads an input as the document of an account, and ends the process when a promise of reading or writing is broken.
/// libFuzzer calls it.
///
/// - Parameters:
///   - data: The input.
///   - count: How many bytes it has.
/// - Returns: 0, which libFuzzer asks for.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAccountArchive(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: data, count: count))
    do {
        if let document = try rewritten(input) { requireSameAgain(document) }
    } catch is ExportProblem {
        // So end most inputs.
    } catch {
        fatalError("a document is refused by ArchiveProblem alone, and not by \(error)")
    }
    return 0
}

/// The document of the account that another one holds; nil when it holds a new account, which is not written.
private func rewritten(_ document: [UInt8]) throws -> [UInt8]? {
    guard case .archive(let archive) = try ExportDocument.decode(document) else { return nil }
    do {
        return try ExportDocument.encode(archive, pretty: false)
    } catch {
        fatalError("what was read cannot be written: \(error)")
    }
}

/// Only what others wrote may be refused: our own document is read, and becomes the same once more.
private func requireSameAgain(_ document: [UInt8]) {
    do {
        let again = try rewritten(document)
        if again != document { fatalError("\(text(document)) became \(text(again ?? []))") }
    } catch {
        fatalError("what was written cannot be read: \(error) in \(text(document))")
    }
}

private func text(_ document: [UInt8]) -> String {
    String(decoding: document, as: UTF8.self)
}

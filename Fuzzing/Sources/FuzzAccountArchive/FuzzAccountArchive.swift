import GardenArchive

/// Decodes an input as an account document, and aborts if decoding or encoding violates an invariant. Called by
/// libFuzzer.
///
/// - Parameters:
///   - data: The input.
///   - count: Its length in bytes.
/// - Returns: 0, which libFuzzer requires.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAccountArchive(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: data, count: count))
    do {
        if let document = try rewritten(input) { requireSameAgain(document) }
    } catch is ExportProblem {
        // Most inputs end here.
    } catch {
        fatalError("a document is refused by ExportProblem alone, and not by \(error)")
    }
    return 0
}

/// Decodes a document and encodes its account again; nil for a new account, which is never written.
private func rewritten(_ document: [UInt8]) throws -> [UInt8]? {
    guard case .archive(let export) = try ExportDocument.decode(document) else { return nil }
    do {
        return try ExportDocument.encode(export, pretty: false)
    } catch {
        fatalError("what was read cannot be written: \(error)")
    }
}

/// Only foreign documents may be refused: one of our own must decode, and encode to the same bytes.
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

/// Reads an input as an address book, then as a seed file or a table with a column map, and aborts if a reader violates
/// an invariant. Called by libFuzzer.
///
/// - Parameters:
///   - data: The input.
///   - count: Its length in bytes.
/// - Returns: 0, which libFuzzer requires.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAddressBook(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: data, count: count))
    let file = InputFile.shared
    file.fill(with: input)
    let lineLimit = mostLines(in: input)
    let reading = Reading(path: file.path)
    // An optimized build would drop the message of `precondition`.
    if let broken = reading.brokenPromises(mostLines: lineLimit).first { fatalError(broken) }
    // Rarely, because it doubles the time. The input decides, so that a finding is reproducible.
    if count.isMultiple(of: 16), Reading(path: file.path) != reading {
        fatalError("the file holds something else when it is read again")
    }
    if input.first(where: { $0 > UInt8(ascii: " ") }) == UInt8(ascii: "{") {
        let seeds = SeedReading(path: file.path)
        if let broken = seeds.brokenPromises(mostLines: lineLimit).first { fatalError(broken) }
    } else if let columns = columnMap(of: input) {
        let mapped = Reading(path: file.path, columns: columns)
        if let broken = mapped.brokenPromises(mostLines: lineLimit).first { fatalError(broken) }
    }
    return 0
}

import CherishCore

/// Reads an input as a compiled time zone file, and asks the zone what could trap on corrupt data. Called by libFuzzer.
///
/// - Parameters:
///   - data: The input.
///   - count: Its length in bytes.
/// - Returns: 0, which libFuzzer requires.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTimeZoneFile(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: data, count: count))
    // Typed throws: the initializer throws nothing but `TimeZoneFileError`.
    guard let rules = try? TimeZoneRules(name: "Crafted", file: input) else { return 0 }
    for year in [1900, 1970, 2011, 2027, 2050, 2400] {
        guard let day = CivilDay(year: year, month: 3, day: 27), let alarm = TimeOfDay(minuteOfDay: 540) else {
            fatalError("27 March of \(year) is no day, or nine o'clock no time")
        }
        let instant = rules.firstInstant(on: day, at: alarm)
        _ = rules.day(at: instant)
        _ = rules.timeOfDay(at: instant)
        if rules.firstInstant(on: day, at: alarm) != instant {
            fatalError("a zone answers differently when asked again")
        }
    }
    return 0
}

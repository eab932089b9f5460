import CherishCore

/// Reads an input as the compiled file of a time zone, and asks the zone what could end the process on senseless data.
/// libFuzzer calls it.
///
/// - Parameters:
///   - data: The input.
///   - count: How many bytes it has.
/// - Returns: 0, which libFuzzer asks for.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTimeZoneFile(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: data, count: count))
    // The compiler sees to it that nothing but TimeZoneFileError refuses it.
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

import CherishTestSupport
import DocumentEncoding
import Foundation
import SeededChance
import Testing

/// Judged by JSONEncoder and the C library.
@Suite("Numbers and texts")
struct ScalarTests {
    @Test("every character looks as JSONEncoder writes it, in texts and names")
    func characters() throws {
        let scalars = (0...UInt32(0x10FFFF)).compactMap(Unicode.Scalar.init)
        #expect(scalars.count == 1_112_064)
        for start in stride(from: 0, to: scalars.count, by: 2048) {
            var characters = String.UnicodeScalarView()
            characters.append(contentsOf: scalars[start..<min(start + 2048, scalars.count)])
            let document = [String(characters): [String(characters)]]
            #expect(try text(document) == foundationText(document))
        }
    }

    @Test("control characters, quotes and backslashes are escaped, slashes and others are not")
    func escapes() throws {
        let document = "\u{0}\u{8}\t\n\u{B}\u{C}\r\u{10}\u{1F} \"\\/\u{7F}é\u{2028}\u{2029}가"
        #expect(
            try text(document)
                == #""\u0000\b\t\n\u000b\f\r\u0010\u001f \"\\/"# + "\u{7F}é\u{2028}\u{2029}가\"")
    }

    @Test("a double looks as JSONEncoder writes it, and is read as the same number")
    func doubles() throws {
        var chance = SplitMix64(seed: 1)
        var numbers = (0..<repetitions(100_000, inDebug: 20_000)).map { _ in Double(bitPattern: chance.next()) }
        // Every exponent, with the smallest and the largest significand: zeros, subnormal numbers, and all powers of two.
        for exponent in 0...UInt64(0x7FE) {
            let bits = exponent << 52
            numbers += [bits, bits | 1, bits | 0xF_FFFF_FFFF_FFFF].map { Double(bitPattern: $0) }
        }
        for exponent in -323...308 { numbers.append(try #require(Double("1e\(exponent)"))) }
        numbers += (-1000...1000).flatMap { [Double($0), Double($0) / 100] }
        numbers = numbers.filter(\.isFinite).flatMap { [$0, -$0] }
        for start in stride(from: 0, to: numbers.count, by: 1000) {
            let some = Array(numbers[start..<min(start + 1000, numbers.count)])
            let texts = try text(some)
            #expect(try texts == foundationText(some))
            let read = texts.dropFirst().dropLast().split(separator: ",").map { strtod(String($0), nil) }
            #expect(read.map(\.bitPattern) == some.map(\.bitPattern))
        }
        #expect(try text([0, -0.0, 1, 0.1, 1e16, 1e-7, -2.5]) == "[0,-0,1,0.1,1e+16,1e-07,-2.5]")
    }

    @Test("a float looks as JSONEncoder writes it, and is read as the same number")
    func floats() throws {
        var chance = SplitMix64(seed: 2)
        let numbers = (0..<repetitions(100_000, inDebug: 10_000)).map { _ in
            Float(bitPattern: UInt32(truncatingIfNeeded: chance.next()))
        }.filter(\.isFinite)
        let texts = try text(numbers)
        #expect(try texts == foundationText(numbers))
        let read = texts.dropFirst().dropLast().split(separator: ",").map { strtof(String($0), nil) }
        #expect(read.map(\.bitPattern) == numbers.map(\.bitPattern))
    }

    @Test("integers of all sizes are written with all digits, wherever they stand")
    func integers() throws {
        func check<Number: FixedWidthInteger & Codable>(_ type: Number.Type) throws {
            for number in [Number.min, 0, 1, .max] {
                #expect(try text(number) == "\(number)")
                #expect(try text([number]) == "[\(number)]")
                #expect(try text(["n": number]) == #"{"n":\#(number)}"#)
                #expect(try text(Optional(number)) == "\(number)")
            }
        }
        try check(Int.self)
        try check(Int8.self)
        try check(Int16.self)
        try check(Int32.self)
        try check(Int64.self)
        try check(Int128.self)
        try check(UInt.self)
        try check(UInt8.self)
        try check(UInt16.self)
        try check(UInt32.self)
        try check(UInt64.self)
        try check(UInt128.self)
    }

    @Test("integers of all sizes reach every container's own method")
    func integersInContainers() throws {
        // Synthesized code calls these methods, not the generic ones.
        struct Sizes: Encodable {
            let a: Int8, b: Int16, c: Int32, d: Int64, e: Int128, f: UInt8, g: UInt16, h: UInt32, i: UInt64, j: UInt128
            let k: UInt, l: Int, m: Float, n: Double, o: Bool, p: String
        }
        let sizes = Sizes(
            a: .min, b: .min, c: .min, d: .min, e: .min, f: .max, g: .max, h: .max, i: .max, j: .max, k: .max, l: .min,
            m: 0.1, n: 0.1, o: true, p: "p")
        #expect(
            try text(sizes) == """
                {"a":-128,"b":-32768,"c":-2147483648,"d":-9223372036854775808,\
                "e":-170141183460469231731687303715884105728,"f":255,"g":65535,"h":4294967295,\
                "i":18446744073709551615,"j":340282366920938463463374607431768211455,"k":18446744073709551615,\
                "l":-9223372036854775808,"m":0.1,"n":0.1,"o":true,"p":"p"}
                """)
        func inList(_ encode: @escaping (inout any UnkeyedEncodingContainer) throws -> Void) throws -> String {
            try text(
                Custom { encoder in
                    var list = encoder.unkeyedContainer()
                    try encode(&list)
                })
        }
        func alone(_ encode: @escaping (inout any SingleValueEncodingContainer) throws -> Void) throws -> String {
            try text(
                Custom { encoder in
                    var container = encoder.singleValueContainer()
                    try encode(&container)
                })
        }
        #expect(try inList { try $0.encode(sizes.a) } == "[-128]")
        #expect(try inList { try $0.encode(sizes.b) } == "[-32768]")
        #expect(try inList { try $0.encode(sizes.c) } == "[-2147483648]")
        #expect(try inList { try $0.encode(sizes.d) } == "[-9223372036854775808]")
        #expect(try inList { try $0.encode(sizes.e) } == "[-170141183460469231731687303715884105728]")
        #expect(try inList { try $0.encode(sizes.f) } == "[255]")
        #expect(try inList { try $0.encode(sizes.g) } == "[65535]")
        #expect(try inList { try $0.encode(sizes.h) } == "[4294967295]")
        #expect(try inList { try $0.encode(sizes.i) } == "[18446744073709551615]")
        #expect(try inList { try $0.encode(sizes.j) } == "[340282366920938463463374607431768211455]")
        #expect(try inList { try $0.encode(sizes.m) } == "[0.1]")
        #expect(try alone { try $0.encode(sizes.a) } == "-128")
        #expect(try alone { try $0.encode(sizes.b) } == "-32768")
        #expect(try alone { try $0.encode(sizes.c) } == "-2147483648")
        #expect(try alone { try $0.encode(sizes.d) } == "-9223372036854775808")
        #expect(try alone { try $0.encode(sizes.e) } == "-170141183460469231731687303715884105728")
        #expect(try alone { try $0.encode(sizes.f) } == "255")
        #expect(try alone { try $0.encode(sizes.g) } == "65535")
        #expect(try alone { try $0.encode(sizes.h) } == "4294967295")
        #expect(try alone { try $0.encode(sizes.i) } == "18446744073709551615")
        #expect(try alone { try $0.encode(sizes.j) } == "340282366920938463463374607431768211455")
        #expect(try alone { try $0.encode(sizes.m) } == "0.1")
    }

    @Test("a number that is not finite is refused, with the way to it")
    func notFinite() throws {
        struct Plant: Encodable {
            let gauge: Double
        }
        for number in [Double.nan, .infinity, -.infinity] {
            let error = try #require(throws: EncodingError.self) {
                try DocumentEncoder.bytes(of: ["plants": [Plant(gauge: 1), Plant(gauge: number)]])
            }
            guard case .invalidValue(let value, let context) = error else {
                Issue.record(error)
                return
            }
            #expect((value as? Double)?.bitPattern == number.bitPattern)
            #expect(context.codingPath.map(\.stringValue) == ["plants", "1", "gauge"])
            #expect(context.codingPath.map(\.intValue) == [nil, 1, nil])
            #expect(context.debugDescription.contains("\(number)"))
        }
        #expect(throws: EncodingError.self) { try DocumentEncoder.bytes(of: Float.nan) }
        #expect(throws: EncodingError.self) { try DocumentEncoder.bytes(of: Optional(Float.infinity)) }
    }
}

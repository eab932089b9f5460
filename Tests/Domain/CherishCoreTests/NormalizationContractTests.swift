import Testing

@testable import CherishCore

/// `String.precomposedScalars` calls `_nfc`, which is not a stable API of the standard library. These texts, normalized
/// by Python's unicodedata, reveal a toolchain that changes it; `NormalizationTests` compares 100,000 more with
/// PostgreSQL.
@Suite("The standard library's NFC")
struct NormalizationContractTests {
    static let examples: [(given: [UInt32], expected: [UInt32])] = [
        ([0x44, 0x307], [0x1E0A]),
        ([0x44, 0x323, 0x307], [0x1E0C, 0x307]),
        ([0x44, 0x307, 0x323], [0x1E0C, 0x307]),
        ([0x212B], [0xC5]),
        ([0x2126], [0x3A9]),
        ([0x340], [0x300]),
        ([0x1100, 0x1161], [0xAC00]),
        ([0x1100, 0x1161, 0x11A8], [0xAC01]),
        ([0xAC00, 0x11A8], [0xAC01]),
        ([0x1100, 0xAC00, 0x11A8], [0x1100, 0xAC01]),
        ([0x1113, 0x1165], [0x1113, 0x1165]),
        ([0xAC00, 0x11A7], [0xAC00, 0x11A7]),
        ([0x958], [0x915, 0x93C]),
        ([0x915, 0x93C], [0x915, 0x93C]),
        ([0xFB1D], [0x5D9, 0x5B4]),
        ([0x2ADC], [0x2ADD, 0x338]),
        ([0x1D15E], [0x1D157, 0x1D165]),
        ([0x11099, 0x110BA], [0x1109A]),
        ([0x10041, 0x301], [0x10041, 0x301]),
        ([0x30AB, 0x3099], [0x30AC]),
        ([0xF43], [0xF42, 0xFB7]),
        ([0xF900], [0x8C48]),
        ([0x2F800], [0x4E3D]),
        ([0x65, 0x301, 0x327], [0x229, 0x301]),
        ([0x1E9B, 0x323], [0x1E9B, 0x323]),
        ([0x344], [0x308, 0x301]),
    ]

    @Test("5.2: is Unicode's NFC", arguments: examples)
    func precomposed(given: [UInt32], expected: [UInt32]) {
        let scalars = given.compactMap(Unicode.Scalar.init)
        let found = String(String.UnicodeScalarView(scalars)).precomposedScalars.map(\.value)
        #expect(
            found == expected,
            """
            This toolchain's String._nfc is no longer the NFC of Unicode. It is an underscored interface, so this may happen: \
            let String.precomposedScalars in CherishCore/Text.swift call something else before names and memos are stored with it
            """)
    }
}

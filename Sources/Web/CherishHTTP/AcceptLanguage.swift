import CherishCore
import Foundation

extension Language {
    /// The language that the header Accept-Language asks for (RFC 9110, section 12.5.4).
    ///
    /// - Parameter header: such as `ko-KR, ko;q=0.9, *;q=0.5`. Without it, if it is malformed, and if it asks for neither
    ///   language, the answer is English.
    package init(accepting header: String?) {
        let ranges = header.flatMap(LanguageRange.list) ?? []
        let named = ranges.compactMap(\.language)
        // Sorting is stable: of equal weights, the first counts.
        let wanted = ranges.filter { $0.weight > 0 }.sorted { $0.weight > $1.weight }.lazy.compactMap { range in
            range.isAny ? [.english, .korean].first { !named.contains($0) } : range.language
        }
        self = wanted.first ?? .english
    }
}

/// A range of languages that somebody understands, and how well: `ko-KR;q=0.8`.
private struct LanguageRange {
    /// In bytes. Nobody understands that many languages; what is longer is not read.
    private static let longestHeader = 512

    /// Whether it stands for every language that is not named.
    let isAny: Bool
    /// nil if the product does not speak it.
    let language: Language?
    /// 0 to 1; 0 is not understood.
    let weight: Double

    /// - Returns: nil for a malformed header.
    static func list(_ header: String) -> [LanguageRange]? {
        guard header.utf8.count <= longestHeader else { return nil }
        let grammar =
            #/
            (?<tag> \* | [A-Za-z]{1,8} (?:-[A-Za-z0-9]{1,8})*)
            (?:[\x20\t]* ; [\x20\t]* [Qq]= (?<weight> 0(?:\.[0-9]{0,3})? | 1(?:\.0{0,3})?))?
            /#
        // Elements may be empty (section 5.6.1).
        let elements = header.split(separator: ",").map { $0.trimmingCharacters(in: [" ", "\t"]) }.filter {
            !$0.isEmpty
        }
        let ranges = elements.compactMap { element in
            element.wholeMatch(of: grammar).map { match in
                LanguageRange(
                    isAny: match.tag == "*", language: Language(rawValue: match.tag.prefix { $0 != "-" }.lowercased()),
                    weight: match.weight.flatMap { Double($0) } ?? 1)
            }
        }
        return ranges.count == elements.count ? ranges : nil
    }
}

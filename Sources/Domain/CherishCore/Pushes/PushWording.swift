/// The texts of a topic's pushes in each language, in one place for translators.
///
/// Each `{…}` stands for a value: `{name}` is the subject's name, `{noun}` what it is (for a plant its species),
/// `{number}` a count (for a plant the days together), `{words}` a few words (for a plant the latest keywords, for a
/// thing when it is due), and `{others}` how many more subjects the push is about. `{name:이/가}` appends the matching particle (rule 7.11).
public struct PushWording: Sendable {
    /// The texts in one language.
    public struct Texts: Sendable {
        /// About one subject.
        public let one: PushTemplate
        /// About several subjects due in the same minute.
        public let several: PushTemplate

        public init(one: PushTemplate, several: PushTemplate) {
            self.one = one
            self.several = several
        }
    }

    private let korean: Texts
    private let english: Texts

    public init(korean: Texts, english: Texts) {
        self.korean = korean
        self.english = english
    }

    public subscript(language: Language) -> Texts {
        switch language {
        case .korean: korean
        case .english: english
        }
    }
}

/// Title and body of a push, with placeholders.
public struct PushTemplate: Sendable {
    public let title: TextTemplate
    private let body: TextTemplate
    private let bodyWithWords: TextTemplate?
    private let bodyAfterPause: TextTemplate?
    private let bodyAfterOutage: TextTemplate?

    /// - Parameters:
    ///   - bodyWithWords: Replaces the body for subjects that have words.
    ///   - bodyAfterPause: Replaces both on ``PushOccasion/afterPause``.
    ///   - bodyAfterOutage: Replaces them on ``PushOccasion/afterOutage``.
    public init(
        title: TextTemplate, body: TextTemplate, bodyWithWords: TextTemplate? = nil,
        bodyAfterPause: TextTemplate? = nil,
        bodyAfterOutage: TextTemplate? = nil
    ) {
        self.title = title
        self.body = body
        self.bodyWithWords = bodyWithWords
        self.bodyAfterPause = bodyAfterPause
        self.bodyAfterOutage = bodyAfterOutage
    }

    /// The body for some values.
    public func body(for values: PushValues) -> TextTemplate {
        let usual = values.words.isEmpty ? body : bodyWithWords ?? body
        return switch values.occasion {
        case .usual: usual
        case .afterPause: bodyAfterPause ?? usual
        case .afterOutage: bodyAfterOutage ?? usual
        }
    }
}

/// Why a push comes on this day: it decides what the push says (rules 13.2 and 13.3).
public enum PushOccasion: Int, Sendable, Comparable {
    case usual
    /// The first day after a pause.
    case afterPause
    /// The first day after an outage kept an earlier push back.
    case afterOutage

    public static func < (left: PushOccasion, right: PushOccasion) -> Bool { left.rawValue < right.rawValue }
}

/// The values of a push's placeholders.
public struct PushValues: Hashable, Sendable {
    public var name: String
    public var noun: String
    public var number: Int
    public var words: [String]
    public var others: Int
    public var occasion: PushOccasion

    public init(
        name: String = "", noun: String = "", number: Int = 0, words: [String] = [], others: Int = 0,
        occasion: PushOccasion = .usual
    ) {
        self.name = name
        self.noun = noun
        self.number = number
        self.words = words
        self.others = others
        self.occasion = occasion
    }
}

/// A text with placeholders, parsed once.
public struct TextTemplate: Sendable, ExpressibleByStringLiteral {
    private enum Piece {
        case text([UInt8])
        case name(KoreanParticle?)
        case noun, number, words, others
    }

    private let pieces: [Piece]

    /// Traps on an unknown placeholder, which is a mistake in the program: every topic is used in a test.
    public init(stringLiteral template: String) {
        var pieces: [Piece] = []
        var rest = template[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            pieces.append(.text(Array(rest[..<open].utf8)))
            pieces.append(TextTemplate.piece(rest[rest.index(after: open)..<close]))
            rest = rest[rest.index(after: close)...]
        }
        self.pieces = pieces + [.text(Array(rest.utf8))]
    }

    private static func piece(_ placeholder: Substring) -> Piece {
        switch placeholder {
        case "name": return .name(nil)
        case "noun": return .noun
        case "number": return .number
        case "words": return .words
        case "others": return .others
        default:
            guard placeholder.hasPrefix("name:"),
                let particle = KoreanParticle(rawValue: String(placeholder.dropFirst(5)))
            else { preconditionFailure("no value is called {\(placeholder)}") }
            return .name(particle)
        }
    }

    /// Appends the text with its values as UTF-8.
    public func append(_ values: PushValues, to bytes: inout [UInt8]) {
        for piece in pieces {
            switch piece {
            case .text(let text): bytes += text
            case .name(let particle):
                bytes += values.name.utf8
                particle?.append(after: values.name, to: &bytes)
            case .noun: bytes += values.noun.utf8
            case .number: bytes.append(decimal: values.number)
            case .others: bytes.append(decimal: values.others)
            case .words:
                for (index, word) in values.words.enumerated() {
                    if index > 0 { bytes += ", ".utf8 }
                    bytes += word.utf8
                }
            }
        }
    }
}

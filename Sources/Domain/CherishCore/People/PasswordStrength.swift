import Foundation

/// How hard a password is to guess, from 0 to 4, with advice (rule 12.2).
///
/// Any text has a strength, also one that the rule refuses: the score says how many guesses it takes, not whether the
/// rule accepts it.
///
/// The score compares the estimated number of guesses with the thresholds of zxcvbn:
///
/// | score | guesses | |
/// |---|---|---|
/// | 0 | fewer than 10³ | anybody guesses it |
/// | 1 | fewer than 10⁶ | guessed even where sign-in is slowed down |
/// | 2 | fewer than 10⁸ | guessed where sign-in is not slowed down |
/// | 3 | fewer than 10¹⁰ | withstands some attacks on stolen tags |
/// | 4 | more | withstands most |
///
/// ``PasswordEstimate`` explains how guesses are counted. Appending characters never lowers the score, as long as they
/// do not change the character before them.
public struct PasswordStrength: Sendable, Equatable {
    /// What would make a password stronger, or acceptable. The raw values are stable.
    public enum Advice: String, CaseIterable, Sendable {
        // What rule 12.2 refuses.
        case tooShort = "too_short"
        case tooLong = "too_long"
        case addDigit = "add_digit"
        case addSpecial = "add_special"
        /// A control character is in the way.
        case controlCharacter = "control_character"
        /// It is one of the most common passwords, possibly disguised.
        case common
        /// It contains the e-mail address or the nickname; or, if it is easy to guess, one of them in disguise.
        case containsName = "contains_name"
        // What makes it easy to guess; only up to a score of 2.
        /// Something is repeated, as in `aaa` or `abcabc`.
        case repeated
        /// Neighbours in the alphabet or on the keyboard, as in `4567` or `asdf`.
        case sequence
        /// A year or a day.
        case date
        /// A common password is part of it.
        case commonWord = "common_word"
        /// Further words, which have nothing to do with each other, help most.
        case addWords = "add_words"
    }

    /// 0 (anybody guesses it) to 4 (very hard to guess).
    public let score: Int
    /// In the order of the cases, each once; empty for a password that rule 12.2 accepts and that has a score of 3 or
    /// 4.
    public let advice: [Advice]

    /// Estimates a text of any length, in bounded time: nothing after ``Password/maximumBytes`` of it counts.
    ///
    /// - Parameter person: Whose password it is; the names are as easy to guess as the most common password.
    public init(of text: String, for person: PersonNames = PersonNames()) {
        let isCut = text.utf8.count > Password.maximumBytesGiven
        let given = isCut ? text.beginning(bytes: Password.maximumBytesGiven) : text
        let normalized = String(given.precomposedScalars)
        let examined = normalized.beginning(bytes: Password.maximumBytes)
        let folded = FoldedPassword(examined)
        let estimate = PasswordEstimate(of: folded, for: person)
        score = PasswordStrength.score(logarithm: estimate.logarithm)

        var found: Set<Advice> = []
        let length = examined.count
        if length < Password.lengths.lowerBound { found.insert(.tooShort) }
        if isCut || examined.utf8.count < normalized.utf8.count || length > Password.lengths.upperBound {
            found.insert(.tooLong)
        }
        if !folded.has(.digit) { found.insert(.addDigit) }
        if !folded.has(.special) { found.insert(.addSpecial) }
        if Password.hasControlCharacter(examined) { found.insert(.controlCharacter) }
        if folded.isCommon { found.insert(.common) }
        if folded.containsName(of: person) { found.insert(.containsName) }
        if score < 3 { found.formUnion(estimate.weaknesses + [.addWords]) }
        advice = Advice.allCases.filter(found.contains)
    }

    private static func score(logarithm: Double) -> Int {
        [3, 6, 8, PasswordEstimate.enough].count { logarithm >= $0 }
    }
}

extension String {
    /// As many whole scalars as fit into a number of UTF-8 bytes.
    fileprivate func beginning(bytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var bytesLeft = limit
        let scalars = unicodeScalars.prefix { scalar in
            bytesLeft -= UTF8.width(scalar)
            return bytesLeft >= 0
        }
        return String(scalars)
    }
}

/// An estimate of how many guesses a password takes, as a power of ten.
///
/// Whoever guesses knows how people make passwords. So the text is divided into pieces, in the way that takes the
/// fewest guesses, and the guesses of the pieces are multiplied. A piece is one of:
///
/// - a **character**: as many guesses as its class has members (10 digits, 26 letters, 33 special characters); only 10
///   for a letter after a letter, since people write what can be pronounced;
/// - the beginning of a common **word** or of a name: its rank, times 25 for choosing this kind of piece, times 2 for
///   each change of case and each sign that stands for a letter;
/// - a **sequence** of neighbours in the alphabet or on the keyboard: the guesses of its first character, times its
///   length, times 3 for line and direction, times 2 for each change of case;
/// - a **copy** of what was up to 16 characters before: the distance times the length, times 3;
/// - a **year** from 1900 to 2099, or the beginning of one: 200;
/// - a **day** of the year: 366; ten times that with a separator between day and month.
///
/// The beginning of such a piece is a piece as well, and takes no more guesses. So a text takes at least as many as its
/// own beginning: take the best division of the whole, and cut it off. Therefore the rest does not matter as soon as
/// the beginning has the highest score.
struct PasswordEstimate {
    /// The guesses, as the power of ten: 3 for a thousand; 0 for an empty text. From ``enough`` on, there may be more.
    let logarithm: Double
    /// What a piece of the best division is, in the order of the text.
    let weaknesses: [PasswordStrength.Advice]
    /// The guesses that make the highest score, as the power of ten.
    static let enough = 10.0
    /// How often something was compared, so that tests can judge the time without a clock.
    let steps: Int

    /// - Parameter text: At most ``Password/maximumBytes`` of text.
    init(of text: FoldedPassword, for person: PersonNames) {
        var division = PasswordDivision(text.symbols, names: person.tree)
        division.complete()
        logarithm = division.logarithm
        weaknesses = division.weaknesses
        steps = division.steps
    }
}

extension PersonNames {
    /// How much of a long name counts as a word.
    private static let knownBeginning = 20

    /// The names as words that are as common as the most common password.
    fileprivate var tree: WordTree {
        var tree = WordTree()
        for name in folded { tree.insert(name.symbols.prefix(PersonNames.knownBeginning).map(\.scalar), rank: 1) }
        return tree
    }
}

/// Finds the division of a text into pieces that takes the fewest guesses, from left to right.
private struct PasswordDivision {
    /// The last piece of the best division of a beginning of the text.
    private struct Piece {
        var start: Int
        /// Of the whole beginning.
        var logarithm: Double
        /// nil for a character, and for the beginning of a name.
        var weakness: PasswordStrength.Advice?
    }

    /// After so many symbols of a copy, no other piece begins in it. Repetitions would take the most time otherwise,
    /// and no word is as long.
    private static let longCopy = 32
    /// How far back a copy may have its original.
    private static let maximumDistance = 16
    private static let kindOfPiece = log10(25.0)
    private static let disguise = log10(2.0)
    private static let direction = log10(3.0)
    private static let year = log10(200.0)
    private static let dayOfYear = log10(366.0)
    /// The logarithms of 0 (never used) to the most symbols of a password.
    private static let logarithms = (0...Password.maximumBytes).map { log10(Double($0)) }

    private let symbols: [FoldedPassword.Symbol]
    /// One for each beginning, by its length.
    private var pieces: [Piece]
    /// For each distance, how many of the last symbols equal those this far before them.
    private var copied = [Int](repeating: 0, count: PasswordDivision.maximumDistance + 1)
    private var words: WordWalk
    private var names: WordWalk
    private var offers = 0
    /// How much of the text was divided.
    private var end: Int

    init(_ symbols: [FoldedPassword.Symbol], names: WordTree) {
        assert(symbols.count <= Password.maximumBytes)
        self.symbols = symbols
        end = symbols.count
        words = WordWalk(CommonPasswords.tree, symbols)
        self.names = WordWalk(names, symbols)
        pieces = Array(repeating: Piece(start: 0, logarithm: .infinity), count: symbols.count + 1)
        pieces[0].logarithm = 0
    }

    var logarithm: Double { pieces[end].logarithm }

    /// How many pieces and nodes of words were looked at.
    var steps: Int { offers + words.steps + names.steps }

    /// The weaknesses of all pieces that are long enough to be seen, from left to right.
    var weaknesses: [PasswordStrength.Advice] {
        var found: [PasswordStrength.Advice] = []
        var end = end
        while end > 0 {
            let piece = pieces[end]
            // The original is a part of what is repeated, so aaa is a copy of two.
            let isSeen = end - piece.start >= (piece.weakness == .repeated ? 2 : 3)
            if let weakness = piece.weakness, isSeen { found.append(weakness) }
            end = piece.start
        }
        return found.reversed()
    }

    /// Considers all pieces. When those that begin at a place are considered, all that end there have been.
    mutating func complete() {
        for start in symbols.indices {
            if pieces[start].logarithm >= PasswordEstimate.enough { return end = start }
            offer(start, length: 1, guesses: character(at: start), nil)
            if offerCopies(endingWith: start) >= PasswordDivision.longCopy { continue }
            words.begin(at: start)
            for match in words.matches { offer(start, match, .commonWord) }
            names.begin(at: start)
            for match in names.matches { offer(start, match, match.isWhole ? .containsName : nil) }
            offerSequences(from: start)
            offerDates(from: start)
        }
    }

    private mutating func offer(_ start: Int, length: Int, guesses: Double, _ weakness: PasswordStrength.Advice?) {
        offers += 1
        let total = pieces[start].logarithm + guesses
        if total < pieces[start + length].logarithm {
            pieces[start + length] = Piece(start: start, logarithm: total, weakness: weakness)
        }
    }

    private mutating func offer(_ start: Int, _ match: WordWalk.Match, _ weakness: PasswordStrength.Advice?) {
        let disguises = Double(match.disguises) * PasswordDivision.disguise
        let guesses = match.logarithm + PasswordDivision.kindOfPiece + disguises
        offer(start, length: match.end - start, guesses: guesses, weakness)
    }

    private func character(at place: Int) -> Double {
        let symbol = symbols[place]
        let isContinued = place > 0 && symbols[place - 1].kind == symbol.kind
        switch symbol.kind {
        case .digit: return 1
        case .small, .capital: return isContinued ? 1 : log10(26.0)
        // Half of the 11,172 syllables never occur, and a few hundred are most of all text.
        case .syllable: return isContinued ? 1.5 : 2.5
        case .letter: return 2
        case .special, .space: return symbol.scalar < 128 ? log10(33.0) : 2
        }
    }

    /// Returns the length of the longest copy.
    private mutating func offerCopies(endingWith place: Int) -> Int {
        guard place > 0 else { return 0 }
        var longest = 0
        for distance in 1...min(place, PasswordDivision.maximumDistance) {
            offers += 1
            guard symbols[place].scalar == symbols[place - distance].scalar else {
                copied[distance] = 0
                continue
            }
            copied[distance] += 1
            let length = copied[distance]
            let guesses =
                PasswordDivision.logarithms[distance] + PasswordDivision.logarithms[length] + PasswordDivision.direction
            offer(place + 1 - length, length: length, guesses: guesses, .repeated)
            longest = max(longest, length)
        }
        return longest
    }

    private mutating func offerSequences(from start: Int) {
        let first = character(at: start) + PasswordDivision.direction
        for place in SequenceLines.places[symbols[start].scalar] ?? [] {
            let line = SequenceLines.lines[place.line]
            for step in [1, -1] {
                var (length, index, changes) = (1, place.index + step, isCapital(start) ? 1 : 0)
                while start + length < symbols.count, line.indices.contains(index),
                    symbols[start + length].scalar == line[index]
                {
                    if isCapital(start + length) != isCapital(start + length - 1) { changes += 1 }
                    length += 1
                    index += step
                    let guesses =
                        first + PasswordDivision.logarithms[length] + Double(changes) * PasswordDivision.disguise
                    offer(start, length: length, guesses: guesses, .sequence)
                }
            }
        }
    }

    private func isCapital(_ place: Int) -> Bool { symbols[place].kind == .capital }

    private mutating func offerDates(from start: Int) {
        guard let first = number(at: start) else { return }
        if first == 19 || first == 20, digit(at: start + 2) != nil {
            offer(start, length: 3, guesses: PasswordDivision.year, .date)
            if digit(at: start + 3) != nil { offer(start, length: 4, guesses: PasswordDivision.year, .date) }
        }
        let isSeparated =
            start + 2 < symbols.count && "-./ ".unicodeScalars.contains { $0.value == symbols[start + 2].scalar }
        let second = start + (isSeparated ? 3 : 2)
        // Month and day, or day and month. The last digit may be missing, not the one before.
        let guesses = PasswordDivision.dayOfYear + (isSeparated ? 1 : 0)
        let largest = (1...12).contains(first) ? 31 : (1...31).contains(first) ? 12 : 0
        guard let tens = digit(at: second), tens * 10 <= largest, largest > 0 else { return }
        offer(start, length: second + 1 - start, guesses: guesses, .date)
        if let number = number(at: second), (1...largest).contains(number) {
            offer(start, length: second + 2 - start, guesses: guesses, .date)
        }
    }

    private func digit(at place: Int) -> Int? {
        guard place < symbols.count, symbols[place].kind == .digit else { return nil }
        return Int(symbols[place].scalar) - 0x30
    }

    /// The number of two digits at a place.
    private func number(at place: Int) -> Int? {
        guard let tens = digit(at: place), let ones = digit(at: place + 1) else { return nil }
        return tens * 10 + ones
    }
}

/// Characters in the order in which people know them: alphabets, and the rows and columns of keyboards.
private enum SequenceLines {
    static let lines: [[UInt32]] = [
        "abcdefghijklmnopqrstuvwxyz", "01234567890", "가나다라마바사아자차카타파하", "ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ",
        "1234567890-=", "!@#$%^&*()_+", "qwertyuiop[]", "asdfghjkl;'", "zxcvbnm,./", "ㅂㅈㄷㄱㅅㅛㅕㅑㅐㅔ", "ㅁㄴㅇㄹㅎㅗㅓㅏㅣ",
        "ㅋㅌㅊㅍㅠㅜㅡ", "1qaz", "2wsx", "3edc", "4rfv", "5tgb", "6yhn", "7ujm", "8ik,", "9ol.", "0p;/",
    ].map { $0.unicodeScalars.map(\.value) }

    /// Where a character is: the lines and the places in them.
    static let places: [UInt32: [(line: Int, index: Int)]] = {
        var places: [UInt32: [(line: Int, index: Int)]] = [:]
        for (line, scalars) in lines.enumerated() {
            for (index, scalar) in scalars.enumerated() { places[scalar, default: []].append((line, index)) }
        }
        return places
    }()
}

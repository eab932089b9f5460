import BoundedWork
import PictureFormat
import Subprocess

/// Makes profile pictures (rule 12.7) and receipts (rule 11.6) of what people send.
///
/// The module Pictures starts the program cherish-picture for each picture, and believes it little: whoever finds a hole
/// in a decoder has taken over a process that can do nothing but answer. Start reading here.
///
/// The process that uses it must ignore SIGPIPE: a child may end before it has read everything.
public struct PictureMaker: Sendable {
    private let program: String
    private let timeLimit: Duration
    private let line: WaitingLine

    /// How many wait for a child.
    var waitingCount: Int { line.waitingCount }

    /// The status of a child whose libraries are missing.
    private static let cannotBeLoaded: Int32 = 127

    /// - Parameters:
    ///   - program: the absolute path of cherish-picture.
    ///   - timeLimit: after that, a child is killed. It has some seconds of processor time, but may have to wait for it.
    ///   - children: how many pictures are made at once, at least 1. Each takes up to 640 MiB of memory.
    ///   - limit: how many may wait in line.
    public init(program: String, timeLimit: Duration = .seconds(10), children: Int = 2, limit: Int = 16) {
        self.program = program
        self.timeLimit = timeLimit
        line = WaitingLine(places: children, limit: limit)
    }

    /// The centre of a picture, as a square JPEG of at most 512 pixels without metadata.
    ///
    /// - Parameter bytes: a JPEG, PNG or WebP. Nothing of it is kept.
    /// - Throws: ``PictureError``; `CancellationError` if the task is cancelled, which kills the child.
    public func picture(from bytes: [UInt8]) async throws -> [UInt8] { try await make(.portrait, from: bytes) }

    /// A receipt without metadata: a picture as a JPEG of at most 4 million pixels, or a PDF with nothing but its pages.
    ///
    /// - Parameter bytes: a JPEG, PNG, WebP or PDF.
    /// - Throws: ``PictureError``; `CancellationError` if the task is cancelled, which kills the child.
    public func receipt(from bytes: [UInt8]) async throws -> [UInt8] {
        do {
            return try await make(.receipt, from: bytes)
        } catch PictureError.notAPicture {
            throw PictureError.notAReceipt
        }
    }

    private func make(_ product: Product, from bytes: [UInt8]) async throws -> [UInt8] {
        guard bytes.count <= PictureLimits.mostBytes else { throw PictureError.tooManyBytes }
        do {
            return try await line.run {
                guard let answer = try await answer(to: bytes, for: product) else { throw PictureError.broken }
                return try judged(answer, product)
            }
        } catch is LineFull {
            throw PictureError.busy
        }
    }

    /// What a child makes.
    private enum Product {
        case portrait, receipt

        var arguments: Arguments { self == .receipt ? ["receipt"] : [] }

        /// A portrait of its size is much smaller.
        var mostBytes: Int { self == .receipt ? PictureLimits.mostBytes : 1 << 20 }

        /// Whether an answer is what was asked for, as far as that can be seen without decoding it.
        func isStorable(_ bytes: [UInt8]) -> Bool {
            switch self {
            case .portrait:
                PictureMaker.isPlainJPEG(bytes) { $0 == $1 && $0 <= PictureLimits.storedSide }
            case .receipt:
                bytes.starts(with: "%PDF-".utf8)
                    || PictureMaker.isPlainJPEG(bytes) { $0 * $1 <= PictureLimits.receiptPixels }
            }
        }
    }

    private typealias Answer = ExecutionResult<Void, BytesOutput, DiscardedOutput>

    /// What a child answers; nil if it was killed because it took too long.
    private func answer(to bytes: [UInt8], for product: Product) async throws -> Answer? {
        try await withThrowingTaskGroup(of: Answer?.self) { group in
            group.addTask { try await child(makes: product, of: bytes) }
            group.addTask {
                try await Task.sleep(for: timeLimit)
                return nil
            }
            defer { group.cancelAll() }
            let answer = try await group.next() ?? nil
            // A child that was killed because of it has an answer, too.
            try Task.checkCancellation()
            return answer
        }
    }

    private func child(makes product: Product, of bytes: [UInt8]) async throws -> Answer {
        do {
            return try await run(
                .path(.init(program)), arguments: product.arguments, environment: .custom([:]), workingDirectory: "/",
                input: .inputWriter, output: .bytes(limit: product.mostBytes), error: .discarded
            ) { execution in
                // If the child ends early, its status says more than this error.
                _ = try? await execution.standardInputWriter.write(bytes)
                try? await execution.standardInputWriter.finish()
            }
        } catch let error as SubprocessError {
            if error.code == .outputLimitExceeded { throw PictureError.broken }
            let reason = error.code == .executableNotFound ? "no such program" : "\(error)"
            throw PictureError.unusableProgram(path: program, reason: reason)
        }
    }

    /// What a child answered, after a check that does not depend on its honesty.
    private func judged(_ answer: Answer, _ product: Product) throws -> [UInt8] {
        guard case .exited(let code) = answer.terminationStatus else { throw PictureError.broken }
        switch PictureStatus(rawValue: code) {
        case .done: break
        case .notAPicture: throw PictureError.notAPicture
        case .tooManyBytes: throw PictureError.tooManyBytes
        case .tooManyPixels: throw PictureError.tooManyPixels
        case .tooManyPages: throw PictureError.tooManyPages
        case .unconfined:
            throw PictureError.unusableProgram(path: program, reason: "the system lets it give up no rights")
        case nil where code == Self.cannotBeLoaded:
            throw PictureError.unusableProgram(path: program, reason: "a library is missing")
        case .broken, nil: throw PictureError.broken
        }
        guard product.isStorable(answer.standardOutput) else { throw PictureError.broken }
        return answer.standardOutput
    }

    /// Whether these bytes are a JPEG of the right width and height, with no room for anything else.
    private static func isPlainJPEG(_ bytes: [UInt8], hasSize: (Int, Int) -> Bool) -> Bool {
        guard let header = try? PictureHeader(bytes), header.format == .jpeg, hasSize(header.width, header.height)
        else {
            return false
        }
        let segments = Array(JPEGSegments(bytes))
        return segments.last?.whole.upperBound == bytes.count && segments.allSatisfy { $0.isStorable }
    }
}

extension JPEGSegments.Segment {
    /// Whether it is the head of JFIF without a small picture, or belongs to a sequential picture.
    fileprivate var isStorable: Bool {
        switch marker {
        case 0xe0: content.count == 14
        case 0xc0, 0xc4, 0xdb, Self.scan, Self.end: true
        default: false
        }
    }
}

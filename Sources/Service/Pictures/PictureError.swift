/// Why there is no picture, or no receipt.
public enum PictureError: Error, Hashable, Sendable {
    /// Not a JPEG, PNG or WebP, or an animation.
    case notAPicture
    /// The same where a PDF would do, too.
    case notAReceipt
    /// More than 5 MiB.
    case tooManyBytes
    /// More than 40 million pixels, or more than 20,000 along one side.
    case tooManyPixels
    /// A PDF of more than 20 pages, or of none.
    case tooManyPages
    /// Cut off or damaged, or its decoder crashed or needed too much memory or time. A person cannot tell these apart.
    case broken
    /// Too many are waiting; try again in a few seconds.
    case busy
    /// The program cannot do its work, whatever the picture. Only its operator can mend that.
    case unusableProgram(path: String, reason: String)
}

extension PictureError: CustomStringConvertible {
    /// A sentence that says what to do.
    public var description: String {
        switch self {
        case .notAPicture: "this is not a picture; send a JPEG, PNG or WebP that does not move"
        case .notAReceipt: "this is no receipt; send a PDF, or a JPEG, PNG or WebP that does not move"
        case .tooManyPages: "the PDF does not have 1 to 20 pages; send those with the receipt"
        case .tooManyBytes: "the file has more than 5 MiB; send a smaller one"
        case .tooManyPixels:
            "the picture has more than 40 million pixels, or more than 20,000 along one side; send a smaller one"
        case .broken: "the file is damaged or locked; save it again with another program, or send another one"
        case .busy: "too many pictures are waiting; try again in a few seconds"
        case .unusableProgram(let path, let reason):
            "\(path) cannot make pictures (\(reason)); install it beside this program, and libgd3 and libqpdf29 with it"
        }
    }
}

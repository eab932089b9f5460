/// How large pictures and PDFs may be (rules 11.6 and 12.7).
package enum PictureLimits {
    /// Bytes of a file.
    package static let mostBytes = 5 << 20
    /// Pixels of a file. A phone has 12 or 48 million, of which the larger ones exceed ``mostBytes``.
    package static let mostPixels = 40_000_000
    /// Pixels along one side of a file.
    package static let longestSide = 20_000
    /// Passes over the pixels of a progressive JPEG. Programs make about ten; each takes time and hardly any bytes.
    package static let mostScans = 100
    /// Pixels along one side of an account's picture that is stored.
    package static let storedSide = 512
    /// Pixels of a receipt that is stored, if it is a picture: small print can still be read.
    package static let receiptPixels = 4_000_000
    /// Pages of a receipt, if it is a PDF.
    package static let mostPages = 20
}

/// The exit statuses of cherish-picture. Any other one is a crash, or a limit that was reached.
package enum PictureStatus: Int32, Error {
    /// The picture was written to standard output.
    case done = 0
    /// Not a JPEG, PNG or WebP, nor a PDF where one was asked for; or an animation.
    case notAPicture = 2
    /// More than ``PictureLimits/mostBytes``.
    case tooManyBytes = 3
    /// More than ``PictureLimits/mostPixels``, or longer than ``PictureLimits/longestSide``.
    case tooManyPixels = 4
    /// Cut off or damaged, or too much for the memory.
    case broken = 5
    /// More than ``PictureLimits/mostPages``, or none.
    case tooManyPages = 7
    /// The program could not limit itself, and read nothing.
    case unconfined = 6
}

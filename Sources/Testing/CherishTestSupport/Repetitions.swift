import Foundation

/// How often a test repeats its trials.
///
/// `scripts/test` runs every test twice: optimized, with all repetitions, and in a debug build, where the same code is
/// some ten times slower and fewer are enough. `scripts/test long` (`CHERISH_TESTS=long`) runs all of them in both.
public func repetitions(_ all: Int, inDebug some: Int) -> Int {
    #if DEBUG
        ProcessInfo.processInfo.environment["CHERISH_TESTS"] == "long" ? all : some
    #else
        all
    #endif
}

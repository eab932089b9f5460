import Foundation

/// How often a test repeats what it tries.
///
/// `scripts/test` runs every test twice: optimized, where each repeats as often as it should, and in a debug build, where the
/// same code is some ten times slower and a part is enough. `scripts/test long` (`CHERISH_TESTS=long`) repeats all in both.
public func repetitions(_ all: Int, inDebug some: Int) -> Int {
    #if DEBUG
        ProcessInfo.processInfo.environment["CHERISH_TESTS"] == "long" ? all : some
    #else
        all
    #endif
}

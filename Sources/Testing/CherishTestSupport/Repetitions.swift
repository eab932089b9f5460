import Foundation
import Testing

/// Whether everything runs that a debug build otherwise leaves to the optimized one: `scripts/test` runs every test twice, and the
/// same code is some ten times slower in a debug build. `scripts/test long` (`CHERISH_TESTS=long`) runs all of it in both.
private var isWhole: Bool {
    #if DEBUG
        ProcessInfo.processInfo.environment["CHERISH_TESTS"] == "long"
    #else
        true
    #endif
}

/// How often a test repeats its trials.
public func repetitions(_ all: Int, inDebug some: Int) -> Int {
    isWhole ? all : some
}

extension Trait where Self == ConditionTrait {
    /// Runs optimized, and in long runs: for what takes long and finds the same in both builds.
    public static var onceOptimized: Self {
        .enabled("the optimized build runs it") { isWhole }
    }
}

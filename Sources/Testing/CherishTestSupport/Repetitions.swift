import Foundation
import Testing

/// Whether all trials run. A debug build runs only a part: `scripts/test` tests both builds, and debug code is some ten
/// times slower. `scripts/test long` (`CHERISH_TESTS=long`) runs everything in both.
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
    /// Runs in the optimized build and in long runs: for slow tests that find the same in both builds.
    public static var onceOptimized: Self {
        .enabled("the optimized build runs it") { isWhole }
    }
}

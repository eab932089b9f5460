import Foundation
import Testing

/// Whether `scripts/test long` (`CHERISH_TESTS=long`) runs the tests.
private var isLong: Bool { ProcessInfo.processInfo.environment["CHERISH_TESTS"] == "long" }

/// Whether all trials run. A debug build runs only a part: `scripts/test` tests both builds, and debug code is some ten
/// times slower. Long runs run everything in both.
private var isWhole: Bool {
    #if DEBUG
        isLong
    #else
        true
    #endif
}

/// How often a test repeats its trials.
public func repetitions(_ all: Int, inDebug some: Int) -> Int {
    isWhole ? all : some
}

/// The arguments of a slow test: all of them in long runs, otherwise the first ones.
public func arguments<Argument>(_ all: [Argument], otherwise count: Int) -> [Argument] {
    isLong ? all : Array(all.prefix(count))
}

extension Trait where Self == ConditionTrait {
    /// Runs in the optimized build and in long runs: for slow tests that find the same in both builds.
    public static var onceOptimized: Self {
        .enabled("the optimized build runs it") { isWhole }
    }

    /// Runs in long runs only: for slow tests that rarely find anything new from one commit to the next.
    public static var inLongRuns: Self {
        .enabled("`scripts/test long` runs it") { isLong }
    }
}

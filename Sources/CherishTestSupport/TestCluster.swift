import Foundation
import Glibc
import PrivatePostgres

/// The PostgreSQL cluster of a test process: made when a test first asks for it, gone when the process exits.
public enum TestCluster {
    private static let directory = FileManager.default.temporaryDirectory.path
    private static let namePrefix = "cherish-test-"

    private static let cluster = PrivateCluster(
        home: "\(directory)/\(namePrefix)\(getpid())-\(UInt32.random(in: 0...UInt32.max))",
        durability: .none,
        // Every test that runs at the same time has a database and a pool of its own.
        additionalSettings: ["max_connections": "200"]
    )

    /// Detached, so that it does not belong to the test that happens to ask first.
    private static let start = Task<Void, any Error>.detached {
        await TestCluster.deleteLeftovers()
        // Blocking, since nothing can be awaited any more when a process exits. There is nobody left to tell about an
        // error; the next test process tries again.
        atexit { try? TestCluster.cluster.destroyBlocking() }
        try await TestCluster.cluster.ensureRunning()
    }

    /// The running cluster; all tests of this process share it.
    ///
    /// - Throws: `PrivateClusterError` when PostgreSQL is not installed or cannot be started.
    public static func shared() async throws -> PrivateCluster {
        try await start.value
        return cluster
    }

    /// Deletes the clusters of test processes that were killed before they could do it themselves.
    private static func deleteLeftovers() async {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [] {
            guard name.hasPrefix(namePrefix),
                let processID = name.dropFirst(namePrefix.count).split(separator: "-").first.flatMap({ pid_t($0) }),
                kill(processID, 0) != 0, errno == ESRCH
            else { continue }
            // Another test process may be deleting the same one.
            try? await PrivateCluster(home: directory + "/" + name).destroy()
        }
    }
}

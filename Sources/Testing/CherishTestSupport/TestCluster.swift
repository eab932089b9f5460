import Foundation
import Glibc
import PrivatePostgres

/// The PostgreSQL cluster of a test process: created on first use, deleted when the process exits.
public enum TestCluster {
    private static let directory = FileManager.default.temporaryDirectory.path
    private static let namePrefix = "cherish-test-"

    private static let cluster = PrivateCluster(
        home: "\(directory)/\(namePrefix)\(getpid())-\(UInt32.random(in: 0...UInt32.max))",
        durability: .none,
        // Each concurrent test has its own database and pool.
        additionalSettings: ["max_connections": "200"]
    )

    /// Detached, so that it is not a child of the test that asks first.
    private static let start = Task<Void, any Error>.detached {
        await TestCluster.deleteLeftovers()
        // Blocking, because an exiting process cannot await. Errors are dropped: the next test process tries again.
        atexit { try? TestCluster.cluster.destroyBlocking() }
        try await TestCluster.cluster.ensureRunning()
    }

    /// The running cluster, shared by all tests of this process.
    ///
    /// - Throws: `PrivateClusterError` if PostgreSQL is not installed or cannot be started.
    public static func shared() async throws -> PrivateCluster {
        try await start.value
        return cluster
    }

    /// Deletes the clusters of test processes that were killed before they could clean up.
    private static func deleteLeftovers() async {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [] {
            guard name.hasPrefix(namePrefix),
                let processID = name.dropFirst(namePrefix.count).split(separator: "-").first.flatMap({ pid_t($0) }),
                kill(processID, 0) != 0, errno == ESRCH
            else { continue }
            // Another test process may be deleting the same cluster.
            try? await PrivateCluster(home: directory + "/" + name).destroy()
        }
    }
}

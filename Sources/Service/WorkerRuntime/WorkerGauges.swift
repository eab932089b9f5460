import CherishStore
import CherishWorker
import Foundation
import Metrics
import Postgres
import Synchronization

/// The gauges that are read at each scrape.
struct WorkerGauges: Sendable {
    let pool: ConnectionPool
    let worker: Worker
    /// nil if the database did not answer.
    let health: RecentAnswer<EngineHealth?>
    let process = ProcessFigures()

    func update() async {
        setConnections()
        for (service, silence) in worker.pulse.silences() {
            gauge("cherish_loop_silence_seconds", silence / .seconds(1), [("service", service)])
        }
        gauge("cherish_lease_age_seconds", worker.oldestLeaseAge / .seconds(1))
        gauge("cherish_pushes_underway", Double(worker.underwayCount))
        set(await health.get())
        process.update()
    }

    private func setConnections() {
        let use = pool.use
        gauge("cherish_pool_connections", Double(use.lent), [("state", "in_use")])
        gauge("cherish_pool_connections", Double(use.idle), [("state", "idle")])
        gauge("cherish_pool_waiting", Double(use.waiting))
        gauge("cherish_pool_limit", Double(use.limit))
    }

    /// Sets NaN for unknown figures: a stale number would look healthy.
    private func set(_ health: EngineHealth?) {
        func count(_ keyPath: KeyPath<EngineHealth, Int>) -> Double {
            health.map { Double($0[keyPath: keyPath]) } ?? .nan
        }
        func seconds(_ keyPath: KeyPath<EngineHealth, Duration>) -> Double {
            health.map { $0[keyPath: keyPath] / .seconds(1) } ?? .nan
        }
        gauge("cherish_database_up", health == nil ? 0 : 1)
        gauge("cherish_scheduling_lag_seconds", seconds(\.schedulingLag))
        gauge("cherish_delivery_lag_seconds", seconds(\.deliveryLag))
        gauge("cherish_retry_lag_seconds", seconds(\.retryLag))
        gauge("cherish_undelivered_pushes", count(\.undeliveredCount))
        gauge("cherish_retries", count(\.retryCount))
        gauge("cherish_lanes_ahead", count(\.aheadCount))
        gauge("cherish_leases", count(\.leasedCount), [("state", "held")])
        gauge("cherish_leases", count(\.abandonedCount), [("state", "abandoned")])
    }
}

/// The process metrics that Prometheus's own libraries export.
final class ProcessFigures: Sendable {
    private let startedAt = Date()
    private let countedSeconds = Mutex(0.0)

    func update() {
        gauge("process_start_time_seconds", startedAt.timeIntervalSince1970)
        gauge("process_resident_memory_bytes", Self.residentBytes ?? .nan)
        countedSeconds.withLock { counted in
            let seconds = Self.processorSeconds
            FloatingPointCounter(label: "process_cpu_seconds_total").increment(by: seconds - counted)
            counted = seconds
        }
    }

    /// Parses the line `VmRSS:    12345 kB`.
    private static var residentBytes: Double? {
        let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        let fields = line?.split(whereSeparator: \.isWhitespace) ?? []
        return fields.count > 1 ? Double(fields[1]).map { $0 * 1024 } : nil
    }

    private static var processorSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }
}

private func gauge(_ label: String, _ value: Double, _ dimensions: [(String, String)] = []) {
    Meter(label: label, dimensions: dimensions).set(value)
}

import CherishStore

/// How time grows with due plants, existing plants, lanes, skew between lanes, and processes.
enum GrowthBenchmark {
    static func run(size: Size) async throws {
        let due = size.plants / 5
        try await table(
            "plants due, 1 worker with 4 connections, 256 lanes", size,
            [size.plants / 100, size.plants / 10, size.plants].map { count in
                (Report.count(Double(count)), Garden(accounts: max(count / 5, 1), plants: count, due: count))
            })
        try await table(
            "plants existing, of which about \(Report.count(Double(due / 4))) are due", size,
            [size.plants / 5, size.plants, size.manyPlants].map { count in
                (Report.count(Double(count)), Garden(accounts: count / 5, plants: count, due: due / 4))
            })
        try await table(
            "lanes, \(Report.count(Double(due))) plants due", size,
            [1, 4, 16, 64, 256].map { lanes in
                (
                    "\(lanes)",
                    Garden(accounts: due / 5, plants: due, due: due, spread: .even(lanes: lanes))
                )
            })
        try await table(
            "accounts per lane, \(Report.count(Double(due))) plants due", size,
            [
                ("even", Garden(accounts: due / 5, plants: due, due: due)),
                (
                    "half in one, a quarter in the next, …",
                    Garden(accounts: due / 5, plants: due, due: due, spread: .halving)
                ),
            ])
    }

    private static func table(_ title: String, _ size: Size, _ gardens: [(name: String, garden: Garden)]) async throws {
        var rows = [["", "scheduled, seconds", "delivered, seconds", "scheduled/s", "delivered/s"]]
        for (name, garden) in gardens {
            try await Laboratory.migrated { laboratory in
                try await garden.plant(in: laboratory)
                rows.append([name] + (try await measure(size, laboratory)))
            }
        }
        Report.table("growth: \(title)", rows)
    }

    /// Several worker processes on the same cores.
    static func workers(size: Size, in laboratory: Laboratory) async throws {
        try await Garden(accounts: size.plants / 5, plants: size.plants, due: size.plants).plant(in: laboratory)
        for (work, task) in [("scheduling", WorkerChild.Task.schedule), ("delivering", .deliver)] {
            try await Contest(
                title:
                    "workers: processes with 4 connections each, \(work) \(Report.count(Double(size.plants))) pushes",
                rounds: size.rounds,
                contestants: [1, 2, 4].map { processes in
                    Contestant(
                        name: "\(processes)", prepare: task == .schedule ? Garden.rewind : DeliverBenchmark.rewind,
                        expectedItems: size.plants
                    ) { laboratory in
                        try await WorkerChild.run(task, processes: processes, in: laboratory)
                    }
                }
            ).run(in: laboratory)
            try await laboratory.script("VACUUM ANALYZE")
        }
    }

    private static func measure(_ size: Size, _ laboratory: Laboratory) async throws -> [String] {
        var scheduled: [Work] = []
        var delivered: [Work] = []
        for _ in 0..<size.rounds {
            try await Garden.rewind(laboratory)
            scheduled.append(try await WorkerChild.run(.schedule, in: laboratory))
            delivered.append(try await WorkerChild.run(.deliver, in: laboratory))
            if scheduled.last?.items != delivered.last?.items {
                throw BenchmarkError("scheduled and delivered differ: \(scheduled) \(delivered)")
            }
        }
        func figures(_ works: [Work]) -> (seconds: Standing.Figure, rate: Standing.Figure) {
            (Standing.Figure(works.map(\.seconds)), Standing.Figure(works.map { Double($0.items) / $0.seconds }))
        }
        let (schedule, delivery) = (figures(scheduled), figures(delivered))
        func text(_ figure: Standing.Figure) -> String {
            "\(Report.decimal(figure.median, 3)) (\(Report.decimal(figure.lowest, 3)) – \(Report.decimal(figure.highest, 3)))"
        }
        return [
            text(schedule.seconds), text(delivery.seconds), Report.count(schedule.rate.median),
            Report.count(delivery.rate.median),
        ]
    }
}

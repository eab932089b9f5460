import Testing

@Suite("Simulating through the command line")
struct SimulateCommandTests {
    @Test("a day of one account keeps all promises, and the summary names the seed")
    func shortSimulation() async throws {
        let result = try await Program(name: "cherish").run("simulate", "--days", "1", "--accounts", "1", "--seed", "7")
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        #expect(result.output.contains("seed 7"), "\(result.output)")
        #expect(result.output.contains("all promises were kept"), "\(result.output)")
    }

    @Test("nine workers are a usage error, and nothing is simulated")
    func tooManyWorkers() async throws {
        let result = try await Program(name: "cherish").run("simulate", "--workers", "9")
        #expect(result.status == 64)
        #expect(result.errors.contains("1 to 8 --workers"), "\(result.errors)")
        #expect(result.output.isEmpty, "\(result.output)")
    }
}

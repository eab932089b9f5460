import Foundation
import Testing

@testable import CherishRuntime
@testable import CherishService

@Suite("An existing file that is overwritten in place")
struct OutputFileTests {
    @Test("stays unchanged if the final copy does not fit")
    func noRoom() async {
        // File size limits apply to a process, so this test has its own.
        await #expect(processExitsWith: .success) {
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("cherish-output-\(UUID())")
            try Data("earlier".utf8).write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            let output = try OutputFile(file.path)
            // Too much to be buffered in memory.
            try output.write([UInt8](repeating: 0, count: 1 << 20))
            signal(SIGXFSZ, SIG_IGN)
            let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
            var limit = rlimit()
            getrlimit(resource, &limit)
            limit.rlim_cur = 4096
            setrlimit(resource, &limit)
            let result = Result { try output.finish() }
            limit.rlim_cur = limit.rlim_max
            setrlimit(resource, &limit)
            #expect(throws: OutputError.failed(file.path, reason: EFBIG)) { try result.get() }
            #expect(try Data(contentsOf: file) == Data("earlier".utf8))
        }
    }
}

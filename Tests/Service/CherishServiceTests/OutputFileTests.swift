import Foundation
import Testing

@testable import CherishRuntime
@testable import CherishService

@Suite("A file that is there and written in place")
struct OutputFileTests {
    @Test("stays as it was where there is no room for all, though there was when all was made beside it")
    func noRoom() async {
        // How long files may be is decided for a whole process: this test has one of its own.
        await #expect(processExitsWith: .success) {
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("cherish-output-\(UUID())")
            try Data("earlier".utf8).write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            let output = try OutputFile(file.path)
            // So much does not wait in memory.
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

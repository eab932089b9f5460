import CherishTestSupport
import Foundation
import Testing

/// Where output goes, and what is reported when it cannot.
@Suite("Output", .migratedDatabase)
struct OutputTests {
    private let email = "minji@example.com"

    private func addAccount() async throws {
        _ = try await Program.cherish.json(
            "account", "add", "--email", email, "--nickname", "민지", "--time-zone", "Asia/Seoul")
    }

    /// Runs a script in a folder of its own, then lets `look` examine the folder.
    private func shell(
        _ script: String, with program: Program = .cherish, _ look: (ProgramResult, URL) throws -> Void
    ) async throws {
        try await withTemporaryFile("nothing") { file in
            let folder = file.deletingLastPathComponent()
            try look(try await program.shell(script, in: folder), folder)
        }
    }

    private func text(_ name: String, in folder: URL) throws -> String {
        try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
    }

    private func attributes(_ name: String, in folder: URL) throws -> (
        mode: Int, number: Int, type: FileAttributeType
    ) {
        let found = try FileManager.default.attributesOfItem(atPath: folder.appendingPathComponent(name).path)
        return (
            try #require(found[.posixPermissions] as? Int) & 0o7777, try #require(found[.systemFileNumber] as? Int),
            try #require(found[.type] as? FileAttributeType)
        )
    }

    private func names(in folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    // MARK: Files

    /// Whether the file system of the tests' folders supports nameless files (O_TMPFILE, which Swift does not import).
    private var knowsNamelessFiles: Bool {
        let descriptor = open(
            FileManager.default.temporaryDirectory.path, O_RDWR | O_DIRECTORY | 0o20_000_000, 0o600)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }

    @Test("an existing file keeps its mode, links and place; a new one is readable by its owner only")
    func files() async throws {
        try await addAccount()
        try await shell(
            """
            umask 022
            printf earlier >kept.json; chmod 640 kept.json; ln kept.json second.json; ln -s kept.json link.json
            ln -s made.json dangling.json
            "$CHERISH" export \(email) --format json --file new.json &&
            "$CHERISH" export \(email) --format json --file link.json &&
            "$CHERISH" export \(email) --format json --file dangling.json &&
            "$CHERISH" report page --out page.html
            """
        ) { (result: ProgramResult, folder: URL) throws in
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.output == "written to page.html\n")
            let whole = try text("new.json", in: folder)
            #expect(whole.contains(email))
            for name in ["new.json", "made.json", "page.html"] {
                #expect(try attributes(name, in: folder).mode == 0o600, "\(name)")
            }
            #expect(try attributes("link.json", in: folder).type == .typeSymbolicLink)
            #expect(try attributes("dangling.json", in: folder).type == .typeSymbolicLink)
            #expect(try attributes("kept.json", in: folder).mode == 0o640)
            #expect(
                try attributes("kept.json", in: folder).number == attributes("second.json", in: folder).number)
            for name in ["kept.json", "second.json", "made.json"] {
                #expect(try text(name, in: folder) == whole, "\(name)")
            }
            // No unfinished file is left.
            #expect(
                try names(in: folder) == [
                    "dangling.json", "kept.json", "link.json", "made.json", "new.json", "page.html", "second.json",
                ])
        }
    }

    @Test("a command killed while writing a new file leaves nothing behind")
    func killed() async throws {
        // Where files need a name, the unfinished one is deleted only if the command exits by itself.
        let end = knowsNamelessFiles ? "kill -9 $!; wait" : "kill $!; wait; rm .cherish-unfinished-*"
        try await shell(
            """
            mkfifo rows && exec 3<>rows
            "$CHERISH" seed --errors problems.csv - <&3 &
            # A file system that knows no files without names shows it by another one.
            until ls -l /proc/$!/fd | grep -q "$FOLDER/"'.*(deleted)' || ls -A | grep -q unfinished; do sleep 0.05; done
            \(end)
            """
        ) { (_: ProgramResult, folder: URL) throws in
            #expect(try names(in: folder) == ["rows"])
        }
    }

    @Test("a refused command leaves an existing file unchanged, and creates none")
    func refusal() async throws {
        try await shell(
            """
            printf earlier >kept.json
            "$CHERISH" export nobody@example.com --format json --file kept.json
            "$CHERISH" export nobody@example.com --format json --file new.json
            """
        ) { (result: ProgramResult, folder: URL) throws in
            #expect(result.status == 1)
            #expect(try text("kept.json", in: folder) == "earlier")
            #expect(try names(in: folder) == ["kept.json"])
        }
    }

    @Test("a file that cannot grow is reported, and its previous contents stay")
    func noRoom() async throws {
        try await shell(
            """
            printf earlier >kept.html
            trap '' XFSZ; ulimit -f 1
            for file in kept.html new.html; do "$CHERISH" report page --out $file; echo $?; done
            """
        ) { (result: ProgramResult, folder: URL) throws in
            #expect(result.output == "74\n74\n")
            #expect(result.errors.split(separator: "\n").allSatisfy { $0.hasPrefix("error: output_failed: ") })
            #expect(try text("kept.html", in: folder) == "earlier")
            #expect(try names(in: folder) == ["kept.html"])
        }
    }

    // Through links: a program that renamed over a device would replace the machine's own.
    @Test("devices, FIFOs and standard output are written to in place")
    func devices() async throws {
        try await shell(
            """
            ln -s /proc/self/fd/1 output; ln -s /dev/full full; mkfifo pipe; echo earlier >page.html
            "$CHERISH" report page --out output >>page.html; echo $?
            "$CHERISH" report page --out - >plain.html; echo $?
            "$CHERISH" report page --out full; echo $?
            cat pipe >read.html & "$CHERISH" report page --out pipe; echo $?; wait
            """
        ) { (result: ProgramResult, folder: URL) throws in
            #expect(result.output == "0\n0\n74\nwritten to pipe\n0\n", "\(result.errors)")
            #expect(result.code == "output_failed")
            for (name, start) in [("page.html", "earlier\n"), ("plain.html", ""), ("read.html", "")] {
                let page = try text(name, in: folder)
                #expect(page.hasPrefix(start + "<!doctype html>") && page.contains("</html>"), "\(name)")
            }
            for name in ["output", "full"] {
                #expect(try attributes(name, in: folder).type == .typeSymbolicLink, "\(name)")
            }
            #expect(try names(in: folder) == ["full", "output", "page.html", "pipe", "plain.html", "read.html"])
        }
    }

    @Test("- means standard output for a table of errors too; messages then go to standard error")
    func tableOfErrors() async throws {
        try await addAccount()
        try await shell(
            """
            printf 'name,phone\\nAnn,none\\n' >book.csv
            printf 'account,name,phone\\n\(email),Ann,none\\n' >seed.csv
            "$CHERISH" friend import \(email) book.csv --errors -
            "$CHERISH" seed seed.csv --errors -
            """
        ) { (result: ProgramResult, folder: URL) throws in
            #expect(result.status == 0)
            let rows = result.output.split(separator: "\r\n")
            #expect(rows.count == 4)
            #expect(rows.count { $0.hasPrefix("line,what,why,how,") } == 2)
            #expect(result.errors.contains("1 refused"))
            #expect(result.errors.contains("1 problem:"))
            #expect(try names(in: folder) == ["book.csv", "seed.csv"])
        }
    }

    @Test(
        "a file that cannot be created is reported with status 73",
        arguments: ["report page --out", "export minji@example.com --format csv --file"])
    func cannotCreate(command: String) async throws {
        try await addAccount()
        try await shell(
            """
            mkdir folder; printf x >file
            for path in folder nowhere/file folder/ file/below ''; do "$CHERISH" \(command) "$path"; echo $?; done
            """
        ) { (result: ProgramResult, folder: URL) throws in
            #expect(result.output == String(repeating: "73\n", count: 5))
            let errors = result.errors.split(separator: "\n")
            #expect(errors.count == 5)
            #expect(errors.allSatisfy { $0.hasPrefix("error: cannot_create: ") }, "\(errors)")
            #expect(try names(in: folder) == ["file", "folder"])
        }
    }

    // MARK: Standard streams

    @Test(
        "a full or closed standard output is reported with status 74",
        arguments: [
            "account list", "account list --output json", "account list --output csv", "--help", "friend add --help",
            "--version", "--generate-completion-script bash", "report", "report dday --output csv",
            "report dday --output json", "report page --out -", "export minji@example.com --format json",
            "seed generate --accounts 1", "tick --output json",
        ])
    func standardOutput(words: String) async throws {
        try await addAccount()
        try await shell(
            """
            "$CHERISH" \(words) >/dev/full; echo $?
            "$CHERISH" \(words) >&-; echo $?
            """
        ) { (result: ProgramResult, _: URL) throws in
            #expect(result.output == "74\n74\n", "\(result.errors)")
            let errors = result.errors.split(separator: "\n")
            #expect(errors.count == 2 && errors.allSatisfy { $0.hasPrefix("error: output_failed: ") }, "\(errors)")
        }
    }

    @Test("a reader that closes the pipe ends a command silently")
    func brokenPipe() async throws {
        try await addAccount()
        for words in ["--help", "account list", "export \(email) --format json", "report page --out -"] {
            try await shell(
                """
                # It is started when its reader has gone.
                { sleep 0.3; "$CHERISH" \(words); echo $? >status; } | true
                """
            ) { (result: ProgramResult, folder: URL) throws in
                // 128 plus the number of SIGPIPE, as the shell reports it.
                #expect(try text("status", in: folder) == "141\n", "\(words)")
                #expect(result.errors.isEmpty, "\(words): \(result.errors)")
            }
        }
    }

    @Test("a closed or full standard error does not change a command's exit status")
    func standardError() async throws {
        let nowhere = "DATABASE_URL=postgres://127.0.0.1:1/nowhere"
        try await shell(
            """
            for to in '2>&-' '2>/dev/full'; do
                eval '"$CHERISH" nosuch' $to; echo $?
                eval '"$CHERISH" account show nobody@example.com' $to; echo $?
                eval '\(nowhere) "$CHERISH" account list' $to; echo $?
                eval '"$WORKER" nosuch' $to; echo $?
                eval '\(nowhere) "$WORKER"' $to; echo $?
                eval 'CHERISH_PUSH=nonsense "$WORKER"' $to; echo $?
            done
            """
        ) { (result: ProgramResult, _: URL) throws in
            #expect(result.output == String(repeating: "64\n1\n69\n64\n69\n64\n", count: 2))
        }
    }

    @Test("without standard input, - is an unreadable file")
    func standardInput() async throws {
        try await shell("\"$CHERISH\" seed - <&-") { (result: ProgramResult, _: URL) throws in
            #expect(result.status == 65, "\(result.errors)")
            #expect(result.code == "unreadable_file")
        }
    }

    @Test("a worker runs without standard error and standard output")
    func worker() async throws {
        let yesterday = ["--now", ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: -86_400))]
        try await Program.cherish.run(
            ["account", "add", "--email", email, "--nickname", "민지", "--time-zone", "UTC"] + yesterday)
        try await Program.cherish.run(
            [
                "friend", "add", email, "--name", "Ann", "--phone", "+821000000301", "--cycle-days", "1", "--alarm",
                "00:00",
            ]
                + yesterday)
        try await shell(
            """
            export CHERISH_PUSH=jsonl:pushes.jsonl
            "$WORKER" >&- 2>&- & worker=$!
            for attempt in {1..300}; do if [ -s pushes.jsonl ]; then break; fi; sleep 0.1; done
            kill -TERM $worker; wait $worker; echo $?
            """
        ) { (result: ProgramResult, folder: URL) throws in
            #expect(result.output == "0\n")
            #expect(lines(of: folder.appendingPathComponent("pushes.jsonl")).count == 1)
        }
    }

    @Test("a home that cannot be created gives status 73", arguments: ["/dev/null/cherish", "/proc/cherish"])
    func home(path: String) async throws {
        let result = try await Program(name: "cherish", environment: ["CHERISH_HOME": path]).run("account", "list")
        #expect(result.status == 73, "\(result.errors)")
        #expect(result.errors.hasPrefix("error: cannot_create: "))
        #expect(result.errors.contains("CHERISH_HOME"))
    }
}

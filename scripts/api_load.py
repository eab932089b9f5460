"""Who asks in benchmark-api, and what it costs the one who answers."""

import atexit
import json
import os
import re
import resource
import socket
import subprocess
import time
from pathlib import Path

PGBENCH = "/usr/lib/postgresql/15/bin/pgbench"


class Server:
    """A server that runs here, with the processes that it starts."""

    def __init__(self, home, name, command, **variables):
        """`PORT` in the command and in the variables stands for a free port."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.name, self.address = name, f"http://127.0.0.1:{self.port}"
        self.log = home / f"{name}.log"
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                [str(argument).replace("PORT", str(self.port)) for argument in command], stdout=log, stderr=log,
                env=os.environ | {key: value.replace("PORT", str(self.port)) for key, value in variables.items()})
        # None outlives a benchmark that failed.
        atexit.register(self.process.kill)
        self.wait()

    def wait(self):
        for _ in range(600):
            if self.process.poll() is not None:
                break
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except OSError:
                time.sleep(0.1)
        raise SystemExit(f"error: {self.name} does not start: {self.log.read_text()}")

    def processor(self):
        """Seconds of processor time until now, of all its processes."""
        return processor_time(self.process.pid)

    def memory(self):
        """MiB of resident memory."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024

    def stop(self):
        self.process.terminate()
        self.process.wait(60)


class Clients:
    """Ask servers and the database, each for so many seconds over so many connections."""

    def __init__(self, home, steady, connections, seconds):
        self.home, self.program, self.connections, self.seconds = home, steady, connections, seconds

    def wrk(self, server, targets, seconds=None, connections=None):
        """Asks as often as the server answers. A target may have further `headers`.

        Returns the requests per second, their number, and the server's processor time for each in microseconds."""
        script = self.home / "requests.lua"
        lines = ["requests = {}", "function init()"]
        for target in targets:
            headers = dict(target.get("headers", {}))
            if target["token"]:
                headers["Authorization"] = "Bearer " + target["token"]
            if target["body"]:
                headers["Content-Type"] = "application/json"
            fields = ", ".join(f"[{json.dumps(name)}] = {json.dumps(value)}" for name, value in headers.items())
            body = json.dumps(target["body"], ensure_ascii=False) if target["body"] else "nil"
            lines.append(
                f"requests[#requests + 1] = wrk.format({json.dumps(target['method'])}, {json.dumps(target['path'])}, "
                f"{{{fields}}}, {body})")
        lines += ["end", "function request() return requests[math.random(#requests)] end"]
        script.write_text("\n".join(lines))
        before = server.processor()
        output = run(
            # On a busy machine an answer may take longer than the two seconds that wrk waits by default.
            "wrk", "-t1", f"-c{connections or self.connections}", f"-d{seconds or self.seconds}s", "--timeout", "10s", "-s", script,
            server.address + "/")
        spent = server.processor() - before
        if "Non-2xx" in output or "Socket errors" in output:
            raise SystemExit(f"error: {server.name} refused something: {output}\n{server.log.read_text()[-2000:]}")
        count = int(re.search(r"(\d+) requests in", output)[1])
        return float(re.search(r"Requests/sec:\s+([\d.]+)", output)[1]), count, spent / count * 1e6

    def steady(self, server, targets, rate, connections=None):
        """Starts to ask so many times a second; `times_of` waits for the end."""
        file = self.home / f"targets-{rate}.json"
        file.write_text(json.dumps(targets))
        return subprocess.Popen(
            [self.program, str(rate), str(self.seconds), str(connections or self.connections), server.address, file],
            stdout=subprocess.PIPE, text=True)

    def pgbench(self, database, script, variables):
        """Returns how often a second the script runs."""
        file = self.home / "statements.sql"
        file.write_text(script)
        definitions = [part for name, value in variables.items() for part in ("-D", f"{name}={value}")]
        output = run(
            PGBENCH, "-n", "-M", "prepared", f"-c{self.connections}", "-j1", f"-T{self.seconds}", *definitions,
            "-f", file, database)
        return float(re.search(r"tps = ([\d.]+) \(without", output)[1])


def processor_time(process):
    """Seconds of processor time until now, of a process and those that it started and that still run."""
    def ticks(process):
        try:
            stat = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
            children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
        except (FileNotFoundError, ProcessLookupError):
            # It ended meanwhile.
            return 0
        return int(stat[11]) + int(stat[12]) + sum(map(ticks, children))

    return ticks(process) / os.sysconf("SC_CLK_TCK")


def run(*command):
    done = subprocess.run(list(map(str, command)), check=False, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"error: {command[0]} failed: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def times_of(client):
    """The figures of a steady client: p50, p99 and most in milliseconds, and how often each status came."""
    output, _ = client.communicate()
    if client.returncode:
        raise SystemExit("error: the steady client failed")
    return json.loads(output)


def fsync_p99(folder):
    """The time for 99 of 100 writes of a page with fsync, in milliseconds, as WAL is written."""
    times = []
    file = os.open(folder / "fsync", os.O_RDWR | os.O_CREAT)
    for number in range(500):
        start = time.perf_counter()
        os.pwrite(file, b"x" * 8192, number % 64 * 8192)
        os.fdatasync(file)
        times.append((time.perf_counter() - start) * 1000)
    os.close(file)
    return sorted(times)[len(times) * 99 // 100]


class IdleConnections:
    """Connections that each had one answer and stay open."""

    def __init__(self, server, target, count):
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        request = (
            f"{target['method']} {target['path']} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            f"Authorization: Bearer {target['token']}\r\n\r\n").encode()
        self.sockets = []
        for _ in range(count):
            connection = socket.create_connection(("127.0.0.1", server.port))
            connection.sendall(request)
            if not connection.recv(65536).startswith(b"HTTP/1.1 200"):
                raise SystemExit("error: a connection that is to be idle got no answer")
            self.sockets.append(connection)

    def close(self):
        for connection in self.sockets:
            connection.close()

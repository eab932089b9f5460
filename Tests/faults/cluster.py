"""A private cluster, where possible on a small disk of its own that can be filled."""

import os
import pathlib
import subprocess
import threading


class DatabaseAway(Exception):
    """The database cannot be asked at the moment."""


class Session:
    """One connection of psql that lives on, and comes back after the server went away."""

    def __init__(self, url):
        self.url = url
        self.process = None
        self.lock = threading.Lock()

    def query(self, sql):
        """The rows as lists of texts. Also runs several statements; raises DatabaseAway for whatever goes wrong."""
        with self.lock:
            try:
                return self.ask(sql)
            except OSError:
                self.close()
                raise DatabaseAway("psql has ended") from None

    def ask(self, sql):
        if self.process is None:
            self.process = subprocess.Popen(
                ["psql", "-XqAtw", "-F", "\t", "-d", self.url], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, bufsize=1)
        self.process.stdin.write(f"{sql};\n\\echo -- end\n")
        self.process.stdin.flush()
        rows, problem = [], None
        while (line := self.process.stdout.readline()) != "-- end\n":
            if line == "":
                self.close()
                raise DatabaseAway(problem or "psql has ended")
            if line.startswith(("ERROR", "FATAL", "psql:", "WARNING", "server closed", "PANIC")):
                problem = problem or line.strip()
            rows.append(line.rstrip("\n").split("\t"))
        if problem:
            self.close()
            raise DatabaseAway(problem)
        return rows

    def close(self):
        if self.process:
            self.process.kill()
            self.process.wait()
        self.process = None


class Cluster:
    SIZE = 1 << 30

    def __init__(self, folder, programs):
        self.programs = programs
        self.disk = folder / "disk"
        self.disk.mkdir(mode=0o755)
        self.has_own_disk = self.mount()
        self.home = self.disk / "cherish"
        self.environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("PG", "CHERISH_", "DATABASE_URL"))
        } | {"CHERISH_HOME": str(self.home)}
        self.server = None

    def start(self):
        self.run("database", "start")
        self.url = self.run("database", "url").strip()
        self.socket = self.home / "socket" / ".s.PGSQL.5432"
        # The programs of PostgreSQL are not on the path of Debian's users; how it was started names one.
        self.server = (self.home / "postgres" / "postmaster.opts").read_text().split()[0]

    def mount(self):
        options = ["-t", "tmpfs", "-o", f"size={Cluster.SIZE},mode=755", "tmpfs"]
        return subprocess.run(["mount", *options, self.disk], capture_output=True).returncode == 0

    def run(self, *arguments):
        return subprocess.run(
            [self.programs / "cherish", *arguments], env=self.environment, check=True, text=True,
            stdout=subprocess.PIPE).stdout

    def control(self, *arguments):
        """Runs pg_ctl as whom the server runs; whether it succeeded."""
        who = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}
        return subprocess.run(
            [pathlib.Path(self.server).parent / "pg_ctl", *arguments, "-D", "postgres", "-w", "-t", "60"],
            cwd=self.home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **who).returncode == 0

    def restart(self):
        self.control("restart", "-m", "immediate", "-l", "postgres.log")

    def fill(self):
        """Takes all space that is left on the disk."""
        with open(self.disk / "ballast", "wb", buffering=0) as ballast:
            try:
                while True:
                    ballast.write(bytes(1 << 20))
            except OSError:
                pass

    def free(self):
        """Gives it back; a server that did not survive is started, as its operator would."""
        (self.disk / "ballast").unlink()
        if not self.control("status"):
            self.control("start", "-l", "postgres.log")

    def remove(self):
        if self.server:
            self.control("stop", "-m", "immediate")
        if self.has_own_disk:
            subprocess.run(["umount", "-l", self.disk], check=False)

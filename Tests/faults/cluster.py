"""Where the campaign runs: on a private cluster, if possible on a small disk of its own that can be filled, or on a Citus
cluster that is there already, whose servers run on this machine.

Both have the same interface: `url`, `environment` and `worker_url` for programs, `address` for the proxy, `groups` of lanes
that go away together, `faults` that only they can have, how much the campaign may ask of them (`rate`, `longest_pause`,
`poll_milliseconds`), and `start` and `remove`.
"""

import json
import os
import pathlib
import pwd
import shlex
import subprocess
import threading
import urllib.parse

ALL_LANES = frozenset(range(256))


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


class Unfit(Exception):
    """The campaign cannot run on this cluster: why, as a sentence."""


def run_pg_ctl(server, home, owner, *arguments):
    """Runs the pg_ctl beside a server's program as whom the server runs, in a folder; whether it succeeded."""
    who = {"user": owner, "group": pwd.getpwnam(owner).pw_gid, "extra_groups": []} if os.geteuid() == 0 else {}
    # The server looks for certificates at home when it connects to other nodes, and may not look at root's.
    environment = os.environ | {"HOME": pwd.getpwnam(owner).pw_dir}
    return subprocess.run(
        [pathlib.Path(server).parent / "pg_ctl", *arguments, "-w", "-t", "60"], cwd=home, env=environment,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **who).returncode == 0


class Cluster:
    SIZE = 1 << 30
    # The names of the campaign's methods.
    faults = ["database_restarts", "disk_fills"]
    # All of them go away together.
    groups = [ALL_LANES]
    # How many sets of plants become thirsty per second.
    rate = 40
    # How many seconds lie between two kills at most.
    longest_pause = 0.5
    poll_milliseconds = 100

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
        self.address = self.home / "socket" / ".s.PGSQL.5432"
        # The programs of PostgreSQL are not on the path of Debian's users; how it was started names one.
        self.server = (self.home / "postgres" / "postmaster.opts").read_text().split()[0]

    def mount(self):
        options = ["-t", "tmpfs", "-o", f"size={Cluster.SIZE},mode=755", "tmpfs"]
        return subprocess.run(["mount", *options, self.disk], capture_output=True).returncode == 0

    def run(self, *arguments):
        return subprocess.run(
            [self.programs / "cherish", *arguments], env=self.environment, check=True, text=True,
            stdout=subprocess.PIPE).stdout

    def worker_url(self, port):
        """For a worker that connects through the proxy."""
        return f"postgresql://cherish@127.0.0.1:{port}/cherish?sslmode=disable&gssencmode=disable"

    def placing(self, table):
        """SQL that places a table as the lanes are placed."""
        return ""

    def control(self, *arguments):
        return run_pg_ctl(self.server, self.home, "postgres", *arguments, "-D", "postgres")

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


class Server:
    """A server of the Citus cluster."""

    def __init__(self, host, port, folder):
        self.name = f"the server on port {port}"
        self.folder = pathlib.Path(folder)
        try:
            # Process, folder, start and port.
            [process, _, _, its_port] = (self.folder / "postmaster.pid").read_text().splitlines()[:4]
            self.program, *options = shlex.split((self.folder / "postmaster.opts").read_text())
            self.owner = self.folder.owner()
            log = os.readlink(f"/proc/{process}/fd/2")
        except (OSError, ValueError, KeyError):
            raise Unfit(
                f"the data directory of the server {host}:{port}, {folder}, is not on this machine or cannot be read; faults "
                "need to stop and start each server") from None
        if its_port != str(port):
            raise Unfit(f"{folder} on this machine belongs to a server on port {its_port}, not to {host}:{port}")
        if os.geteuid() not in (0, self.folder.stat().st_uid):
            raise Unfit(f"{self.name} belongs to {self.owner}; run this as {self.owner} or as root")
        # The folder is given anew: it may have been a relative one.
        place = options.index("-D") if "-D" in options else len(options)
        options = options[:place] + options[place + 2:]
        # A server of many tables would otherwise take half a minute to come back: it looks at each file after a crash.
        quick = "recovery_init_sync_method=syncfs"
        self.options = shlex.join(options if quick in options else [*options, "-c", quick])
        # Where it was started with pg_ctl --log, it goes on writing there.
        self.log = log if os.path.isfile(log) else os.devnull

    def stop(self):
        """Ends it at once, as a crash does."""
        if not self.control("stop", "-m", "immediate"):
            raise RuntimeError(f"{self.name} did not stop")

    def start(self):
        if not self.control("start", "-l", self.log, "-o", self.options):
            raise RuntimeError(f"{self.name} did not start again; start it, and see its log, {self.log}")

    def control(self, *arguments):
        return run_pg_ctl(self.program, self.folder, self.owner, *arguments, "-D", self.folder)


class CitusCluster:
    """A database on Citus that was made for the campaign, as docs/operating.md has it. Accounts and pushes stay there."""

    faults = ["node_dies", "coordinator_dies"]
    # Whoever looks at all lanes asks all shards, and a new session has to learn where they are.
    rate = 20
    longest_pause = 2
    poll_milliseconds = 500

    def __init__(self, url, programs):
        self.programs = programs
        self.url = url
        self.environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("PG", "CHERISH_", "DATABASE_URL"))
        } | {"DATABASE_URL": url}
        self.session = Session(url)
        self.is_taken = False

    def start(self):
        """Finds the servers and which lanes each of them has; refuses a database that was not made for this."""
        try:
            self.require_fit()
            self.find_servers()
        except DatabaseAway as problem:
            raise Unfit(f"the database on Citus cannot be asked: {problem}") from None
        [[user, host, port, database]] = self.session.query("SELECT :'USER', :'HOST', :'PORT', :'DBNAME'")
        self.address = f"{host}/.s.PGSQL.{port}" if host.startswith("/") else f"{host}:{port}"
        user, database = (urllib.parse.quote(name, safe="") for name in (user, database))
        password = urllib.parse.urlsplit(self.url).password if "://" in self.url else None
        self.credentials, self.database = user + (f":{password}" if password else ""), database
        self.is_taken = True

    def require_fit(self):
        [[citus, lane, mark]] = self.session.query("""
            SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL, to_regclass('lane') IS NOT NULL,
                to_regclass('database_mark') IS NOT NULL""")
        if citus != "t":
            raise Unfit("the database has no extension citus")
        if "f" in (lane, mark):
            raise Unfit("the database is not migrated; migrate and distribute it as docs/operating.md has it (Moving to Citus)")
        status = json.loads(subprocess.run(
            [self.programs / "cherish", "database", "status", "--output", "json"], env=self.environment, check=True, text=True,
            stdout=subprocess.PIPE).stdout)
        if status["applied"] != status["known"]:
            raise Unfit("the database is not migrated by these programs; run 'cherish database migrate' first")
        [[placed]] = self.session.query("SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = 'lane'::regclass")
        if placed == "0":
            raise Unfit("the tables are not distributed yet; run the scripts of sql/citus first")
        [[marks], [accounts]] = self.session.query(
            "SELECT count(*) FROM database_mark WHERE purpose = 'test'; SELECT count(*) FROM account")
        if marks == "0":
            raise Unfit("the database is not marked as one for tests; run 'cherish database mark-test' if it is one")
        if accounts != "0":
            raise Unfit("the database has accounts; make an empty one for the campaign")

    def find_servers(self):
        [[host, port, folder]] = self.session.query("""
            SELECT nodename, nodeport, current_setting('data_directory') FROM pg_dist_node
            WHERE groupid = 0 AND noderole = 'primary'""") or [[None] * 3]
        if host is None:
            raise Unfit("the coordinator does not know its own address; see citus_set_coordinator_host")
        self.coordinator = Server(host, port, folder)
        lanes = {}
        for lane, *node in self.session.query("""
            SELECT lane, nodename, nodeport FROM generate_series(0, 255) AS lane
            JOIN pg_dist_placement ON shardid = get_shard_id_for_distribution_column('lane', lane::smallint)
            JOIN pg_dist_node USING (groupid)
            WHERE noderole = 'primary' ORDER BY lane"""):
            lanes.setdefault(tuple(node), set()).add(int(lane))
        self.nodes, self.groups = [], [frozenset(group) for group in lanes.values()]
        for host, port, success, folder in self.session.query("""
            SELECT nodename, nodeport, success, result FROM run_command_on_workers('SHOW data_directory')
            ORDER BY nodename, nodeport"""):
            if (host, port) not in lanes:
                continue
            if success != "t":
                raise Unfit(f"the node {host}:{port} does not answer: {folder}")
            node = Server(host, port, folder)
            node.lanes = frozenset(lanes[host, port])
            self.nodes.append(node)
        if len(lanes) < 2 or not self.nodes:
            raise Unfit("all lanes lie on one server; let two nodes have shards, so that one can go on when the other is away")

    def worker_url(self, port):
        return f"postgresql://{self.credentials}@127.0.0.1:{port}/{self.database}?sslmode=disable&gssencmode=disable"

    def checkpoint(self):
        """Lets all servers write what they would otherwise write at their next start, which would last longer than a fault."""
        self.session.close()
        self.session.query("CHECKPOINT; SELECT success FROM run_command_on_workers('CHECKPOINT')")

    def placing(self, table):
        return f"SELECT create_distributed_table('{table}', 'lane', colocate_with => 'lane')"

    def remove(self):
        """Drops what the campaign made beside accounts."""
        # The session from the beginning may have ended with a fault.
        self.session.close()
        if self.is_taken:
            try:
                self.session.query("DROP SCHEMA IF EXISTS faults CASCADE")
            except DatabaseAway as problem:
                print(f"the schema faults is still there: {problem}")
            self.session.close()

"""Real faults: see scripts/faults, which runs this.

    python3 campaign.py PROGRAMS-FOLDER [--kills N] [--seed N] [--keep] [--citus URL]

Exits with 1 when a promise was broken, with 64 or 69 when the campaign cannot run.
"""

import argparse
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import garden
from cluster import ALL_LANES, CitusCluster, Cluster, DatabaseAway, Session, Unfit
from verdict import Verdict
from watch import Fault, Watch
from workers import Worker, Workers

HERE = pathlib.Path(__file__).parent
WORKERS = 3
LEASE = 1.5
# Methods of Campaign.
RECEIVER_FAULTS = ["receiver_errors", "receiver_hangs", "receiver_resets"]
OTHER_FAULTS = [
    "sessions_end", "proxy_delays", "proxy_resets", "proxy_half_open", "worker_freezes", "worker_freezes_scheduling"]
# What docs/operating.md and docs/push.md allow beyond the lease and the slack: a pause between tries, and waiting for answers.
PAUSE = 5.0
DEADLINE = 1.0


class Attendant:
    """The receiver or the proxy: a process that obeys."""

    def __init__(self, script, *arguments):
        self.process = subprocess.Popen(
            [sys.executable, HERE / script, *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            bufsize=1)
        self.ports = [int(port) for port in self.process.stdout.readline().split()]

    def tell(self, command):
        self.process.stdin.write(command + "\n")
        assert self.process.stdout.readline() == "done\n"

    def stop(self):
        self.process.kill()
        self.process.wait()


class Campaign:
    def __init__(self, folder, cluster, kills, seed, only, slack):
        self.random = random.Random(seed)
        self.kills = kills
        self.slack = slack
        self.violations = []
        self.refused = 0
        self.cluster = cluster
        self.schedule = [getattr(self, only)] * kills if only else self.draw_schedule()
        # Twice what it should take: the planner stops when the faults are over.
        pause = 2 * self.cluster.longest_pause
        seconds = 30 + sum(pause if fault == self.worker_dies else 9 for fault in self.schedule)
        # A busy machine takes longer.
        seconds *= 2 if slack > 1 else 1
        self.received = folder / "received.jsonl"
        self.receiver = Attendant("receiver.py", self.received, garden.SECRET, seed)
        self.proxy = Attendant("proxy.py", self.cluster.address, WORKERS)
        garden.seed(self.cluster, folder, seconds, self.receiver.ports[0], [f"127.0.0.{number}" for number in range(1, 5)])
        self.session = Session(self.cluster.url)
        self.watch = Watch(self.cluster.url, slack, self.cluster.groups)
        self.planner = garden.Planner(self.cluster)
        self.workers = Workers([self.worker(number, port, folder) for number, port in enumerate(self.proxy.ports)])

    def worker(self, number, port, folder):
        environment = self.cluster.environment | {
            "DATABASE_URL": self.cluster.worker_url(port),
            "CHERISH_PUSH": "devices", "CHERISH_WEBHOOKS": "private", "CHERISH_PUSH_DAILY_CAP": "1000",
            "CHERISH_PUSH_DEADLINE_MILLISECONDS": str(int(DEADLINE * 1000)),
            "CHERISH_POLL_MILLISECONDS": str(self.cluster.poll_milliseconds),
            "CHERISH_LEASE_MILLISECONDS": str(int(LEASE * 1000)),
        }
        return Worker(number, self.cluster.programs / "cherish-worker", environment, folder)

    def draw_schedule(self):
        """Kills, and evenly among them all other faults; those of the receiver first, since what it does not take is tried
        again after half a minute only."""
        runs = max(1, self.kills // 100)
        receiving = [getattr(self, fault) for fault in RECEIVER_FAULTS] * runs
        others = [getattr(self, fault) for fault in OTHER_FAULTS + self.cluster.faults] * runs
        self.random.shuffle(receiving)
        self.random.shuffle(others)
        schedule = [self.worker_dies] * self.kills
        others = receiving + others
        # The receiver's within the first half of the time.
        for number, fault in enumerate(others):
            share = (number + 0.5) / len(others)
            schedule.insert(int(share * self.kills) + number, fault)
        return schedule

    def run(self):
        self.workers.start()
        self.await_partitions()
        for thread in (self.watch, self.planner):
            thread.start()
        time.sleep(2)
        self.watch.settle(10)
        for number, fault in enumerate(self.schedule):
            fault()
            if sys.stderr.isatty():
                print(f"\r{number + 1} of {len(self.schedule)} faults", end="", file=sys.stderr)
        self.watch.settle(20)
        self.planner.stop()
        self.drain()
        self.watch.stop()
        stuck = self.workers.stop(19 + self.slack)
        if stuck:
            self.violations.append(f"workers {stuck} did not stop when they were asked to")

    def await_partitions(self):
        """Waits until a worker has made the partitions of the days ahead. On Citus that takes long, while lanes wait."""
        deadline = time.time() + 300
        while not any("kept house" in worker.logged_since(0) for worker in self.workers.all):
            if time.time() > deadline:
                raise RuntimeError("no worker kept house within five minutes; see their logs with --keep")
            time.sleep(0.2)

    def drain(self):
        """Waits for what is tried again."""
        deadline = time.time() + 180 + self.slack * 60
        while time.time() < deadline:
            try:
                if self.session.query("""
                    SELECT count(*) FROM push_retry;
                    SELECT count(*) FROM lane JOIN lane_delivery USING (lane) WHERE cursor_seq < last_seq;
                    SELECT count(*) FROM faults.planned WHERE planned_at > now() - interval '1 second'""") == [["0"]] * 3:
                    return
            except DatabaseAway:
                pass
            time.sleep(0.3)
        self.violations.append("something still waits to be tried again minutes after the last fault")

    # Faults

    def begin(self, kind, away=frozenset()):
        """Begins a fault; lanes that it takes away are away until `end_outage`. All others must go on."""
        bound = LEASE + self.slack
        elsewhere = Fault(f"{kind}: lanes elsewhere", bound) if away and away != ALL_LANES else None
        fault = Fault(kind, bound + (PAUSE if away else 0) + (DEADLINE if "receiver" in kind else 0), elsewhere)
        self.watch.begin(fault, away)
        return fault

    def end_outage(self):
        self.watch.end_outage()
        self.calm()

    def calm(self):
        """The next fault waits until this one is over, so that each is measured alone."""
        self.watch.settle(29 + self.slack)

    def worker_dies(self):
        time.sleep(self.random.uniform(0.05, self.cluster.longest_pause))
        victim = self.random.choice(self.workers.all)
        victim.kill()
        fault = Fault("SIGKILL of a worker", LEASE + self.slack)
        # Its last statement may still be on its way.
        time.sleep(0.02)
        try:
            leases = victim.leases(self.session)
        except DatabaseAway:
            leases = []
        fault.held = len(leases)
        self.watch.lost_at.update({lane: fault.began for lane, _ in leases})
        self.watch.faults.append(fault)
        victim.start()

    def worker_freezes(self):
        """A worker stands still for longer than its lease, and then goes on as if nothing had happened."""
        victim, leases = self.stop_holder()
        fault = self.begin("SIGSTOP of a lease holder")
        position = victim.log_size()
        time.sleep(LEASE * 2)
        deadline = time.time() + self.slack
        while len(taken := self.taken_over(leases)) < len(leases) and time.time() < deadline:
            time.sleep(0.1)
        victim.signal(signal.SIGCONT)
        deadline = time.time() + 4 + self.slack
        missing = taken
        while missing and time.time() < deadline:
            time.sleep(0.1)
            log = victim.logged_since(position).splitlines()
            missing = {lane for lane in taken if not any("lease lost" in line and f"lane={lane} " in line for line in log)}
        self.refused += len(taken) - len(missing)
        fault.held = len(leases)
        if len(taken) < len(leases):
            self.violations.append(f"of the lanes {leases} of a worker that stood still only {taken} were taken over")
        if missing:
            self.violations.append(f"a worker that stood still was not refused in the lanes {missing}")
        self.calm()

    def worker_freezes_scheduling(self):
        """A worker stands still in the middle of a transaction that holds a lane, in which something is due."""
        victim = self.stop_scheduler()
        self.begin("SIGSTOP while scheduling")
        time.sleep(LEASE * 2 + 1)
        victim.signal(signal.SIGCONT)
        self.calm()

    def stop_scheduler(self):
        return self.stop_one(0.2, lambda victim: self.lanes_of_idle())[0]

    def lanes_of_idle(self):
        """The lanes that are locked while something is due there, if somebody is idle in a transaction."""
        # Of those who run, none is idle in a transaction for so long.
        if not self.session.query("""
            SELECT 1 FROM pg_stat_activity
            WHERE application_name = 'cherish' AND datname = current_database() AND state = 'idle in transaction'
                AND state_change < clock_timestamp() - interval '150 milliseconds'"""):
            return []
        due = self.session.query("""
            SELECT lane.lane FROM lane
            WHERE EXISTS (
                SELECT 1 FROM occurrence
                WHERE occurrence.lane = lane.lane AND at > lane.cursor_at
                    AND at < clock_timestamp() - interval '150 milliseconds')""")
        # One lane at a time: Citus locks rows of one only.
        return [
            lane for [lane] in due
            if not self.session.query(f"SELECT lane FROM lane WHERE lane = {lane} FOR UPDATE SKIP LOCKED")]

    def stop_holder(self):
        # By then a receipt that was on its way has arrived. It may have been the holder's last: it would not be refused.
        return self.stop_one(0.2, lambda victim: victim.leases(self.session))

    def stop_one(self, pause, find):
        """Stops workers for a moment, until it finds one in the situation that is looked for; it stays stopped."""
        # Between two statements of a transaction one of them is found once in twenty looks or so.
        deadline = time.time() + 120
        while time.time() < deadline:
            victim = self.random.choice(self.workers.all)
            victim.signal(signal.SIGSTOP)
            time.sleep(pause)
            try:
                if found := find(victim):
                    return victim, found
            except DatabaseAway:
                # The session of the fault before has ended with its fault.
                pass
            victim.signal(signal.SIGCONT)
            time.sleep(self.random.uniform(0.02, 0.1))
        raise RuntimeError("no worker was at work for two minutes; see its log with --keep")

    def taken_over(self, leases):
        fences = {int(lane): int(fence) for lane, fence in self.session.query("SELECT lane, fence FROM lane_delivery")}
        return {lane for lane, fence in leases if fences[lane] > fence}

    def database_restarts(self):
        self.begin("pg_ctl restart -m immediate", ALL_LANES)
        self.cluster.restart()
        self.end_outage()

    def node_dies(self):
        """The lanes of the other nodes must go on meanwhile."""
        node = self.random.choice(self.cluster.nodes)
        self.cluster.checkpoint()
        self.begin("immediate restart of a data node", node.lanes)
        self.restart(node)

    def coordinator_dies(self):
        self.cluster.checkpoint()
        self.begin("immediate restart of the coordinator", ALL_LANES)
        self.restart(self.cluster.coordinator)

    def restart(self, server):
        server.stop()
        try:
            time.sleep(self.random.uniform(1, 2))
        finally:
            # Whoever ends this by a signal finds it running, too.
            server.start()
        self.end_outage()

    def sessions_end(self):
        self.begin("pg_terminate_backend of all sessions")
        # A session may end by itself before its turn; the server warns of that.
        self.session.query("""
            SET client_min_messages = error;
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE application_name = 'cherish' AND datname = current_database();
            RESET client_min_messages""")
        self.calm()

    def proxy_delays(self):
        self.begin("proxy delays everything", ALL_LANES)
        self.proxy.tell(f"delay {self.random.uniform(0.05, 0.2)}")
        time.sleep(2)
        self.proxy.tell("pass")
        self.end_outage()

    def proxy_resets(self):
        self.begin("proxy resets all connections", ALL_LANES)
        self.proxy.tell("reset")
        time.sleep(self.random.uniform(0, 1))
        self.proxy.tell("pass")
        self.end_outage()

    def proxy_half_open(self):
        self.begin("half-open connections of a worker")
        self.proxy.tell(f"half-open {self.random.choice(self.proxy.ports)}")
        time.sleep(LEASE * 2 + 1)
        self.proxy.tell("pass")
        self.calm()

    def disk_fills(self):
        """The disk is full, for tables at once and for the log of the server when it needs the next file."""
        if not self.cluster.has_own_disk:
            return
        self.begin("disk full", ALL_LANES)
        self.cluster.fill()
        for _ in range(self.random.choice([0, 3])):
            try:
                self.session.query("SELECT pg_switch_wal()")
            except DatabaseAway:
                pass
            time.sleep(0.3)
        time.sleep(1.5)
        self.cluster.free()
        self.end_outage()

    def receiver_errors(self):
        self.receiver_fails("receiver answers 500", "error")

    def receiver_hangs(self):
        self.receiver_fails("receiver never answers", "hang")

    def receiver_resets(self):
        self.receiver_fails("receiver resets connections", "reset")

    def receiver_fails(self, kind, mode):
        self.begin(kind, ALL_LANES)
        self.receiver.tell(f"{mode} {self.random.randint(1, 4)}")
        time.sleep(2)
        self.receiver.tell("ok 0")
        self.end_outage()

    # The end

    def verdict(self):
        verdict = Verdict(self.session, self.received, self.watch.faults)
        parts = [part for fault in self.watch.faults for part in (fault, fault.elsewhere) if part]
        for fault in parts:
            if fault.bound and fault.longest > fault.bound:
                verdict.violations.append(
                    f"{fault.kind}: lane {fault.lane} waited for {fault.longest:.1f} s, longer than {fault.bound:.1f} s")
        verdict.violations += self.violations
        return verdict

    def close(self):
        for worker in self.workers.all:
            worker.kill()
        for attendant in (self.receiver, self.proxy):
            attendant.stop()


def report(campaign, verdict, seconds, seed):
    rows = verdict.table()
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        print("  ".join([row[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]))
    skips_disk = "disk_fills" in campaign.cluster.faults and not campaign.cluster.has_own_disk
    kills = [fault for fault in campaign.watch.faults if fault.kind.startswith("SIGKILL")]
    print(
        f"\n{len(verdict.planned)} pushes of {verdict.jobs} jobs in {seconds:.0f} s; {sum(fault.held > 0 for fault in kills)} of "
        f"{len(kills)} killed workers held a lease; {campaign.refused} late receipts were refused"
        + ("; disk full: skipped, a small disk could not be mounted" if skips_disk else ""))
    for violation in verdict.violations[:50]:
        print(f"violation: {violation}")
    if verdict.violations:
        print(f"{len(verdict.violations)} violations; --seed {seed} draws the same faults again")


def refuse(status, sentence):
    print(f"error: {sentence}", file=sys.stderr)
    sys.exit(status)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument(
        "--slack", type=float, default=1,
        help="how many seconds beyond the lease a lane may wait: 1 is what is promised, a busy machine needs more")
    parser.add_argument("--only", help="one kind of fault alone, as often as --kills says: disk_fills, worker_freezes …")
    parser.add_argument("--citus", metavar="URL", help="an empty test database on Citus, instead of a private cluster")
    parser.add_argument("--keep", action="store_true", help="leaves logs and what was received in the temporary folder")
    options = parser.parse_args()
    is_on_citus = options.citus is not None
    kind = CitusCluster if is_on_citus else Cluster
    known = ["worker_dies", *RECEIVER_FAULTS, *OTHER_FAULTS, *kind.faults]
    if options.only and options.only not in known:
        refuse(64, f"there is no fault {options.only} here; name one of {', '.join(known)}")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="cherish-faults-"))
    # The server's user goes through it.
    folder.chmod(0o711)
    started = time.time()
    # Whoever ends this by a signal leaves no server behind either.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    programs = options.programs.absolute()
    cluster = CitusCluster(options.citus, programs) if is_on_citus else Cluster(folder, programs)
    try:
        cluster.start()
        campaign = Campaign(folder, cluster, options.kills, options.seed, options.only, options.slack)
        try:
            campaign.run()
            verdict = campaign.verdict()
        finally:
            campaign.close()
        report(campaign, verdict, time.time() - started, options.seed)
    except Unfit as problem:
        refuse(69, problem)
    finally:
        cluster.remove()
        if options.keep:
            print(f"logs: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    sys.exit(1 if verdict.violations else 0)


if __name__ == "__main__":
    main()

"""Commands, scheduling and delivery at once, for as many minutes as told: soak.py PROGRAMS HOME MINUTES.

Ends with 1 when memory or a table grows that should not, when a push is lost or sent twice, or when a command fails."""

import os
import random
import re
import subprocess
import sys
import threading
import time
import urllib.request
from datetime import datetime, timedelta, timezone
from statistics import median

from private_service import DueFriends, Service, pushes_in, stop

CLIENTS = 3
# Every client does so much in a second; a command is a process of its own.
COMMANDS_PER_SECOND = 4
ACCOUNTS = 100
# So many alarms come with each minute.
ALARMS_PER_MINUTE = 600
# Their rows are changed, and none is added: what they grow by is what vacuum does not give back.
STEADY = ("account", "account_email", "device", "lane", "lane_delivery", "plant", "push_retry", "schema_migration")
LOG = ("push_job", "push_outcome", "push_receipt", "push_device_outcome", "push_notice", "occurrence_outcome")
SIZES = """
    SELECT coalesce(parent.relname, class.relname), sum(pg_total_relation_size(class.oid)), sum(coalesce(stat.n_dead_tup, 0))
    FROM pg_class AS class
    LEFT JOIN pg_inherits ON inhrelid = class.oid
    LEFT JOIN pg_class AS parent ON parent.oid = inhparent
    LEFT JOIN pg_stat_user_tables AS stat ON stat.relid = class.oid
    WHERE class.relkind = 'r' AND class.relnamespace = 'public'::regnamespace
    GROUP BY 1"""


def plant_garden(service, minutes):
    """Friends who are due today, so many with each of the coming minutes."""
    zone = DueFriends().zone
    now = datetime.now(timezone.utc)
    local = now - timedelta(hours=now.hour - 12)
    rows = ["account,name,phone,cycle_days,alarm"]
    for minute in range(1, round(minutes) + 3):
        alarm = (local + timedelta(minutes=minute)).strftime("%H:%M")
        rows += [
            f"soak-{friend % ACCOUNTS}@example.com,Friend {minute}-{friend},"
            f"+8210{20_000_000 + minute * 1000 + friend},1,{alarm}"
            for friend in range(ALARMS_PER_MINUTE)
        ]
    yesterday = (now - timedelta(days=1)).strftime("%FT%TZ")
    service.run("seed", "-", "--time-zone", zone, "--no-spread", "--now", yesterday, text="\n".join(rows))
    return [row[0] for row in service.sql("SELECT id FROM plant")]


class Client(threading.Thread):
    """Somebody who waters, reviews and postpones without end."""

    def __init__(self, service, plants, seed):
        super().__init__(daemon=True)
        self.service, self.plants, self.chance = service, plants, random.Random(seed)
        self.took, self.refused, self.failures = [], 0, []
        self.ends = threading.Event()

    def run(self):
        while not self.ends.is_set():
            began = time.monotonic()
            done = subprocess.run(
                [f"{self.service.programs}/cherish", *self.command()],
                env=self.service.environment, capture_output=True, text=True)
            self.took.append(time.monotonic() - began)
            # A rule may refuse: what is due today is postponed once, and a watering may be missing.
            if done.returncode == 1:
                self.refused += 1
            elif done.returncode:
                self.failures.append(done.stderr)
            self.ends.wait(max(0, 1 / COMMANDS_PER_SECOND - (time.monotonic() - began)))

    def command(self):
        plant = self.chance.choice(self.plants)
        kind = self.chance.random()
        if kind < 0.3:
            return ["water", plant, "--by", "call", "--keyword", "cafe", "--memo", "moved, likes the sea"]
        if kind < 0.7:
            # Half an hour ago and without a review: its reminder is due at once.
            ago = (datetime.now(timezone.utc) - timedelta(minutes=30)).strftime("%FT%TZ")
            return ["water", plant, "--by", "message", "--now", ago]
        if kind < 0.85:
            return ["review", "write", plant, "--keyword", "sea"]
        return ["postpone", plant, "--days", str(self.chance.randint(1, 7))]


class Monitor:
    """Looks at the worker and its database now and then."""

    def __init__(self, service, worker, url):
        self.service, self.worker, self.url = service, worker, url
        self.fetch = urllib.request.build_opener(urllib.request.ProxyHandler({})).open
        self.samples = []

    def metrics(self):
        return self.fetch(self.url).read().decode()

    def sample(self, at):
        with open(f"/proc/{self.worker.pid}/status") as status:
            memory = int(re.search(r"VmRSS:\s+(\d+)", status.read())[1]) / 1024
        tables = {name: (int(size) / 2**20, int(dead)) for name, size, dead in self.service.sql(SIZES)}
        text = self.metrics()
        lags = [
            float(re.search(rf"^cherish_{name}_lag_seconds (\S+)", text, re.M)[1])
            for name in ("scheduling", "delivery", "retry")
        ]
        self.samples.append({"at": at, "memory": memory, "tables": tables})
        log = sum(tables[name][0] for name in LOG if name in tables)
        steady = sum(tables[name][0] for name in STEADY)
        total = sum(size for size, _ in tables.values())
        dead = sum(count for _, count in tables.values())
        delivered = re.search(r'^cherish_pushes_ended_total{outcome="delivered"} (\S+)', text, re.M)[1]
        print(f"| {at:5.0f} | {memory:6.1f} | {steady:6.1f} | {log:6.1f} | {total - steady - log:6.1f} | {dead:6} "
              f"| {' | '.join(f'{lag:6.2f}' for lag in lags)} | {delivered:>9} |", flush=True)

    def thirds(self, value, warm_up):
        """The medians of the first and the last third after warming up."""
        values = [value(sample) for sample in self.samples if sample["at"] >= warm_up]
        third = max(1, len(values) // 3)
        return median(values[:third]), median(values[-third:])


def quantiles(values):
    ordered = sorted(values)
    return " / ".join(f"{ordered[min(len(ordered) - 1, int(len(ordered) * part))] * 1000:.0f}" for part in (0.5, 0.9, 0.99, 1))


def histogram(text, service):
    """The upper bounds, in milliseconds, of the buckets in which half, nine tenths, 99 of 100 and the last round lie."""
    found = re.findall(rf'^cherish_tick_seconds_bucket{{service="{service}",le="([^"]+)"}} (\S+)', text, re.M)
    buckets = [(float(bound), float(count)) for bound, count in found]
    count = buckets[-1][1]
    bounds = [next(bound for bound, below in buckets if below >= count * part) for part in (0.5, 0.9, 0.99, 1)]
    return f"{count:.0f} rounds, " + " / ".join(f"{bound * 1000:g}" for bound in bounds)


def soak(programs, home, minutes):
    service = Service(programs, f"{home}/cluster")
    service.run("database", "migrate")
    plants = plant_garden(service, minutes)
    print(f"{len(plants):,} friends of {ACCOUNTS} accounts, {ALARMS_PER_MINUTE} alarms a minute, "
          f"{CLIENTS} clients with {COMMANDS_PER_SECOND} commands a second each, {minutes:g} minutes\n")
    log = f"{home}/worker.log"
    worker = service.worker(f"{home}/pushes.jsonl", log, CHERISH_METRICS_PORT="0")
    while "metrics=http" not in open(log).read():
        time.sleep(0.05)
    monitor = Monitor(service, worker, re.search(r"metrics=(\S+/metrics)", open(log).read())[1])
    clients = [Client(service, plants, seed) for seed in range(CLIENTS)]
    for client in clients:
        client.start()
    columns = ("second", "memory MiB", "steady tables MiB", "log MiB", "what commands add MiB", "dead rows",
               "lag of scheduling s", "of delivery s", "of retries s", "delivered")
    print("|", " | ".join(columns), "|")
    print("|--:" * len(columns) + "|")
    began, length = time.monotonic(), minutes * 60
    pause = 10 if length >= 120 else 1
    while (at := time.monotonic() - began) < length:
        monitor.sample(at)
        time.sleep(max(0, pause - (time.monotonic() - began - at)))
    for client in clients:
        client.ends.set()
    for client in clients:
        client.join()
    service.wait_until_nothing_is_due()
    text = monitor.metrics()
    stop(worker)
    return judge(service, monitor, clients, text, home, length)


def judge(service, monitor, clients, text, home, length):
    took = [seconds for client in clients for seconds in client.took]
    late = service.sql("""
        SELECT extract(epoch FROM finished_at - planned_at) FROM push WHERE outcome = 'delivered' AND kind = 'watering_due'""")
    print(f"\n{len(took):,} commands, start of the program included, p50 / p90 / p99 / max: {quantiles(took)} ms; "
          f"{sum(client.refused for client in clients)} refused by a rule")
    for name in ("scheduling", "delivery"):
        print(f"{name}, p50 / p90 / p99 / max within: {histogram(text, name)} ms")
    if late:
        print(f"{len(late):,} alarms, from their instant to their end, p50 / p90 / p99 / max: "
              f"{quantiles([float(row[0]) for row in late])} ms")
    outcomes = {row[0]: int(row[1]) for row in service.sql("SELECT outcome, count(*) FROM push GROUP BY 1 ORDER BY 1")}
    print("ended:", ", ".join(f"{count:,} {outcome}" for outcome, count in outcomes.items()), "\n")
    pushes = pushes_in(f"{home}/pushes.jsonl")
    errors = [line for line in open(f"{home}/worker.log") if " error " in line]
    failures = [failure for client in clients for failure in client.failures]
    # A short run is over before a worker has touched all of its memory.
    is_short = length < 180
    first, last = monitor.thirds(lambda sample: sample["memory"], min(60, length / 4))
    limit = first * (1.5 if is_short else 1.1)
    verdicts = [
        (last <= limit, f"memory is flat: {first:.1f} MiB in the first third, {last:.1f} in the last, {limit:.1f} allowed"),
        (outcomes.get("delivered", 0) == len(pushes) > 0 and not {"expired", "dead"} & set(outcomes),
         f"all that fell due came: {outcomes.get('delivered', 0):,} delivered, {len(pushes):,} in the file"),
        (len({push["collapseId"] for push in pushes}) == len(pushes), "none came twice"),
        (not errors, f"the worker's log has no error{''.join(errors[:3])}"),
        (not failures, f"no command failed{''.join(failures[:3])}"),
    ]
    for table in STEADY:
        first, last = monitor.thirds(lambda sample: sample["tables"][table][0], min(60, length / 4))
        verdicts.append((last <= first * 1.5 + 1, f"{table} does not grow: {first:.2f} MiB, {last:.2f} MiB"))
    for is_so, sentence in verdicts:
        print("ok  " if is_so else "FAIL", sentence)
    return all(is_so for is_so, _ in verdicts)


def main():
    programs, home, minutes = sys.argv[1:]
    os.makedirs(f"{home}/cluster")
    sys.exit(0 if soak(programs, home, float(minutes)) else 1)


main()

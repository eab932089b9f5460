"""Runs commands, scheduling and delivery concurrently for some minutes: soak.py PROGRAMS HOME MINUTES.

Ends with 1 if memory or a table grows that should not, if a push is lost or sent twice, or if a command fails. It judges
every table of the database: a table in none of the lists below, or in two, ends the run before it begins."""

import os
import random
import re
import subprocess
import sys
import threading
import time
import urllib.request
from bisect import bisect_left
from collections import Counter
from datetime import datetime, timedelta, timezone
from math import inf, sqrt
from statistics import median

from private_service import DueFriends, Service, arguments, pushes_in, stop

CLIENTS = 3
# Commands per second of each client; each command is a process of its own.
COMMANDS_PER_SECOND = 4
ACCOUNTS = 100
# So many alarms come with each minute.
ALARMS_PER_MINUTE = 600
# No row stays for good; growth is only what vacuum does not give back.
STEADY = (
    "account", "account_block", "account_email", "account_identity", "account_password", "account_phone", "account_picture",
    "account_session", "account_summary", "calendar_feed", "cycle_change", "database_mark", "device", "device_token", "engine_lock",
    "erasure", "helped_list", "helper_rating", "idempotent_request", "import_batch", "import_change", "lane", "lane_delivery",
    "lane_watch", "list_measure", "list_news", "list_receipt", "list_report", "outage", "pause", "place", "plant",
    "plant_summary", "plant_tag", "postcode", "push_action", "push_retry", "schema_migration", "shopping_list", "store", "tag", "thing",
    "thing_completion", "thing_share", "thing_tag", "throttle", "tombstone", "verification_code",
)
# Grows with the pushes until its days are dropped.
LOG = (
    "occurrence_outcome", "push_day", "push_device_outcome", "push_job", "push_outcome", "push_receipt", "sent_push")
# The most rows that one command adds: an alarm and a reminder; points for the contact, keywords and a memo (rules 4.1,
# 7.2, 7.3); what it changed, once in an account where that is counted, and when an item was edited (rule 14).
MOST_ROWS_OF_A_COMMAND = {
    "account_change": 1, "account_change_head": 1, "affection_entry": 3, "edited_item": 1, "occurrence": 2, "postponement": 1,
    "watering": 1}
# An alarm today, one on each of the seven days to which it may be postponed, and a reminder (rules 6.2 and 7.3).
MOST_AHEAD_OF_A_PLANT = 9
SIZES = """
    SELECT coalesce(parent.relname, class.relname), sum(pg_total_relation_size(class.oid)), sum(coalesce(stat.n_dead_tup, 0))
    FROM pg_class AS class
    JOIN pg_namespace AS schema ON schema.oid = class.relnamespace
    LEFT JOIN pg_inherits ON inhrelid = class.oid
    LEFT JOIN pg_class AS parent ON parent.oid = inhparent
    LEFT JOIN pg_stat_user_tables AS stat ON stat.relid = class.oid
    WHERE class.relkind IN ('r', 'p', 'm') AND schema.nspname !~ '^pg_' AND schema.nspname <> 'information_schema'
    GROUP BY 1"""
ROWS = " UNION ALL ".join(f"SELECT '{name}', count(*) FROM {name}" for name in (*STEADY, *MOST_ROWS_OF_A_COMMAND))
AHEAD = """
    SELECT coalesce(max(plant.count), 0) FROM (
        SELECT count(*) AS count FROM occurrence JOIN lane ON lane.lane = occurrence.lane
        WHERE (at, subject_id, topic, ref) > (cursor_at, cursor_subject_id, cursor_topic, cursor_ref)
        GROUP BY subject_id
    ) AS plant"""


def refuse_unlisted_tables(service):
    """Ends the program unless the lists name every table of the database exactly once, and nothing else."""
    found = {row[0] for row in service.sql(SIZES)}
    listed = [*STEADY, *LOG, *MOST_ROWS_OF_A_COMMAND]
    wrong = sorted(name for name in found.union(listed) if name not in found or listed.count(name) != 1)
    if wrong:
        raise SystemExit(
            f"error: {', '.join(wrong)}: name each table of the database in exactly one of STEADY, LOG and "
            "MOST_ROWS_OF_A_COMMAND in scripts/soak.py")


def plant_garden(service, minutes):
    """Seeds friends who are due today, with ALARMS_PER_MINUTE alarms in each of the coming minutes."""
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
    """A client that waters, reviews and postpones until it is stopped."""

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
            # A rule may refuse: a plant due today can be postponed only once, and a watering may be missing.
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
            # Half an hour ago and without a review, so its reminder is due at once.
            ago = (datetime.now(timezone.utc) - timedelta(minutes=30)).strftime("%FT%TZ")
            return ["water", plant, "--by", "message", "--now", ago]
        if kind < 0.85:
            return ["review", "write", plant, "--keyword", "sea"]
        return ["postpone", plant, "--days", str(self.chance.randint(1, 7))]


class Monitor:
    """Samples the worker and its database."""

    def __init__(self, service, worker, url, clients):
        self.service, self.worker, self.url, self.clients = service, worker, url, clients
        self.fetch = urllib.request.build_opener(urllib.request.ProxyHandler({})).open
        self.samples = []

    def metrics(self):
        return self.fetch(self.url).read().decode()

    def sample(self, at):
        with open(f"/proc/{self.worker.pid}/status") as status:
            memory = int(re.search(r"VmRSS:\s+(\d+)", status.read())[1]) / 1024
        commands = sum(len(client.took) for client in self.clients)
        rows = {name: int(count) for name, count in self.service.sql(ROWS)}
        tables = {name: (int(size) / 2**20, int(dead)) for name, size, dead in self.service.sql(SIZES)}
        text = self.metrics()
        lags = [
            float(re.search(rf"^cherish_{name}_lag_seconds (\S+)", text, re.M)[1])
            for name in ("scheduling", "delivery", "retry")
        ]
        self.samples.append({"at": at, "memory": memory, "tables": tables, "rows": rows, "commands": commands})
        log = sum(tables[name][0] for name in LOG)
        steady = sum(tables[name][0] for name in STEADY)
        added = sum(tables[name][0] for name in MOST_ROWS_OF_A_COMMAND)
        dead = sum(count for _, count in tables.values())
        delivered = re.search(r'^cherish_pushes_ended_total{outcome="delivered"} (\S+)', text, re.M)[1]
        print(f"| {at:5.0f} | {memory:6.1f} | {steady:6.1f} | {log:6.1f} | {added:6.1f} | {dead:6} "
              f"| {' | '.join(f'{lag:6.2f}' for lag in lags)} | {delivered:>9} |", flush=True)

    def thirds(self, value, warm_up):
        """Returns the medians of the first and the last third after the warm-up."""
        values = [value(sample) for sample in self.samples if sample["at"] >= warm_up]
        third = max(1, len(values) // 3)
        return median(values[:third]), median(values[-third:])

    def halves(self, table):
        """Returns the commands and the growth of a table in rows, for the first and the second half."""
        first, middle, last = (self.samples[place] for place in (0, len(self.samples) // 2, -1))
        return [
            (later["commands"] - earlier["commands"], later["rows"][table] - earlier["rows"][table])
            for earlier, later in ((first, middle), (middle, last))
        ]


def quantiles(values):
    ordered = sorted(values)
    return " / ".join(f"{ordered[min(len(ordered) - 1, int(len(ordered) * part))] * 1000:.0f}" for part in (0.5, 0.9, 0.99, 1))


def rounds(text, service):
    """Counts the rounds of a service in each bucket, by its upper bound in milliseconds."""
    found = re.findall(rf'^cherish_tick_seconds_bucket{{service="{service}",le="([^"]+)"}} (\S+)', text, re.M)
    counts = [round(float(count)) for _, count in found]
    return {float(bound) * 1000: count - below for (bound, _), count, below in zip(found, counts, [0, *counts])}


def histogram(values, bounds):
    """Counts values, in seconds, in each bucket, by its upper bound in milliseconds; the last bucket is unbounded."""
    counts = Counter(bounds[bisect_left(bounds, value * 1000)] for value in values)
    return {bound: counts[bound] for bound in bounds}


def bounds_of_quantiles(buckets):
    """Returns the upper bounds of the buckets that hold the p50, p90, p99 and maximum."""
    count, below, found = sum(buckets.values()), 0, []
    for bound, inside in buckets.items():
        below += inside
        found += [bound for part in (0.5, 0.9, 0.99, 1)[len(found):] if below >= count * part]
    return " / ".join(f"{bound:g}" for bound in found)


def print_histograms(histograms):
    """Prints a table of how many values of each latency lie above one bound and no higher than the next."""
    print("\n| no more than ms |", " | ".join(histograms), "|")
    print("|--:" * (len(histograms) + 1) + "|")
    for bound in next(iter(histograms.values())):
        counts = [buckets[bound] for buckets in histograms.values()]
        if any(counts):
            label = "more" if bound == inf else f"{bound:,g}"
            print(f"| {label} |", " | ".join(f"{count:,}" for count in counts), "|")
    print()


def soak(programs, home, minutes):
    service = Service(programs, f"{home}/cluster")
    service.run("database", "migrate")
    refuse_unlisted_tables(service)
    plants = plant_garden(service, minutes)
    print(f"{len(plants):,} friends of {ACCOUNTS} accounts, {ALARMS_PER_MINUTE} alarms a minute, "
          f"{CLIENTS} clients with {COMMANDS_PER_SECOND} commands a second each, {minutes:g} minutes\n")
    log = f"{home}/worker.log"
    worker = service.worker(f"{home}/pushes.jsonl", log, CHERISH_METRICS_PORT="0")
    # Housekeeping's first run summarizes every plant; from then on there is one row for each.
    while "metrics=http" not in open(log).read() or "kept house" not in open(log).read():
        time.sleep(0.05)
    clients = [Client(service, plants, seed) for seed in range(CLIENTS)]
    monitor = Monitor(service, worker, re.search(r"metrics=(\S+/metrics)", open(log).read())[1], clients)
    columns = ("second", "memory MiB", "steady tables MiB", "log MiB", "what commands add MiB", "dead rows",
               "lag of scheduling s", "of delivery s", "of retries s", "delivered")
    print("|", " | ".join(columns), "|")
    print("|--:" * len(columns) + "|")
    began, length = time.monotonic(), minutes * 60
    pause = 10 if length >= 120 else 1
    monitor.sample(0)
    for client in clients:
        client.start()
    while (at := time.monotonic() - began) < length:
        time.sleep(min(pause - at % pause, length - at))
        monitor.sample(time.monotonic() - began)
    for client in clients:
        client.ends.set()
    for client in clients:
        client.join()
    service.wait_until_nothing_is_due()
    # No command is running and no retry is left, so rows can be compared with those of the start.
    monitor.sample(time.monotonic() - began)
    text = monitor.metrics()
    stop(worker)
    return judge(service, monitor, clients, text, home, length)


def print_latencies(service, clients, text):
    """Prints quantiles and a histogram of each latency, in the buckets of the worker's metrics."""
    took = [seconds for client in clients for seconds in client.took]
    late = [float(row[0]) for row in service.sql("""
        SELECT extract(epoch FROM finished_at - planned_at) FROM push WHERE outcome = 'delivered' AND topic = 'watering_due'""")]
    ticks = {name: rounds(text, name) for name in ("scheduling", "delivery")}
    bounds = list(ticks["scheduling"])
    print(f"\n{len(took):,} commands, start of the program included, p50 / p90 / p99 / max: {quantiles(took)} ms; "
          f"{sum(client.refused for client in clients)} refused by a rule")
    for name, buckets in ticks.items():
        print(f"{name}, p50 / p90 / p99 / max within: {sum(buckets.values())} rounds, {bounds_of_quantiles(buckets)} ms")
    if late:
        print(f"{len(late):,} alarms, from their instant to their end, p50 / p90 / p99 / max: {quantiles(late)} ms")
    print_histograms({
        "commands": histogram(took, bounds), "alarms": histogram(late, bounds),
        **{f"rounds of {name}": buckets for name, buckets in ticks.items()},
    })


def table_verdicts(service, monitor, warm_up):
    """Judges the growth of each table but the log."""
    before, after = monitor.samples[0]["rows"], monitor.samples[-1]["rows"]
    verdicts = []
    for table in STEADY:
        first, last = monitor.thirds(lambda sample: sample["tables"][table][0], warm_up)
        verdicts.append((
            last <= first * 1.5 + 1 and after[table] <= before[table],
            f"{table} does not grow: {first:.2f} MiB, {last:.2f} MiB; {before[table]:,} rows, {after[table]:,} in the end"))
    for table, most in MOST_ROWS_OF_A_COMMAND.items():
        (earlier, first), (later, last) = monitor.halves(table)
        expected = first * later / max(1, earlier)
        # The commands are random: with few of them, one half may have many more of a kind than the other.
        allowed = expected * 1.5 + 4 * sqrt(most * expected) + 10 * most
        verdicts.append((
            last <= allowed and first + last <= most * (earlier + later),
            f"{table} grows by no more than {most} rows a command: by {first:,} with {earlier:,} commands, then by {last:,} "
            f"with {later:,}, {allowed:,.0f} allowed"))
    ahead = int(service.number(AHEAD))
    verdicts.append((
        ahead <= MOST_AHEAD_OF_A_PLANT, f"no plant has more than {MOST_AHEAD_OF_A_PLANT} occurrences ahead: {ahead} at most"))
    return verdicts


def judge(service, monitor, clients, text, home, length):
    print_latencies(service, clients, text)
    outcomes = {row[0]: int(row[1]) for row in service.sql("SELECT outcome, count(*) FROM push GROUP BY 1 ORDER BY 1")}
    print("ended:", ", ".join(f"{count:,} {outcome}" for outcome, count in outcomes.items()), "\n")
    pushes = pushes_in(f"{home}/pushes.jsonl")
    errors = [line for line in open(f"{home}/worker.log") if " error " in line]
    failures = [failure for client in clients for failure in client.failures]
    # A short run ends before a worker has touched all of its memory.
    is_short = length < 180
    warm_up = min(60, length / 4)
    first, last = monitor.thirds(lambda sample: sample["memory"], warm_up)
    limit = first * (1.5 if is_short else 1.1)
    verdicts = [
        (last <= limit, f"memory is flat: {first:.1f} MiB in the first third, {last:.1f} in the last, {limit:.1f} allowed"),
        (outcomes.get("delivered", 0) == len(pushes) > 0 and not {"expired", "dead"} & set(outcomes),
         f"all that fell due came: {outcomes.get('delivered', 0):,} delivered, {len(pushes):,} in the file"),
        (len({push["collapseId"] for push in pushes}) == len(pushes), "none came twice"),
        (not errors, f"the worker's log has no error{''.join(errors[:3])}"),
        (not failures, f"no command failed{''.join(failures[:3])}"),
    ]
    verdicts += table_verdicts(service, monitor, warm_up)
    for is_so, sentence in verdicts:
        print("ok  " if is_so else "FAIL", sentence)
    return all(is_so for is_so, _ in verdicts)


def main():
    programs, home, minutes = arguments(__doc__, 3, 3)
    os.makedirs(f"{home}/cluster")
    sys.exit(0 if soak(programs, home, float(minutes)) else 1)


main()

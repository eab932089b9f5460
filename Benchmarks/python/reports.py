"""Times the reports on a database that Benchmarks/sql/reports-data.sql has filled; scripts/benchmark-reports makes one.

All statements take turns, round by round. Prints a table in Markdown; exit status 1 when the median misses a bar.

    python3 Benchmarks/python/reports.py --database CONNINFO [--rounds 3] [--accounts 10]
"""

import argparse
import re
import statistics
import subprocess
import sys

# Milliseconds.
ACCOUNT_BAR, SERVICE_BAR = 50, 5000
# What pairs all words with each other has no bar.
WITHOUT_BAR = {"service_review_keyword_pairs"}
# Views about accounts that are also read for the whole service.
HISTORIES = {"contact_rhythm", "streaks"}
# The view about one account that touches most partitions: measured as the first statement of a connection too.
COLD = "push_funnel"
SETTINGS = "SET cherish.now = '2027-03-02T00:40Z'; SET timezone = 'UTC'; SET statement_timeout = '600s';\n"
VIEWS = """
    SELECT relname, bool_or(attname = 'account_id') AND bool_or(attname = 'lane'), bool_or(attname = 'day')
    FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
    WHERE relnamespace = 'report'::regnamespace AND relkind = 'v' GROUP BY relname ORDER BY 2 DESC, 1
    """


def psql(script):
    command = ["psql", "-X", "-q", "-A", "-t", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-d", options.database]
    done = subprocess.run(command, input=SETTINGS + script, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr.strip())
    return done.stdout


def rows_of(query):
    return [line.split("\t") for line in psql(query + ";").splitlines()]


def measure(statements):
    """Milliseconds and rows of each statement, in one session."""
    timed = [rf"{statement} \g /dev/null" + "\n" + r"\echo Rows: :ROW_COUNT" for statement in statements]
    found = re.findall(r"Time: ([\d.]+) ms.*?\nRows: (\d+)", psql("\\timing on\n" + "\n".join(timed) + "\n"))
    if len(found) != len(statements):
        sys.exit("psql did not time every statement; run it by hand to see why")
    return [(float(time), int(rows)) for time, rows in found]


def contestants(accounts):
    """Name, bar or None, and the statements of one turn."""
    lines = []
    for view, is_of_account, is_daily in rows_of(VIEWS):
        select = f"SELECT * FROM report.{view}"
        bar = None if view in WITHOUT_BAR else SERVICE_BAR
        if is_of_account == "t":
            with_lane = [f"{select} WHERE lane = {lane} AND account_id = '{id}'" for lane, id in accounts]
            lines.append((f"`{view}`, one account", ACCOUNT_BAR, with_lane))
            without_lane = [f"{select} WHERE account_id = '{id}'" for _, id in accounts]
            lines.append((f"`{view}`, without its lane", ACCOUNT_BAR, without_lane))
            if view in HISTORIES:
                lines.append((f"`{view}`, the service", SERVICE_BAR, [select]))
        else:
            lines.append((f"`{view}`", bar, [select]))
            if is_daily == "t":
                lines.append((f"`{view}`, 90 days", bar, [f"{select} WHERE day >= '2026-12-03'"]))
    return lines


def number(value):
    return f"{value:,.1f}" if value < 1000 else f"{value:,.0f}"


def main():
    chosen = f"SELECT lane, id FROM account ORDER BY md5(id::text) LIMIT {options.accounts * options.rounds}"
    accounts = rows_of(chosen)
    rounds = [contestants(accounts[place :: options.rounds]) for place in range(options.rounds)]
    # Into the caches, unmeasured, what is about one account; what reads all needs no help.
    for lines in rounds:
        measure([statement for _, bar, statements in lines if bar == ACCOUNT_BAR for statement in statements])
    times = {name: [] for name, _, _ in rounds[0]}
    rows = {name: [] for name in times}
    for lines in rounds:
        measured = iter(measure([statement for _, _, statements in lines for statement in statements]))
        for name, _, statements in lines:
            for _ in statements:
                time, count = next(measured)
                times[name].append(time)
                rows[name].append(count)
    cold = f"`{COLD}`, first of a connection"
    for lane, id in accounts:
        time, count = measure([f"SELECT * FROM report.{COLD} WHERE lane = {lane} AND account_id = '{id}'"])[0]
        times.setdefault(cold, []).append(time)
        rows.setdefault(cold, []).append(count)
    print("| view | rows | median ms | lowest – highest | bar, ms | ok? |\n|---|--:|--:|--:|--:|---|")
    missed = 0
    for name, bar, _ in rounds[0] + [(cold, None, [])]:
        median = statistics.median(times[name])
        bar = bar and bar * options.slack
        is_missed = bar is not None and median > bar
        missed += is_missed
        spread = f"{number(min(times[name]))} – {number(max(times[name]))}"
        verdict = "" if bar is None else "no" if is_missed else "yes"
        count = round(statistics.median(rows[name]))
        print(f"| {name} | {count:,} | {number(median)} | {spread} | {f'{bar:,}' if bar else ''} | {verdict} |")
    sys.exit(1 if missed else 0)


parser = argparse.ArgumentParser()
parser.add_argument("--database", required=True, help="what psql connects to")
parser.add_argument("--slack", type=int, default=1, help="how many times as high the bars are")
parser.add_argument("--rounds", type=int, default=3)
parser.add_argument("--accounts", type=int, default=10, help="in each round")
options = parser.parse_args()
main()

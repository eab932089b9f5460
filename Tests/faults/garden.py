"""Accounts whose plants become thirsty while the campaign runs.

The accounts are seeded as by an operator: planted yesterday with a cycle of one day, so that today is D-day. A set is one or
two plants of an account that are due at the same instant and come as one push; sets of an account are far apart. Which
instant that is the campaign decides as it goes on, in place of the people who set their alarms: alarms are whole minutes, and
faults do not wait for them.
"""

import collections
import csv
import datetime
import random
import subprocess
import threading
import time

from cluster import DatabaseAway, Session

SECRET = "bm90aGluZyBsb3N0LCBub3RoaW5nIHR3aWNlLCBub2JvZHkgaW4="
# How many sets are planned together: in one lane, where the transactions of commands stay, too.
TOGETHER = 2
ACCOUNTS = 4000


def zone_of_noon(now):
    """A zone in which it is about noon, so that no day ends while the campaign runs, and its offset in hours."""
    offset = 12 - now.hour
    return f"Etc/GMT{-offset:+d}" if offset else "Etc/GMT", offset


def seed(cluster, folder, seconds, port, hosts):
    """Makes accounts with enough plants for so many seconds, and a webhook for each account."""
    now = datetime.datetime.now(datetime.timezone.utc)
    zone, offset = zone_of_noon(now)
    sets = int(seconds * cluster.rate)
    rounds = -(-sets // ACCOUNTS)
    accounts = min(sets, ACCOUNTS)
    with open(folder / "garden.csv", "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["account", "name", "phone", "alarm"])
        for account in range(accounts):
            for number in range(rounds):
                for plant in range(1 + (account + number) % 3 // 2):
                    phone = f"+82101000{number:03d}{plant}"
                    table.writerow([f"a{account}@example.com", f"{number} {plant}", phone, "23:50"])
    yesterday = now + datetime.timedelta(hours=offset - 24)
    planting = yesterday.strftime("%Y-%m-%dT%H:%M:%S") + f"{offset:+03d}:00"
    subprocess.run(
        [cluster.programs / "cherish", "seed", folder / "garden.csv", "--time-zone", zone, "--cycle-days", "1",
         "--no-spread", "--now", planting], env=cluster.environment, check=True, stdout=subprocess.DEVNULL)
    addresses = ", ".join(f"'{host}'" for host in hosts)
    session = Session(cluster.url)
    session.query(f"""
        INSERT INTO device (lane, id, account_id, platform, token, added_at, secret)
        SELECT lane, gen_random_uuid(), id, 'webhook',
            'http://' || (ARRAY[{addresses}])[1 + get_byte(uuid_send(id), 3) % {len(hosts)}] || ':{port}/' || id, now(),
            'whsec_{SECRET}'
        FROM account;
        CREATE SCHEMA faults;
        CREATE TABLE faults.planned (
            lane smallint NOT NULL, account_id uuid NOT NULL, plants uuid[] NOT NULL, planned_at timestamptz NOT NULL);
        CREATE INDEX ON faults.planned (lane, planned_at);
        {cluster.placing("faults.planned")};
        ANALYZE""")
    session.close()


# Nothing is random and no clock is read where rows are changed, and each table's lane is named: Citus demands it.
PLAN = """
INSERT INTO faults.planned (lane, account_id, plants, planned_at) VALUES {rows};
UPDATE plant SET alarm_at = planned.planned_at
FROM faults.planned AS planned
WHERE plant.lane = {lane} AND planned.lane = {lane} AND planned.planned_at IN ({instants})
    AND plant.id = ANY (planned.plants);
UPDATE occurrence SET at = planned.planned_at
FROM faults.planned AS planned
WHERE occurrence.lane = {lane} AND planned.lane = {lane} AND planned.planned_at IN ({instants})
    AND occurrence.subject_id = ANY (planned.plants) AND occurrence.topic = 'watering_due';
COMMIT
"""


class Planner(threading.Thread):
    """Lets plants become thirsty, second after second, until it is stopped."""

    def __init__(self, cluster):
        super().__init__(daemon=True)
        self.session = Session(cluster.url)
        self.rate = cluster.rate
        self.lots = self.read_sets()
        self.is_stopped = False

    def read_sets(self):
        """What can be planned, in lots of one lane: all accounts once, then all of them again in the same order, so that
        nothing of an account comes twice in a minute."""
        found = {}
        for number, lane, account, plants in self.session.query("""
            SELECT split_part(name, ' ', 1)::int AS number, lane, account_id, array_agg(id)
            FROM plant GROUP BY number, lane, account_id"""):
            found.setdefault(int(number), {}).setdefault(int(lane), []).append((account, plants))
        lots = collections.deque()
        for _, lanes in sorted(found.items()):
            of_round = [
                (lane, sets[first:first + TOGETHER])
                for lane, sets in ((lane, sorted(lanes[lane])) for lane in sorted(lanes))
                for first in range(0, len(sets), TOGETHER)]
            # The same in each round.
            random.Random(len(of_round)).shuffle(of_round)
            lots.extend(of_round)
        return lots

    def run(self):
        following = time.monotonic()
        while not self.is_stopped:
            for lane, sets in [self.lots.popleft() for _ in range(min(len(self.lots), self.rate // TOGETHER))]:
                try:
                    self.plan(lane, sets)
                except DatabaseAway:
                    # What the server did with it is in its tables, whatever was heard.
                    pass
            following = max(following + 1, time.monotonic())
            time.sleep(max(0, following - time.monotonic()))

    def plan(self, lane, sets):
        # As every command does: nothing is planned behind the cursor of a lane that is being scheduled.
        if not self.session.query(f"""
            BEGIN;
            SET LOCAL lock_timeout = '2s';
            SELECT lane FROM lane WHERE lane = {lane} FOR SHARE SKIP LOCKED"""):
            self.session.query("ROLLBACK")
            return
        rows, instants = [], []
        for account, plants in sets:
            at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=random.uniform(1, 2))
            rows.append(f"({lane}, '{account}', '{plants}', '{at.isoformat()}')")
            instants.append(f"'{at.isoformat()}'")
        self.session.query(PLAN.format(lane=lane, rows=", ".join(rows), instants=", ".join(instants)))

    def stop(self):
        self.is_stopped = True
        self.join()
        self.session.close()

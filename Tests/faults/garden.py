"""Accounts whose plants become thirsty while the campaign runs.

The accounts are seeded as by an operator: planted yesterday with a cycle of one day, so that today is D-day. A set is one or
two plants of an account that are due at the same instant and come as one push; sets of an account are far apart. Which
instant that is the campaign decides as it goes on, in place of the people who set their alarms: alarms are whole minutes, and
faults do not wait for them.
"""

import csv
import datetime
import subprocess
import threading
import time

from cluster import DatabaseAway, Session

SECRET = "bm90aGluZyBsb3N0LCBub3RoaW5nIHR3aWNlLCBub2JvZHkgaW4="
# How many sets per second.
RATE = 40
ACCOUNTS = 4000


def zone_of_noon(now):
    """A zone in which it is about noon, so that no day ends while the campaign runs, and its offset in hours."""
    offset = 12 - now.hour
    return f"Etc/GMT{-offset:+d}" if offset else "Etc/GMT", offset


def seed(cluster, folder, seconds, port, hosts):
    """Makes accounts with enough plants for so many seconds, and a webhook for each account."""
    now = datetime.datetime.now(datetime.timezone.utc)
    zone, offset = zone_of_noon(now)
    sets = int(seconds * RATE)
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
    Session(cluster.url).query(f"""
        INSERT INTO device (lane, id, account_id, platform, token, added_at, secret)
        SELECT lane, gen_random_uuid(), id, 'webhook',
            'http://' || (ARRAY[{addresses}])[1 + get_byte(uuid_send(id), 3) % {len(hosts)}] || ':{port}/' || id, now(),
            'whsec_{SECRET}'
        FROM account;
        CREATE SCHEMA faults;
        CREATE TABLE faults.plant_set AS
            SELECT row_number() OVER (ORDER BY number, md5(account_id::text)) AS position, lane, account_id, plants,
                NULL::timestamptz AS planned_at
            FROM (
                SELECT lane, account_id, split_part(name, ' ', 1)::int AS number, array_agg(id) AS plants
                FROM plant GROUP BY lane, account_id, number
            ) AS found;
        CREATE UNIQUE INDEX ON faults.plant_set (position);
        CREATE INDEX ON faults.plant_set (position) WHERE planned_at IS NULL;
        ANALYZE""")


PLAN = """
BEGIN;
SET LOCAL lock_timeout = '2s';
-- As every command does: nothing is planned behind the cursor of a lane that is being scheduled.
SELECT array_agg(lane) AS lanes FROM (SELECT lane FROM lane ORDER BY lane FOR SHARE SKIP LOCKED) AS found \\gset
UPDATE faults.plant_set SET planned_at = clock_timestamp() + interval '1 second' + random() * interval '1 second'
WHERE position IN (
    SELECT position FROM faults.plant_set WHERE planned_at IS NULL AND lane = ANY (:'lanes') ORDER BY position LIMIT {count});
UPDATE plant SET alarm_at = chosen.planned_at
FROM faults.plant_set AS chosen
WHERE chosen.planned_at > now() AND plant.lane = chosen.lane AND plant.id = ANY (chosen.plants)
    AND plant.alarm_at IS DISTINCT FROM chosen.planned_at;
UPDATE occurrence SET at = plant.alarm_at
FROM faults.plant_set AS chosen JOIN plant ON plant.lane = chosen.lane AND plant.id = ANY (chosen.plants)
WHERE chosen.planned_at > now() AND occurrence.lane = plant.lane AND occurrence.subject_id = plant.id
    AND occurrence.topic = 'watering_due' AND occurrence.at <> plant.alarm_at;
COMMIT
"""


class Planner(threading.Thread):
    """Lets plants become thirsty, second after second, until it is stopped."""

    def __init__(self, url):
        super().__init__(daemon=True)
        self.session = Session(url)
        self.is_stopped = False

    def run(self):
        following = time.monotonic()
        while not self.is_stopped:
            try:
                self.session.query(PLAN.format(count=RATE))
            except DatabaseAway:
                # What the server did with it is in its tables, whatever was heard.
                pass
            following = max(following + 1, time.monotonic())
            time.sleep(max(0, following - time.monotonic()))

    def stop(self):
        self.is_stopped = True
        self.join()
        self.session.close()

"""Follows the instructions of docs/operating.md with the programs of a folder: operating.py PROGRAMS HOME
[EARLIER-PROGRAMS]."""

import json
import os
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.request

from private_service import DueFriends, Service, arguments, pushes_in, stop

# The first migration of databases of before the baseline (docs/decisions/0039-a-new-baseline.md).
FIRST_OF_OLD_SCHEMA = "care_and_lanes"


def check(is_so, sentence):
    if not is_so:
        raise SystemExit(f"error: not so: {sentence}")
    print(f"  {sentence}")


def program(*arguments):
    done = subprocess.run(arguments, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"error: {arguments[0]}: {done.stderr}")


def delivered(service):
    """Returns the plants whose push the database records as delivered."""
    return {row[0] for row in service.sql("SELECT subject_id FROM push WHERE outcome = 'delivered'")}


def export(service, emails):
    """Returns the exported document of each account."""
    return {email: service.run("export", email, "--format", "json") for email in emails}


def due_friends(service):
    """Returns the plants of DueFriends: generated gardens have other phones."""
    return {row[0] for row in service.sql("SELECT id FROM plant WHERE phone LIKE '+821020%'")}


def backup_and_restore(programs, home):
    print("A dump under a running worker, restored into a new cluster")
    service, due = Service(programs, f"{home}/first"), DueFriends()
    service.run("database", "migrate")
    service.run("database", "roles")
    service.run("seed", "-", text=service.run("seed", "generate", "--accounts", "20", "--seed", "7"))
    gardens = [account["email"] for account in service.tell("account", "list")["accounts"]]

    worker = service.worker(f"{home}/before.jsonl", f"{home}/before.log", CHERISH_POLL_MILLISECONDS="50")
    service.wait_until_nothing_is_due()
    before = export(service, gardens)
    dumping = threading.Thread(
        target=lambda: program("pg_dump", "-Fc", "-f", f"{home}/dump", "-d", service.database))
    for batch in range(12):
        if batch == 4:
            dump_what_is_not_sent(service, due, worker, dumping)
        due.plant(service, accounts=20, friends=25)
    dumping.join()
    service.wait_until_nothing_is_due()
    after = export(service, gardens)
    stop(worker)

    second = Service(programs, f"{home}/second")

    # A different owner without superuser rights.
    second.sql("CREATE ROLE restorer LOGIN CREATEROLE")

    def restore(name):
        restored = second.in_database(name, owner="restorer")
        program("pg_restore", "--no-owner", "--no-acl", "--exit-on-error", "-d", restored.database, f"{home}/dump")
        return restored

    restored = restore("restored")
    close_after_restore(restored)
    status = restored.tell("database", "status")
    check(status["applied"] == status["known"] and status["reports"] == "current", "it is migrated, reports and all")
    # An account whose alarm came in these seconds has one more push than the dump.
    quiet = [email for email in gardens if before[email] == after[email]]
    found = export(restored, gardens)
    check(len(quiet) > len(gardens) / 2 and all(found[email] == before[email] for email in quiet),
          f"cherish export of {len(quiet)} accounts tells the same, to the byte")
    go_on_after_restore(restored, home)
    skipped = restore("skipped")
    # The roles exist already; migrating closes the database too, even with nothing to migrate.
    check(privileges(skipped)["verdict"] == "problem", "the doctor finds the next restored database open")
    skipped.run("database", "migrate")
    check(privileges(skipped)["verdict"] == "ok", "after 'cherish database migrate' it finds it closed")
    skip_what_was_sent(skipped, home)


def dump_what_is_not_sent(service, due, worker, dumping):
    """Starts a dump while pushes are due. The worker, which may be faster than the seeds, is stopped until the dump reads."""
    worker.send_signal(signal.SIGSTOP)
    due.plant(service, accounts=4, friends=25)
    dumping.start()
    end = time.monotonic() + 60
    while not service.number(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'pg_dump' AND backend_xmin IS NOT NULL"):
        if time.monotonic() > end:
            raise SystemExit("error: pg_dump did not begin to read within 60 s")
        time.sleep(0.005)
    worker.send_signal(signal.SIGCONT)


def privileges(service):
    """Returns the doctor's finding about the privileges of everybody."""
    # The doctor ends with 1 when it finds a problem.
    report = subprocess.run(
        [f"{service.programs}/cherish", "doctor", "--output", "json"], env=service.environment, capture_output=True, text=True)
    return next(finding for finding in json.loads(report.stdout)["findings"] if finding["check"] == "privileges")


def close_after_restore(service):
    """Closes a database restored without grants, where everybody may call all functions, then tries statements as three users."""
    check(privileges(service)["verdict"] == "problem", "the doctor finds a database restored without grants open to all")
    service.run("database", "roles")
    found = privileges(service)
    check(found["verdict"] == "ok", f"after 'cherish database roles' it finds: {found['message']}")
    service.sql("CREATE ROLE nobody LOGIN")
    service.sql("CREATE ROLE analyst LOGIN; GRANT cherish_report TO analyst")
    service.sql("CREATE ROLE server LOGIN; GRANT cherish_account TO server")
    month = service.sql("SELECT min(relname) FROM pg_class WHERE relname ~ '^occurrence_[0-9]{6}$'")[0][0]
    forbidden = [
        f"SELECT public.drop_partition('{month}')", "SELECT public.make_partition('occurrence', 'month', '2050-01-01')",
        "SELECT public.make_calendar_partition('2050-01-01')", "SELECT public.make_log_partitions('2050-01-01')",
        "SELECT FROM public.count_pushes('2027-01-01', '2027-01-02')", "SELECT FROM public.plant",
        f"SELECT FROM public.{month}", "SELECT FROM public.account_email", "SELECT FROM public.engine_lock FOR UPDATE",
        "CREATE TABLE public.mine (number integer)", "SELECT public.remove_devices(gen_random_uuid(), '{}')",
        "LOCK TABLE public.schema_migration IN SHARE ROW EXCLUSIVE MODE", "CREATE SCHEMA mine",
    ]
    of_others = ["SELECT FROM report.dday", "SELECT FROM garden.plant", "LOCK TABLE garden.plant IN EXCLUSIVE MODE"]
    allowed = {"analyst": ["SELECT count(*) FROM report.dday", "SELECT FROM public.count_pushes('2027-01-01', '2027-01-02')"],
               "server": ["SELECT count(*) FROM garden.plant"], "nobody": []}
    for user, may in allowed.items():
        refused = forbidden + of_others[0 if user == "nobody" else 1 if user == "analyst" else 2:]
        if user == "server":
            refused.append("SELECT FROM report.dday")
        refused = [statement for statement in refused if statement not in may]
        done = [statement for statement in refused if attempt(service, user, statement) != "42501"]
        check(not done, f"{len(refused)} statements of {user} are refused {done or ''}")
        failed = [statement for statement in may if attempt(service, user, statement)]
        check(not failed, f"{len(may)} that are its work are not {failed or ''}")


def attempt(service, user, statement):
    """Returns the SQLSTATE with which a user's statement fails; empty if it succeeds."""
    done = subprocess.run(
        ["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-v", "VERBOSITY=sqlstate", "-d", f"{service.database} user={user}",
         "-c", f"BEGIN; {statement}; ROLLBACK"], capture_output=True, text=True, check=False)
    return done.stderr.split()[-1] if done.returncode else ""


def go_on_after_restore(service, home):
    planned = due_friends(service)
    known = delivered(service)
    worker = service.worker(f"{home}/after.jsonl", f"{home}/after.log", CHERISH_POLL_MILLISECONDS="50")
    service.wait_until_nothing_is_due()
    stop(worker)
    sent_before = {push["plantId"] for push in pushes_in(f"{home}/before.jsonl")}
    # Without the generated gardens, whose next alarms may come in these seconds.
    again = [push["plantId"] for push in pushes_in(f"{home}/after.jsonl") if push["plantId"] in planned]
    check(len(again) == len(set(again)) and not known & set(again),
          f"of {len(known)} pushes that the dump knows as delivered none is sent again")
    check(planned <= delivered(service), f"all {len(planned)} due friends of the dump have their push: none is lost")
    repeated = sent_before & set(again)
    check(repeated == set(again), f"{len(repeated)} that were sent after the dump are sent a second time")
    check(bool(repeated), "which is to be expected of a dump: see the next step")


def skip_what_was_sent(service, home):
    """Discards all pushes due up to the loss, then checks what the worker still sends."""
    lost_at = time.strftime("%FT%TZ", time.gmtime())
    service.run("tick", "--now", lost_at, CHERISH_PUSH="jsonl:/dev/null")
    later = DueFriends()
    later.count = 100_000
    later.plant(service, accounts=4, friends=5)
    worker = service.worker(f"{home}/skipped.jsonl", f"{home}/skipped.log", CHERISH_POLL_MILLISECONDS="50")
    service.wait_until_nothing_is_due()
    stop(worker)
    sent_before = {push["plantId"] for push in pushes_in(f"{home}/before.jsonl")}
    sent = {push["plantId"] for push in pushes_in(f"{home}/skipped.jsonl")}
    check(not sent & sent_before, "after 'CHERISH_PUSH=jsonl:/dev/null cherish tick --now LOSS' none is sent twice")
    check(len(sent) == 20, "and what falls due after the loss is sent")


def rolling_restart(programs, home):
    print("Two workers restarted in turns while pushes fall due")
    service, due = Service(programs, f"{home}/rolling"), DueFriends()
    service.run("database", "migrate")

    logs = []

    def start():
        """Starts a worker like a service manager: it counts once it reports that it has started."""
        logs.append(f"{home}/rolling-{len(logs)}.log")
        worker = service.worker(f"{home}/rolling.jsonl", logs[-1], CHERISH_POLL_MILLISECONDS="50")
        while "started" not in open(logs[-1]).read():
            time.sleep(0.01)
        return worker

    workers = [start(), start()]
    planting = threading.Thread(
        target=lambda: [due.plant(service, accounts=100, friends=10) for _ in range(30)])
    planting.start()
    slowest = restarts = 0
    while planting.is_alive():
        began = time.monotonic()
        stop(workers[restarts % 2])
        slowest = max(slowest, time.monotonic() - began)
        workers[restarts % 2] = start()
        restarts += 1
        time.sleep(0.2)
    service.wait_until_nothing_is_due()
    for worker in workers:
        stop(worker)
    pushes = pushes_in(f"{home}/rolling.jsonl")
    outcomes = service.sql("SELECT outcome, reason, count(*) FROM push GROUP BY 1, 2")
    check(restarts >= 6, f"{restarts} restarts; the slowest worker needed {slowest:.2f} s to end")
    check(outcomes == [["delivered", "sent", "30000"]], "30,000 pushes planned, 30,000 delivered, lost: 0")
    check(len(pushes) == len({push["collapseId"] for push in pushes}) == 30_000, "sent twice: 0")


def upgrade(programs, home):
    print("An older program beside a newer schema")
    service, due = Service(programs, f"{home}/upgrade"), DueFriends()
    service.run("database", "migrate")
    old = service.worker(f"{home}/old.jsonl", f"{home}/old.log", CHERISH_POLL_MILLISECONDS="50", CHERISH_METRICS_PORT="0")
    due.plant(service, accounts=10, friends=10)
    service.wait_until_nothing_is_due()
    due.plant(service, accounts=10, friends=10)
    # Changes of a compatible migration. One statement each: locks on several tables could deadlock with a worker's.
    for statement in ("ALTER TABLE push_job ADD COLUMN later text", "ALTER TABLE plant ADD COLUMN later integer NOT NULL DEFAULT 7",
                      "ALTER TABLE account ADD COLUMN later text", "ALTER TABLE lane_delivery ADD COLUMN later text",
                      "CREATE TABLE later (lane smallint PRIMARY KEY)"):
        service.sql(statement)
    record = "INSERT INTO schema_migration (version, name, checksum) VALUES (9999, 'of a later release', 'x')"
    service.sql(record)
    refusal = service.run("account", "list", expect=69)
    check(refusal.startswith("error: schema_newer:"), f"a command of the old release: {refusal.strip()}")
    starting = service.worker("/dev/null", f"{home}/starting.log")
    check(starting.wait(60) == 69, "a worker of the old release that starts now ends with 69")
    # Simulates commands of the new release with this one's, which must not see the record.
    service.sql("DELETE FROM schema_migration WHERE version = 9999")
    due.plant(service, accounts=10, friends=10)
    service.sql(record)
    service.wait_until_nothing_is_due()
    sent = pushes_in(f"{home}/old.jsonl")
    check(len(sent) == 300 == len({push["collapseId"] for push in sent}),
          "the old worker that was running goes on: 300 pushes, each once")
    errors = [line for line in open(f"{home}/old.log") if " error " in line]
    check(not errors, "and its log has no error")
    check(not_ready(f"{home}/old.log"), "its /readyz says schema_newer, its /livez that it is alive")
    stop(old)
    refuse_old_schema(service)


def refuse_old_schema(service):
    """Simulates a database of before the baseline."""
    before = service.in_database("before_the_baseline")
    before.sql(f"""
        CREATE TABLE schema_migration (
            version integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL, applied_at timestamptz DEFAULT now());
        INSERT INTO schema_migration (version, name, checksum)
        SELECT version, CASE version WHEN 1 THEN '{FIRST_OF_OLD_SCHEMA}' ELSE 'another' END, 'x'
        FROM generate_series(1, 12) AS version""")
    refuse_migrating(before)
    check(before.sql("SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'")
          == [["schema_migration"]], "and the database is left as it is")


def refuse_migrating(service):
    refusal = service.run("database", "migrate", expect=69)
    check(refusal.startswith("error: schema_older:"),
          f"'cherish database migrate' on a database of before the baseline: {refusal.strip()}")


def upgrade_from(earlier, programs, home):
    old = Service(earlier, f"{home}/releases")
    old.run("database", "migrate")
    if old.sql("SELECT name FROM schema_migration WHERE version = 1") == [[FIRST_OF_OLD_SCHEMA]]:
        move_accounts(old, programs, home)
    else:
        deliver_side_by_side(old, programs, home)


def move_accounts(old, programs, home):
    """Migrations only lead forward from the baseline. An earlier database is left by an export of its accounts."""
    print("Accounts of a release of before the baseline, exported by that release and seeded by this one")
    old.run("seed", "-", text=old.run("seed", "generate", "--accounts", "20", "--seed", "7"))
    DueFriends().plant(old, accounts=10, friends=10)
    migrations = "SELECT version, checksum FROM schema_migration ORDER BY version"
    before = old.sql(migrations)
    refuse_migrating(old.with_programs(programs))
    check(old.sql(migrations) == before, f"and its {len(before)} migrations stay as they are")
    exported = export(old, [account["email"] for account in old.tell("account", "list")["accounts"]])
    new = Service(programs, f"{home}/moved")
    new.run("database", "migrate")
    for document in exported.values():
        new.run("seed", "-", text=document)
    check(export(new, exported) == exported, f"'cherish export' of {len(exported)} seeded accounts tells the same, to the byte")
    planned = due_friends(new)
    worker = new.worker(f"{home}/moved.jsonl", f"{home}/moved.log", CHERISH_POLL_MILLISECONDS="50")
    new.wait_until_nothing_is_due()
    stop(worker)
    # Without the generated gardens, whose next alarms may come in these seconds.
    sent = [push["plantId"] for push in pushes_in(f"{home}/moved.jsonl") if push["plantId"] in planned]
    check(len(sent) == 100 and set(sent) == planned, "100 pushes that were due before the move are sent after it, each once")


def deliver_side_by_side(old, programs, home):
    print("Workers of an earlier release and of this one side by side")
    due = DueFriends()
    before = old.tell("database", "status")["applied"]
    pushes, logs = f"{home}/releases.jsonl", [f"{home}/release-{name}.log" for name in ("old", "new")]
    worker = old.worker(pushes, logs[0], CHERISH_POLL_MILLISECONDS="50")
    due.plant(old, accounts=100, friends=10)
    # From here on, commands of the earlier release are refused; its worker continues.
    new = Service(programs, f"{home}/releases")
    new.run("database", "migrate")
    status = new.tell("database", "status")
    print(f"  migrated from {before} to {status['applied']} migrations while the earlier worker was delivering")
    newer = new.worker(pushes, logs[1], CHERISH_POLL_MILLISECONDS="50")
    for _ in range(20):
        due.plant(new, accounts=100, friends=5)
    new.wait_until_nothing_is_due()
    workers = new.sql("SELECT worker, sum(to_seq - from_seq + 1) FROM push_receipt GROUP BY worker ORDER BY 2 DESC")
    stop(worker)
    due.plant(new, accounts=100, friends=10)
    new.wait_until_nothing_is_due()
    stop(newer)
    check(len(workers) == 2, f"both deliver: {' and '.join(count for _, count in workers)} jobs")
    sent = pushes_in(pushes)
    check(len(sent) == 12_000 == len({push["collapseId"] for push in sent}), "12,000 pushes planned, lost: 0, sent twice: 0")
    errors = [line.strip() for log in logs for line in open(log) if " error " in line]
    check(not errors, f"their logs have no error {errors[:3] or ''}")


def not_ready(log):
    url = next(line for line in open(log) if "metrics=http" in line).split("metrics=")[1].split("/metrics")[0]
    fetch = urllib.request.build_opener(urllib.request.ProxyHandler({})).open
    fetch(f"{url}/livez")  # anything but 200 is an error
    try:
        fetch(f"{url}/readyz")
    except urllib.error.HTTPError as refusal:
        text = refusal.read().decode()
        print(f"  GET /readyz: {refusal.code} {text.strip()}")
        return refusal.code == 503 and "9999" in text
    return False


def main():
    programs, home, *earlier = arguments(__doc__, 2, 3)
    for name in ("first", "second", "rolling", "upgrade", "releases", "moved"):
        os.makedirs(f"{home}/{name}")
    if earlier:
        return upgrade_from(earlier[0], programs, home)
    backup_and_restore(programs, home)
    upgrade(programs, home)
    rolling_restart(programs, home)


main()

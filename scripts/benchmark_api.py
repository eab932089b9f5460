"""Measures the HTTP API beside the database alone and beside rivals: see scripts/benchmark-api, which runs this.

    benchmark_api.py PROGRAMS HOME RIVALS SECONDS ROUNDS REQUESTS [PYTHON]

HOME has room for files, RIVALS holds the compiled rivals, and PYTHON has FastAPI; without it, it is left out."""

import base64
import concurrent.futures
import hashlib
import json
import os
import re
import statistics
import sys
import time
import uuid
from pathlib import Path

from api_load import Clients, IdleConnections, Server, fsync_p99, run, times_of
from api_statements import Recorder, pgbench_script, with_variables
from contest import Figures, call, contest_row, row, say, spread, target

CONNECTIONS = 16
# What the server opens to the database by default; the rivals' pools get as many, and pgbench one for each client.
DATABASE_CONNECTIONS = 4 * os.cpu_count()
GARDENS, FRIENDS = 16, 50
IDLE = 1000
# A second: the sign-ins that are wanted in a storm, and the requests of others beside it.
STORM, OTHERS = 200, 100
PASSWORD = "lilac-7-umbrella"
# The number of the watering that is recorded: no other parameter has this value.
NUMBER = 48212
MEMORY_BAR = 120
# All friends, for pgbench.
TABLE = "benchmark_friend"
# Names of answers whose values come from columns. A rival has to answer the same.
STORED = (
    "id", "accountId", "name", "nickname", "phone", "birthday", "cycleDays", "alarmTime", "plantedOn", "lastWateredOn",
    "dueOn", "affection", "wateringCount", "postponementCount", "pushesEnabled", "favourite", "tags", "archivedAt",
    "plantId", "wateredOn", "method", "pointsGained", "keywords", "memo", "reviewDeclined")

programs, home, rivals = map(Path, sys.argv[1:4])
seconds, rounds, requests = map(int, sys.argv[4:7])
python = sys.argv[7] if len(sys.argv) > 7 else None


# MARK: Gardens


class Database:
    def __init__(self):
        for step in ("migrate", "roles"):
            run(programs / "cherish", "database", step)
        self.url = run(programs / "cherish", "database", "url").strip()
        self.folder = Path(re.search(r"host='([^']*)'", self.url)[1])
        self.names = {"host": str(self.folder), "user": "cherish", "database": "cherish"}

    def sql(self, *statements):
        commands = (part for text in statements for part in ("-c", text))
        return run("psql", "-XqAtd", self.url, "-v", "ON_ERROR_STOP=1", *commands)

    def forget_waterings(self):
        """All contestants find each friend watered once, today."""
        quiet = 0
        while quiet < 5:
            # Servers still answer the last requests of clients that have left.
            busy = self.sql("SELECT 1 FROM pg_stat_activity WHERE state <> 'idle' AND pid <> pg_backend_pid() LIMIT 1")
            quiet = 0 if busy else quiet + 1
        self.sql(
            "DELETE FROM watering WHERE number > 1",
            "DELETE FROM occurrence WHERE topic = 'review_missing' AND ref > 1",
            "UPDATE plant SET watering_count = 1 WHERE watering_count <> 1",
            "VACUUM (ANALYZE) watering, plant, occurrence")


def sign_up(server, email):
    begun = call(server, target("POST", "/v1/signups", {"email": email, "language": "ko"}))
    mails = home / "mail.jsonl"
    while not mails.exists() or f'"{email}"' not in mails.read_text():
        time.sleep(0.01)
    mail = next(line for line in mails.read_text().splitlines() if f'"{email}"' in line)
    code = re.match(r"\d{6}", json.loads(mail)["text"])[0]
    return call(server, target("POST", "/v1/accounts", {
        "signupId": begun["id"], "code": code, "password": PASSWORD, "nickname": "민지", "timeZone": "UTC",
        "language": "ko"}))


def plant_garden(server, number):
    """Signs somebody up who has friends, of whom every fifth has a tag, and who watered all of them once.

    Returns what contestants need of that."""
    answer = sign_up(server, f"m{number}@example.com")
    token = base64.urlsafe_b64decode(answer["token"] + "=" * (-len(answer["token"]) % 4))
    garden = {
        "token": answer["token"], "account": answer["account"]["id"], "lane": token[1],
        "session": str(uuid.UUID(bytes=token[2:18])), "secret": "\\x" + hashlib.sha256(token[18:]).hexdigest(),
        "friends": []}
    call(server, target("POST", "/v1/tags", {"name": "가족"}, garden["token"]))
    for friend in range(FRIENDS):
        phone = f"+8210{number:04}{friend:04}"
        made = call(server, target("POST", "/v1/friends", {
            "name": "김하나", "phone": phone, "cycleDays": 7, "tags": [] if friend % 5 else ["가족"]}, garden["token"]))
        call(server, target("POST", f"/v1/friends/{made['id']}/waterings", {
            "method": "message", "keywords": ["이사", "새 직장"], "memo": "이사 축하하기"}, garden["token"]))
        garden["friends"].append({"friend": made["id"], "phone": phone})
    return garden


def list_friends(database, gardens):
    """Makes a table of the variables of all friends, from which pgbench takes."""
    names = ("account", "lane", "session", "secret")
    database.sql(
        f"CREATE TABLE {TABLE} (random serial PRIMARY KEY, friend uuid, phone text, method text, "
        "account uuid, lane smallint, session uuid, secret bytea)")
    for garden in gardens:
        own = ", ".join(f"'{garden[name]}'" for name in names)
        rows = ", ".join(f"('{friend['friend']}', '{friend['phone']}', 'call', {own})" for friend in garden["friends"])
        database.sql(f"INSERT INTO {TABLE} (friend, phone, method, {', '.join(names)}) VALUES {rows}")
    database.sql(f"ANALYZE {TABLE}")


class Case:
    """A route that is measured."""

    def __init__(self, route, title, targets):
        self.route, self.title, self.targets = route, title, targets
        self.writes = targets[0]["method"] == "POST"
        self.pgbench = None


def cases_of(gardens):
    def all_friends(method, path, body=None):
        return [
            target(method, f"/v1/friends/{friend['friend']}{path}", body, garden["token"])
            for garden in gardens for friend in garden["friends"]]

    return [
        Case("friend", "GET /v1/friends/{friend}", all_friends("GET", "")),
        Case("list", "GET /v1/friends?limit=50", [
            target("GET", "/v1/friends?limit=50", None, garden["token"]) for garden in gardens]),
        Case("watering", "POST …/waterings", all_friends("POST", "/waterings", {"method": "call"})),
    ]


# MARK: Contestants


def cherish(name, database_url, connections):
    return Server(
        home, name, [programs / "cherish-server"], DATABASE_URL=database_url, CHERISH_HTTP="127.0.0.1:PORT",
        CHERISH_MAIL=f"jsonl:{home}/mail.jsonl", CHERISH_LOG_LEVEL="notice", CHERISH_HTTP_CONNECTIONS=str(connections))


def without_announcements(trips):
    """Leaves out what tells other devices of a change: it follows in its own time, and for several changes at once."""
    return [trip for trip in trips if not any("pg_notify" in statement["sql"] for statement in trip)]


def texts(trips):
    return [[statement["sql"] for statement in trip] for trip in trips]


def record(database, gardens, cases):
    """Returns the round trips of each route, which a server with a single connection sends through a recorder."""
    # Its lane is no other small number among the parameters.
    garden = next(garden for garden in gardens if garden["lane"] > 100)
    friend = garden["friends"][0]
    names = {garden[name]: name for name in ("account", "lane", "session", "secret")}
    names |= {friend["friend"]: "friend", friend["phone"]: "phone", NUMBER: "number", "call": "method"}
    folder = home / "recorder"
    folder.mkdir()
    recorder = Recorder(folder, database.folder / ".s.PGSQL.5432")
    server = cherish("recorded", database.url.replace(str(database.folder), str(folder)), 1)
    routes = {}
    for case in cases:
        one = next(
            target for target in case.targets
            if target["token"] == garden["token"] and (case.route == "list" or friend["friend"] in target["path"]))
        # The first times, statements are prepared.
        for _ in range(3):
            call(server, one)
        database.forget_waterings()
        database.sql(f"UPDATE plant SET watering_count = {NUMBER - 1} WHERE id = '{friend['friend']}'")
        recorder.take()
        call(server, one)
        trips = without_announcements(recorder.take())
        call(server, one)
        if texts(without_announcements(recorder.take())) != texts(trips):
            raise SystemExit(f"error: the server sends other statements the second time for {case.title}")
        routes[case.route] = with_variables(trips, names)
        case.pgbench = pgbench_script(routes[case.route], TABLE, GARDENS * FRIENDS)
    server.stop()
    constant = [name for value, name in names.items() if len(str(value)) > 4 and str(value) in json.dumps(routes)]
    if constant:
        raise SystemExit(f"error: a parameter holds {', '.join(constant)} in a form that is not known here")
    database.forget_waterings()
    return routes


def start_rivals(database, routes, gardens):
    statements = home / "statements.json"
    statements.write_text(json.dumps(
        {"connections": DATABASE_CONNECTIONS, "database": database.names, "routes": routes,
         "accounts": {garden["session"]: garden["account"] for garden in gardens}}, ensure_ascii=False))
    servers = []
    if python:
        script = Path("Benchmarks/rivals/fastapi_server.py").resolve()
        servers += [
            Server(home, name, [python, script, statements, "PORT", workers])
            for workers, name in enumerate(("FastAPI, 1 worker", "FastAPI, 2 workers"), 1)]
    return servers + [Server(home, "Go", [rivals / "go", statements, "PORT"])]


def compare(rival, name, ours, theirs):
    """Ends the run if a rival does not answer what we do: all names, and the values that come from columns."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        if ours.keys() != theirs.keys():
            raise SystemExit(f"error: {rival.name} answers other names than ours: {ours.keys() ^ theirs.keys()}")
        for key in ours:
            compare(rival, key, ours[key], theirs[key])
    elif isinstance(ours, list) and ours and isinstance(ours[0], dict):
        if len(ours) != len(theirs):
            raise SystemExit(f"error: {rival.name} answers {len(theirs)} of {name}, and ours {len(ours)}")
        for one, other in zip(*(sorted(each, key=lambda item: item["id"]) for each in (ours, theirs))):
            compare(rival, name, one, other)
    elif name in STORED and ours != theirs:
        raise SystemExit(f"error: {rival.name} answers {theirs} as {name}, and ours {ours}")


def check_rivals(database, server, servers, cases):
    for case in cases:
        ours = call(server, case.targets[0])
        for rival in servers:
            database.forget_waterings()
            compare(rival, case.route, ours, call(rival, case.targets[0]))
            if database.sql("SELECT count(*) FROM watering WHERE number > 1").strip() != str(int(case.writes)):
                raise SystemExit(f"error: {rival.name} does not write what ours does")
        database.forget_waterings()


# MARK: The contest


def measure_throughput(figures, clients, database, contestants, case):
    for contestant in contestants:
        if contestant is None:
            figures.add(case, "pgbench", "rate", clients.pgbench(database.url, *case.pgbench))
        else:
            rate, _, microseconds = clients.wrk(contestant, case.targets)
            figures.add(case, contestant.name, "rate", rate)
            figures.add(case, contestant.name, "processor", microseconds)
        if case.writes:
            database.forget_waterings()


def measure_rounds(figures, clients, database, server, servers, cases, storm):
    contestants = [server, None, *servers]
    for number in range(rounds):
        say(f"Round {number + 1} of {rounds}")
        # Nobody is always first.
        turn = contestants[number % len(contestants):] + contestants[:number % len(contestants)]
        for case in cases:
            measure_throughput(figures, clients, database, turn, case)
            half = max(1, round(figures[case, server.name, "rate"][-1] / 2))
            figures.add(case, "p99", times_of(clients.steady(server, case.targets, half))["p99"])
            if case.writes:
                database.forget_waterings()
        figures.add("fsync", fsync_p99(home))
        figures.add("calm", times_of(clients.steady(server, cases[0].targets, OTHERS))["p99"])
        signing_in = clients.steady(server, storm, STORM, connections=STORM)
        figures.add("stormy", times_of(clients.steady(server, cases[0].targets, OTHERS))["p99"])
        for status, count in times_of(signing_in)["statuses"].items():
            figures.add("sign-ins", status, count)


def measure_memory(figures, clients, database, server, cases):
    idle = IdleConnections(server, cases[0].targets[0], IDLE)
    figures.add("idle", server.memory())
    idle.close()
    # Nine reads of a friend and one watering for each list.
    mixed = cases[0].targets * 9 + cases[1].targets * FRIENDS + cases[2].targets
    answered = 0
    while answered < requests:
        answered += clients.wrk(server, mixed, min(60, max(seconds, requests // 20_000)))[1]
        if answered >= requests / 10:
            figures.add("memory", server.memory())
    figures.add("answered", answered)
    database.forget_waterings()


# MARK: The table


def print_table(figures, server, servers, cases):
    print(f"{CONNECTIONS} connections, {DATABASE_CONNECTIONS} to the database, {seconds} s each, {rounds} rounds in turns; {GARDENS} accounts with {FRIENDS} friends "
          "each. Medians with the range.\n")
    print("| figure | Cherish | beside it | ratio | bar | |\n|---|--:|--:|--:|--:|---|")
    for case in cases:
        rate, processor = (figures[case, server.name, name] for name in ("rate", "processor"))
        contest_row(f"`{case.title}`, a second, pgbench", rate, figures[case, "pgbench", "rate"], "", least=0.6)
        for rival in servers:
            is_python = rival.name.startswith("FastAPI")
            contest_row(
                f"`{case.title}`, a second, {rival.name}", rate, figures[case, rival.name, "rate"], "",
                least=0.9 if not is_python else 1.5 if case.writes else 3)
            contest_row(
                f"`{case.title}`, processor time, {rival.name}", processor, figures[case, rival.name, "processor"],
                " µs", most=None if not is_python else 1 / 3 if case.writes else 1 / 5)
    fsync = statistics.median(figures["fsync",])
    for case in cases:
        p99 = figures[case, "p99"]
        row(f"`{case.title}`, p99 at half of that", f"{spread(p99)} ms",
            f"fsync, p99: {spread(figures['fsync',])} ms", "", "≤ 10 ms + fsync", statistics.median(p99) <= 10 + fsync)
    ratios = [stormy / calm for stormy, calm in zip(figures["stormy",], figures["calm",])]
    row(f"p99 of {OTHERS} others a second, {STORM} sign-ins a second wanted", f"{spread(figures['stormy',])} ms",
        f"without them: {spread(figures['calm',])} ms", spread(ratios), "≤ 3", statistics.median(ratios) <= 3)
    idle, memory = figures["idle",][0], figures["memory",]
    row(f"memory with {IDLE:,} idle connections", f"{idle:.0f} MiB", "", "", f"≤ {MEMORY_BAR} MiB", idle <= MEMORY_BAR)
    growth = memory[-1] / memory[0]
    row(f"memory after {figures['answered',][0]:,} requests", f"{memory[-1]:.0f} MiB",
        f"after a tenth: {memory[0]:.0f} MiB", f"{growth:.2f}", f"≤ {MEMORY_BAR} MiB, ≤ 1.05",
        memory[-1] <= MEMORY_BAR and growth <= 1.05)
    statuses = {name[1]: sum(values) for name, values in figures.values.items() if name[0] == "sign-ins"}
    print("\nThe storm's sign-ins: " + ", ".join(
        f"{count:,} answered {status}" for status, count in sorted(statuses.items())) + ".")


def main():
    database = Database()
    clients = Clients(home, rivals / "steady", CONNECTIONS, seconds)
    server = cherish("Cherish", database.url, DATABASE_CONNECTIONS)
    started = [server]
    try:
        say(f"{GARDENS} accounts with {FRIENDS} friends each")
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            gardens = list(pool.map(lambda number: plant_garden(server, number), range(GARDENS)))
            people = [f"s{number}@example.com" for number in range(8)]
            list(pool.map(lambda email: sign_up(server, email), people))
        list_friends(database, gardens)
        cases = cases_of(gardens)
        routes = record(database, gardens, cases)
        servers = start_rivals(database, routes, gardens)
        started += servers
        say("Do all answer the same? Then everybody warms up.")
        check_rivals(database, server, servers, cases)
        for case in cases:
            for contestant in started:
                clients.wrk(contestant, case.targets, 1)
        database.forget_waterings()
        figures = Figures()
        storm = [target("POST", "/v1/sessions", {"email": email, "password": PASSWORD}) for email in people]
        measure_rounds(figures, clients, database, server, servers, cases, storm)
        measure_memory(figures, clients, database, server, cases)
        print_table(figures, server, servers, cases)
    finally:
        for each in started:
            each.stop()


main()

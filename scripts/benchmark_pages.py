"""Measures the garden page beside a rival: see scripts/benchmark-pages, which runs this.

    benchmark_pages.py PROGRAMS HOME RIVALS ROUNDS SECONDS [PYTHON]

HOME has room for files, RIVALS holds the compiled client, and PYTHON has FastAPI, Jinja2 and asyncpg; without it, they
are left out."""

import base64
import gzip
import hashlib
import http.client
import json
import os
import re
import socket
import statistics
import sys
import urllib.request
import uuid
from pathlib import Path

from api_load import Clients, Server, processor_time, times_of
from api_statements import Recorder, with_variables
from contest import Figures, call, contest_row, row, say, spread, target
from private_service import DueFriends, Service

CONNECTIONS = 16
# What the server opens to the database by default; the rival's pools get as many.
DATABASE_CONNECTIONS = 4 * os.cpu_count()
FRIENDS = 300
# Requests a second of somebody who is alone.
ALONE = 20
ENCODINGS = {"gzip": ", gzip", "identity": ""}
# Kilobytes that the files of the first page may weigh.
WEIGHTS = {"CSS": 15, "JavaScript": 25, "SVG and icon": None, "all files": 60}
# Headers of an answer that differ from one to the next, or are the rival's own business.
OWN_HEADERS = ("content-encoding", "content-length", "content-type", "date", "etag", "vary", "x-request-id")

programs, home, rivals = map(Path, sys.argv[1:4])
rounds, seconds = map(int, sys.argv[4:6])
python = sys.argv[6] if len(sys.argv) > 6 else None


# MARK: The garden


def start_server(name, database, connections=DATABASE_CONNECTIONS):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        metrics = free.getsockname()[1]
    server = Server(
        home, name, [programs / "cherish-server"], DATABASE_URL=database, CHERISH_HTTP="127.0.0.1:PORT",
        CHERISH_MAIL=f"jsonl:{home}/mail.jsonl", CHERISH_LOG_LEVEL="notice", CHERISH_HTTP_CONNECTIONS=str(connections),
        CHERISH_METRICS_PORT=str(metrics))
    server.metrics = f"http://127.0.0.1:{metrics}/metrics"
    return server


def pages_within(server):
    """How many garden pages the server has answered within how many seconds, by its own clock."""
    with urllib.request.urlopen(server.metrics) as answer:
        text = answer.read().decode()
    found = re.findall(r'^cherish_http_request_seconds_bucket{([^}]*)} (\d+)', text, re.MULTILINE)
    return {float(re.search('le="([^"]*)"', labels)[1]): int(count) for labels, count in found if 'route="GET /"' in labels}


def median_between(before, after):
    """The median in milliseconds of what was answered between two counts, interpolated within a bucket as Prometheus does."""
    counts = [(bound, count - before.get(bound, 0)) for bound, count in sorted(after.items())]
    half, last, under = counts[-1][1] / 2, 0.0, 0
    for bound, count in counts:
        if count >= half:
            return (last + (bound - last) * (half - under) / (count - under)) * 1000
        last, under = bound, count


def plant_garden(service, server):
    """Begins an account, seeds its friends as if three days ago, and returns what the server answered.

    All species, stages and conditions are among them. The nearest plants have withered."""
    # A zone where it is about noon, so that no day ends meanwhile.
    zone = DueFriends().zone
    answer = call(server, target(
        "POST", "/v1/accounts/anonymous", {"nickname": "민지", "timeZone": zone, "language": "ko"}))
    account = answer["account"]["id"]
    table = ["account,name,nickname,phone,cycle_days,tags,favourite"]
    for friend in range(FRIENDS):
        # Markup that must be escaped is among the names.
        name = "김 & <하나>" if friend % 10 == 0 else "김하나"
        table.append(
            f"{account},{name} {friend},하나 {friend},+8210{friend:08},{(3, 7, 14, 30, 90)[friend % 5]},"
            f"{'' if friend % 5 else '가족'},{'false' if friend % 20 else 'true'}")
    three_days_ago = service.sql("SELECT to_char(now() - interval '3 days', 'YYYY-MM-DD\"T\"HH24:MI:SSOF:00')")[0][0]
    report = service.tell("seed", "-", "--now", three_days_ago, text="\n".join(table))
    if report["friends"] != FRIENDS:
        raise SystemExit(f"error: not all friends were seeded: {report}")
    service.sql("UPDATE plant SET affection = right(phone, 2)::integer % 13 * 8")
    service.sql("VACUUM (ANALYZE)")
    return answer


def fetch(server, path, cookie="", encoding="gzip"):
    """Returns an answer with its body as it came."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    connection.request("GET", path, headers={"Cookie": cookie, "Accept-Encoding": encoding})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    if answer.status != 200:
        raise SystemExit(f"error: {server.name} answers {answer.status} to {path}\n{server.log.read_text()[-2000:]}")
    return answer, body


def token_of(account):
    """The bytes of the token: a version, the lane, the session and the secret."""
    return base64.urlsafe_b64decode(account["token"] + "=" * (-len(account["token"]) % 4))


def record(service, account, cookie):
    """Returns the round trips of a page, which a server with a single connection sends through a recorder."""
    folder = home / "recorder"
    folder.mkdir()
    database = re.search(r"host='([^']*)'", service.database)[1]
    recorder = Recorder(folder, Path(database) / ".s.PGSQL.5432")
    server = start_server("recorded", service.database.replace(database, str(folder)), 1)
    # The first times, statements are prepared.
    for _ in range(3):
        fetch(server, "/", cookie)
    recorder.take()
    fetch(server, "/", cookie)
    trips = recorder.take()
    server.stop()
    token = token_of(account)
    return with_variables(trips, {
        account["account"]["id"]: "account", token[1]: "lane", str(uuid.UUID(bytes=token[2:18])): "session",
        "\\x" + hashlib.sha256(token[18:]).hexdigest(): "secret"})


def start_rival(service, server, account, cookie):
    answer, body = fetch(server, "/", cookie, "identity")
    ours = body.decode()
    start, end = ours.index('<section class="plot"'), ours.index("</main>")
    page = {
        "before": ours[:start], "after": ours[end:],
        "phrase": re.search(r'<h1 id="chosen"[^>]*><span>([^<]*)', ours)[1],
        "sprite": re.search(r"/assets/plants\.\w+\.svg", ours)[0],
        "headers": {name: value for name, value in answer.getheaders() if name.lower() not in OWN_HEADERS}}
    statements = home / "statements.json"
    statements.write_text(json.dumps({
        "connections": DATABASE_CONNECTIONS,
        "accounts": {str(uuid.UUID(bytes=token_of(account)[2:18])): account["account"]["id"]},
        "routes": {"garden": record(service, account, cookie)}, "page": page,
        "database": {
            "host": re.search(r"host='([^']*)'", service.database)[1], "user": "cherish", "database": "cherish"},
    }, ensure_ascii=False))
    script = Path("Benchmarks/rivals/fastapi_pages.py").resolve()
    return Server(home, "FastAPI", [python, script, statements, "PORT", os.cpu_count()])


def check_rival(server, rival, cookie):
    """Ends the run if the rival does not answer the same page, compressed or not like ours."""
    ours = fetch(server, "/", cookie, "identity")[1].decode()
    for encoding in ENCODINGS:
        answer, body = fetch(rival, "/", cookie, encoding)
        is_compressed = answer.getheader("Content-Encoding") == "gzip"
        if is_compressed != (encoding == "gzip"):
            raise SystemExit(f"error: the rival does not compress as ours does for {encoding}")
        theirs = (gzip.decompress(body) if is_compressed else body).decode()
        if theirs != ours:
            place = next((number for number, (one, other) in enumerate(zip(ours, theirs)) if one != other), 0)
            raise SystemExit(
                "error: the rival answers another page; Benchmarks/rivals/garden.html must become like ours, where "
                f"{theirs[place - 80:place + 80]!r} is {ours[place - 80:place + 80]!r}")


# MARK: The contest


def measure_rounds(figures, service, clients, servers, cookie):
    folder = service.sql("SHOW data_directory")[0][0]
    database = int((Path(folder) / "postmaster.pid").read_text().split()[0])
    contestants = [(server, encoding) for encoding in ENCODINGS for server in servers]
    for number in range(-1, rounds):
        # In a round that does not count, everybody warms up.
        say(f"Round {number + 1} of {rounds}")
        into = Figures() if number < 0 else figures
        turn = max(number, 0) % len(contestants)
        # Nobody is always first.
        for server, encoding in contestants[turn:] + contestants[:turn]:
            headers = {"Cookie": cookie, "Accept-Encoding": encoding}
            targets = [target("GET", "/") | {"headers": headers}]
            before = processor_time(database)
            rate, count, processor = clients.wrk(server, targets)
            both = processor + (processor_time(database) - before) / count * 1e6
            half = times_of(clients.steady(server, targets, max(1, round(rate / 2))))
            earlier = pages_within(server) if server is servers[0] else None
            alone = times_of(clients.steady(server, targets, ALONE, connections=1))
            if earlier is not None:
                later = pages_within(server)
                into.add(server.name, encoding, "inside", median_between(earlier, later))
                clients.wrk(server, targets, connections=1)
                into.add(server.name, encoding, "in a row", median_between(later, pages_within(server)))
            if any(times["statuses"].keys() != {"200"} for times in (half, alone)):
                raise SystemExit(f"error: {server.name} refused something: {half}, {alone}")
            of = {
                "rate": rate, "processor": processor, "both": both, "p50": half["p50"], "p99": half["p99"],
                "alone": alone["p50"]}
            for what, value in of.items():
                into.add(server.name, encoding, what, value)


def weigh(server, cookie):
    """Returns the bytes of the first page, compressed, by what they are: the page, and the files that it loads."""
    page = fetch(server, "/", cookie)[1]
    paths = {path.decode() for path in re.findall(rb'/assets/[\w.-]+', gzip.decompress(page))}
    # Only iOS loads its icon, when the page is put on the Home Screen.
    sizes = {
        path: len(fetch(server, path)[1]) for path in sorted(paths) if "apple-touch-icon" not in path}
    kinds = {"css": "CSS", "js": "JavaScript", "svg": "SVG and icon"}
    weights = {
        kind: sum(size for path, size in sizes.items() if path.endswith("." + end)) for end, kind in kinds.items()}
    return {"HTML": len(page)} | weights | {"all files": sum(sizes.values())}


def print_table(figures, servers, weights):
    print(
        f"One account with {FRIENDS} friends, {CONNECTIONS} connections, {DATABASE_CONNECTIONS} to the database, "
        f"{seconds} s each, {rounds} rounds in turns; FastAPI with {os.cpu_count()} workers. Medians with the range.")
    print(f"The machine's load at the end: {os.getloadavg()[1]:.1f}, for {os.cpu_count()} processors.\n")
    print("| figure | Cherish | FastAPI | ratio | bar | |\n|---|--:|--:|--:|--:|---|")
    for encoding, title in ENCODINGS.items():
        def of(what):
            return [figures[server.name, encoding, what] for server in servers]

        if len(servers) == 2:
            contest_row(f"pages a second{title}", *of("rate"), "", least=4)
            contest_row(f"processor time a page{title}", *of("processor"), " µs")
            # A busy machine gives more to the one with more threads, which changes the rates, but not this.
            contest_row(f"with that of PostgreSQL{title}", *of("both"), " µs", most=1 / 4)
            for what in ("p50", "p99"):
                contest_row(f"{what} at half of its own load{title}", *of(what), " ms")
        # The goal is about the server; at the client there is the network of the machine as well.
        # One page after another finds the caches of the processor warm; those of somebody alone come 50 ms apart.
        for what, name in (("in a row", "p50 of one after another in the server"), ("inside", "p50 alone in the server")):
            times = figures[servers[0].name, encoding, what]
            row(f"{name}{title}", spread(times) + " ms", "", "", "≤ 5 ms", statistics.median(times) <= 5)
        alone = of("alone")
        row(f"p50 alone at the client, {ALONE} a second{title}", spread(alone[0]) + " ms",
            "".join(spread(times) + " ms" for times in alone[1:]), "", "≤ 5 ms", statistics.median(alone[0]) <= 5)
    for what, size in weights.items():
        most = WEIGHTS.get(what)
        row(f"weight of the first page: {what}", f"{size / 1000:.1f} kB", "", "", f"≤ {most} kB" if most else "",
            size <= most * 1000 if most else None)


def main():
    service = Service(programs, os.environ["CHERISH_HOME"])
    for step in ("migrate", "roles"):
        service.run("database", step)
    server = start_server("Cherish", service.database)
    servers = [server]
    try:
        account = plant_garden(service, server)
        cookie = f"__Host-cherish={account['token']}"
        if python:
            servers.append(start_rival(service, server, account, cookie))
            say("Does the rival answer the same page?")
            check_rival(*servers, cookie)
        figures = Figures()
        clients = Clients(home, rivals / "steady", CONNECTIONS, seconds)
        measure_rounds(figures, service, clients, servers, cookie)
        print_table(figures, servers, weigh(server, cookie))
    finally:
        for each in servers:
            each.stop()


main()

"""Measures the HTTP API beside the database alone: see scripts/benchmark-api, which runs this."""

import json
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import time
import urllib.request

CONNECTIONS = 16
FRIENDS = 50

programs, home = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
seconds, rounds = int(sys.argv[3]), int(sys.argv[4])


def call(api, method, path, body=None, token=None):
    request = urllib.request.Request(api + path, None if body is None else json.dumps(body).encode(), method=method)
    request.add_header("Content-Type", "application/json")
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    with urllib.request.urlopen(request) as answer:
        return json.loads(answer.read() or b"null")


def start():
    log = open(home / "log", "w+b")
    server = subprocess.Popen([programs / "cherish-server"], stderr=log, stdout=subprocess.DEVNULL, env=os.environ | {
        "CHERISH_HTTP": "127.0.0.1:0", "CHERISH_MAIL": f"jsonl:{home}/mail.jsonl", "CHERISH_LOG_LEVEL": "notice",
        "CHERISH_HTTP_CONNECTIONS": str(CONNECTIONS)})
    for _ in range(600):
        found = re.search(rb"http://127.0.0.1:\d+", (home / "log").read_bytes())
        if found:
            return server, found.group().decode()
        time.sleep(0.1)
    sys.exit("the server does not start")


def sign_up(api):
    begun = call(api, "POST", "/v1/signups", {"email": "m@example.com", "language": "ko"})
    time.sleep(1)
    code = json.loads((home / "mail.jsonl").read_text().splitlines()[-1])["text"][:6]
    answer = call(api, "POST", "/v1/accounts", {
        "signupId": begun["id"], "code": code, "password": "lilac-7-umbrella", "nickname": "M", "timeZone": "Asia/Seoul",
        "language": "ko"})
    return answer["account"]["id"], answer["token"]


def processor(server):
    fields = pathlib.Path(f"/proc/{server.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wrk(server, api, method, path, token, body=None, friends=()):
    """`{friend}` in the path is another of the friends each time."""
    script = home / "request.lua"
    script.write_text(
        f'wrk.method = "{method}"\nwrk.headers["Authorization"] = "Bearer {token}"\n'
        + (f"wrk.headers[\"Content-Type\"] = \"application/json\"\nwrk.body = '{json.dumps(body)}'\n" if body else "")
        + "friends = {" + ", ".join(f'"{friend}"' for friend in friends) + "}\n"
        + f'request = function()\n  local path = string.gsub("{path}", "{{friend}}", friends[math.random(#friends)])\n'
        + "  return wrk.format(nil, path)\nend\n")
    path = "/"
    before = processor(server)
    output = subprocess.run(
        ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--latency", "-s", script, api + path],
        capture_output=True, text=True, check=True).stdout
    if "Non-2xx" in output:
        sys.exit(output)
    count = int(re.search(r"(\d+) requests in", output).group(1))
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", output).group(1))
    return rate, (processor(server) - before) / count * 1e6


def pgbench(url, script):
    file = home / "statements.sql"
    file.write_text(script)
    output = subprocess.run(
        ["/usr/lib/postgresql/15/bin/pgbench", "-n", "-M", "prepared", f"-c{CONNECTIONS}", "-j1", f"-T{seconds}", "-f", file, url],
        capture_output=True, text=True)
    found = re.search(r"tps = ([\d.]+) \(without", output.stdout)
    if not found:
        sys.exit(output.stdout + output.stderr)
    return float(found.group(1))


def opening(account):
    return (f"SELECT set_config('search_path', 'garden, public', true), set_config('cherish.account', '{account}', true), "
            "set_config('role', 'cherish_account', true);\n")


def reading(account, *statements):
    return "".join(f"\\startpipeline\nBEGIN;\n{opening(account)}{statement};\nCOMMIT;\n\\endpipeline\n" for statement in statements)


def main():
    server, api = start()
    try:
        account, token = sign_up(api)
        friends = [
            call(api, "POST", "/v1/friends", {"name": f"F{n}", "phone": f"+82101234{n:04}", "cycleDays": 7}, token)["id"]
            for n in range(FRIENDS)]
        url = subprocess.run([programs / "cherish", "database", "url"], capture_output=True, text=True).stdout.strip()
        lane = int(account[-2:], 16)
        session = subprocess.run(
            ["psql", "-Atd", url, "-c", "SELECT id FROM account_session"], capture_output=True, text=True).stdout.strip()
        signed_in = reading("", f"SELECT * FROM use_session({lane}::smallint, '{session}', sha256('x'), clock_timestamp())")
        own = f"SELECT * FROM account WHERE lane = {lane} AND id = '{account}'"
        tags = f"SELECT * FROM tag WHERE lane = {lane} AND account_id = '{account}'"
        clock = "SELECT clock_timestamp();\n"
        plant = f"SELECT * FROM plant WHERE lane = {lane} AND account_id = '{account}' AND id = '{friends[0]}'"
        garden = f"SELECT * FROM plant WHERE lane = {lane} AND account_id = '{account}' AND removed_at IS NULL"
        history = (f"SELECT * FROM watering WHERE lane = {lane} AND plant_id = '{friends[0]}' "
                   "ORDER BY watered_on DESC, number DESC LIMIT 2")
        cases = [
            ("GET /v1/friends/{friend}", "GET", "/v1/friends/{friend}", None,
             signed_in + reading(account, own, plant, history, tags) + clock),
            ("GET /v1/friends?limit=50", "GET", "/v1/friends?limit=50", None,
             signed_in + reading(account, own, tags) + clock + reading(account, garden)),
            ("POST …/waterings", "POST", "/v1/friends/{friend}/waterings", {"method": "call"}, None),
        ]
        print(f"{CONNECTIONS} connections, {seconds} s each, {rounds} rounds in turns, {FRIENDS} friends")
        results = {name: ([], [], []) for name, *_ in cases}
        for _ in range(rounds):
            for name, method, path, body, script in cases:
                rates, times, references = results[name]
                rate, microseconds = wrk(server, api, method, path, token, body, friends)
                rates.append(rate)
                times.append(microseconds)
                if script:
                    references.append(pgbench(url, script))
        for name, (rates, times, references) in results.items():
            line = (f"{name:26} {statistics.median(rates):7.0f}/s ({min(rates):.0f}–{max(rates):.0f}), "
                    f"{statistics.median(times):.0f} µs of processor each")
            if references:
                ratios = [rate / reference for rate, reference in zip(rates, references)]
                line += (f"; pgbench {statistics.median(references):.0f}/s, x {statistics.median(ratios):.2f} "
                         f"({min(ratios):.2f}–{max(ratios):.2f})")
            print(line)
        memory = re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{server.pid}/status").read_text()).group(1)
        print(f"memory of the server at most: {int(memory) // 1024} MiB")
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait()


main()

"""Runs Tests/clients/check.js against a server; see check-devices."""

import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from datetime import datetime

from private_service import Service

# As check.js has it: how often an account is used.
HISTORIES_OF_AN_ACCOUNT = 12
# Histories until a fault must be found.
MOST_WITH_A_FAULT = 400
FAULTS = ["new-ids", "no-times", "wrong-zone", "untold-refusals", "missed-changes", "lost-deeds"]


def check(service, home, url, now, swift, histories, first, fault=None):
    """Returns what the checker found, and how many histories it tried."""
    task = {
        "url": url, "now": now, "swift": swift, "histories": histories, "first": first, "broken": fault,
        # Each of the four that run at once may begin one more.
        "accounts": service.accounts(histories // HISTORIES_OF_AN_ACCOUNT + 5, sessions=3)}
    with open(f"{home}/task.json", "w") as file:
        json.dump(task, file)
    done = subprocess.run(["node", "Tests/clients/check.js", f"{home}/task.json"], capture_output=True, text=True)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        raise SystemExit(f"error: the checker ended with {done.returncode}: {done.stderr}{done.stdout}")
    return lines[-1]


def follow(service, home, url, swift):
    """Lets the Swift library follow a garden over HTTP: it must hear of a change at once, and keep it in its file."""
    [[token, other]] = service.accounts(1, sessions=2)
    thing = ask(url, other, "POST", "/v1/things", {"kind": "reminder", "title": "old", "dueOn": "2027-03-05"})
    file = f"{home}/garden.json"
    device = subprocess.Popen([swift, url, token, file], stdout=subprocess.PIPE, text=True)
    try:
        assert json.loads(device.stdout.readline()) == ["old"]
        began = time.monotonic()
        ask(url, other, "PATCH", f"/v1/things/{thing['id']}", {"title": "new"})
        assert json.loads(device.stdout.readline()) == ["new"]
        seconds = time.monotonic() - began
        assert seconds < 5, f"heard after {seconds} s"
        assert os.stat(file).st_mode & 0o777 == 0o600, "others can read the file"
        assert "new" in open(file).read()
    finally:
        device.kill()
    print(f"the Swift library heard of a change over HTTP after {seconds * 1000:.0f} ms")


def ask(url, token, method, path, body):
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    request = urllib.request.Request(url + path, json.dumps(body).encode(), headers, method=method)
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.load(answer)


def main():
    programs, swift, histories = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with tempfile.TemporaryDirectory() as home:
        service = Service(programs, home)
        # From noon in the accounts' time zone, so that no day ends meanwhile.
        now = f"{datetime.now().date()}T03:00:00.000Z"
        server, url = service.server(home, "--now", now)
        try:
            follow(service, home, url, swift)
            began, first = time.monotonic(), 1
            found = check(service, home, url, now, swift, histories, first)
            if "wrong" in found:
                raise SystemExit(f"error: history {found['seed']}: " + "\n".join(found["wrong"]))
            print(f"{found['checked']:,} histories of three devices in {time.monotonic() - began:.0f} s; rule 14.3 held")
            for number, fault in enumerate(FAULTS):
                found = check(service, home, url, now, swift, MOST_WITH_A_FAULT, 50_000_000 + number * 1_000_000, fault)
                if "wrong" not in found:
                    raise SystemExit(f"error: nothing found of devices with the fault {fault}")
                print(f"devices with the fault {fault} are found: {found['wrong'][0][:150]}")
        finally:
            server.terminate()
            server.wait(60)


if __name__ == "__main__":
    main()

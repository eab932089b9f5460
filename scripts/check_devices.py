"""Runs Tests/clients/check.js against a server; see check-devices."""

import json
import subprocess
import sys
import tempfile
import time
from datetime import datetime

from private_service import Service

# As check.js has it: how often an account is used.
HISTORIES_OF_AN_ACCOUNT = 40
# Histories until a fault must be found.
MOST_WITH_A_FAULT = 400
FAULTS = ["new-ids", "no-times", "wrong-zone", "untold-refusals", "missed-changes", "lost-deeds"]


def check(service, home, url, now, histories, first, fault=None):
    """Returns what the checker found, and how many histories it tried."""
    task = {
        "url": url, "now": now, "histories": histories, "first": first, "broken": fault,
        # Each of the four that run at once may begin one more.
        "accounts": service.accounts(histories // HISTORIES_OF_AN_ACCOUNT + 5, sessions=3)}
    with open(f"{home}/task.json", "w") as file:
        json.dump(task, file)
    done = subprocess.run(["node", "Tests/clients/check.js", f"{home}/task.json"], capture_output=True, text=True)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        raise SystemExit(f"error: the checker ended with {done.returncode}: {done.stderr}{done.stdout}")
    return lines[-1]


def main():
    programs, histories = sys.argv[1], int(sys.argv[2])
    with tempfile.TemporaryDirectory() as home:
        service = Service(programs, home)
        # The clock stands still at noon in the accounts' time zone.
        now = f"{datetime.now().date()}T03:00:00.000Z"
        server, url = service.server(home, "--now", now)
        try:
            began, first = time.monotonic(), 1
            found = check(service, home, url, now, histories, first)
            if "wrong" in found:
                raise SystemExit(f"error: history {found['seed']}: " + "\n".join(found["wrong"]))
            print(f"{found['checked']:,} histories of three devices in {time.monotonic() - began:.0f} s; rule 14.3 held")
            for number, fault in enumerate(FAULTS):
                found = check(service, home, url, now, MOST_WITH_A_FAULT, 50_000_000 + number * 1_000_000, fault)
                if "wrong" not in found:
                    raise SystemExit(f"error: nothing found of devices with the fault {fault}")
                print(f"devices with the fault {fault} are found: {found['wrong'][0][:150]}")
        finally:
            server.terminate()
            server.wait(60)


if __name__ == "__main__":
    main()

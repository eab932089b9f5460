"""Runs Tests/clients/soak.js against a server; see soak-devices."""

import json
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timedelta, timezone

from benchmark_events import resident
from private_service import Service

ACCOUNTS, DEVICES = 25, 4


def main():
    programs, minutes = sys.argv[1], int(sys.argv[2])
    with tempfile.TemporaryDirectory() as home:
        service = Service(programs, home)
        server, url = service.server(home)
        try:
            seoul = datetime.now(timezone(timedelta(hours=9)))
            task = {
                "url": url, "today": str(seoul.date()), "seconds": minutes * 60,
                "accounts": service.accounts(ACCOUNTS, sessions=DEVICES)}
            with open(f"{home}/task.json", "w") as file:
                json.dump(task, file)
            soak = subprocess.Popen(["node", "Tests/clients/soak.js", f"{home}/task.json"], stdout=subprocess.PIPE, text=True)
            sizes = []
            while soak.poll() is None:
                time.sleep(min(30, minutes * 6))
                sizes.append(resident(server.pid))
            found = json.loads(soak.stdout.read().splitlines()[-1])
            if found["wrong"]:
                raise SystemExit("error: " + "; ".join(found["wrong"]))
            print(
                f"{ACCOUNTS * DEVICES} devices, {minutes} minutes: {found['acts']:,} acts, {found['waterings']:,} of them waterings, "
                f"each recorded once; {found['told']:,} events; {found['refused']:,} refusals shown; equal copies")
            print(f"memory of the server, every {min(30, minutes * 6)} s: " + " ".join(f"{size:.0f}" for size in sizes) + " MiB")
        finally:
            server.terminate()
            server.wait(60)


if __name__ == "__main__":
    main()

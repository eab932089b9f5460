"""Clients of GET /v1/events, and changes of their accounts. scripts/benchmark-events starts it."""

import asyncio
import json
import re
import statistics
import sys
import time

from private_service import Service

# A session has four streams at most, a network address 500: each 400 clients have a loopback address of their own.
CLIENTS_OF_ADDRESS = 400


def resident(process):
    """In MiB."""
    with open(f"/proc/{process}/status") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read())[1]) / 1024


class Listener:
    """A device that listens, and notes when it hears of a change."""

    def __init__(self, port, token, number):
        self.port, self.token, self.number = port, token, number
        self.beats, self.waiting = 0, []

    async def connect(self):
        address = f"127.0.0.{2 + self.number // CLIENTS_OF_ADDRESS}"
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port, local_addr=(address, 0))
        self.writer.write(
            f"GET /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {self.token}\r\n\r\n".encode())
        head = await self.reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200"), head
        await self.reader.readuntil(b"event: changed")

    async def listen(self):
        # Each word comes in a chunk of its own.
        while line := await self.reader.readline():
            if line.startswith(b"event: changed"):
                now = time.monotonic()
                for heard in self.waiting:
                    heard.done() or heard.set_result(now)
                self.waiting = []
            elif line == b":\n":
                self.beats += 1


class Changer:
    """Another device, over a connection that stays open."""

    def __init__(self, port):
        self.port = port

    async def connect(self):
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)

    async def change(self, token, number):
        body = json.dumps({"nickname": f"n{number}"})
        self.writer.write(
            f"PATCH /v1/account HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n{body}".encode())
        head = await self.reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200"), head
        await self.reader.readexactly(int(re.search(rb"(?i)content-length: (\d+)", head)[1]))


async def measure(server, port, tokens, rate, seconds):
    empty = resident(server.pid)
    listeners = [Listener(port, token, number) for number, token in enumerate(tokens)]
    for start in range(0, len(listeners), 100):
        await asyncio.gather(*(listener.connect() for listener in listeners[start:start + 100]))
    tasks = [asyncio.create_task(listener.listen()) for listener in listeners]
    await asyncio.sleep(30)
    full = resident(server.pid)
    beaten = sum(listener.beats > 0 for listener in listeners)

    changers = asyncio.Queue()
    for _ in range(20):
        changer = Changer(port)
        await changer.connect()
        changers.put_nowait(changer)
    delays = []

    async def one(listener, number):
        changer = await changers.get()
        heard, begun = asyncio.get_running_loop().create_future(), time.monotonic()
        listener.waiting.append(heard)
        await changer.change(listener.token, number)
        answered = time.monotonic()
        changers.put_nowait(changer)
        at = await asyncio.wait_for(heard, 60)
        delays.append((at - begun, at - answered))

    running, due = set(), time.monotonic()
    for number in range(rate * seconds):
        await asyncio.sleep(max(0, due - time.monotonic()))
        task = asyncio.create_task(one(listeners[number * 7919 % len(listeners)], number))
        running.add(task)
        task.add_done_callback(running.discard)
        due += 1 / rate
    await asyncio.gather(*running)
    for task in tasks:
        task.cancel()
    return empty, full, beaten, delays


def percentile(values, part):
    return sorted(values)[min(len(values) - 1, int(len(values) * part))] * 1000


def main():
    programs, home, clients, rate, seconds = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])
    service = Service(programs, home)
    server, address = service.server(home)
    try:
        tokens = [of_account[0] for of_account in service.accounts(clients)]
        port = int(address.rpartition(":")[2])
        empty, full, beaten, delays = asyncio.run(measure(server, port, tokens, rate, seconds))
    finally:
        server.terminate()
        server.wait(60)
    whole, after = zip(*delays)
    print(f"| {clients:,} idle clients, {rate} changes a second for {seconds} s | | bar |\n|---|---|---|")
    print(f"| memory of the server without clients | {empty:.0f} MiB | |")
    print(f"| with {clients:,}, of which {beaten:,} heard a beat within 30 s | {full:.0f} MiB | 300 MiB |")
    print(f"| for each client | {(full - empty) * 1024 / clients:.1f} KiB | |")
    print(f"| from the request of one device to the event at another: median | {statistics.median(whole) * 1000:.1f} ms | |")
    print(f"| 99th percentile, {len(whole):,} changes | {percentile(whole, 0.99):.1f} ms | 100 ms |")
    print(f"| slowest | {max(whole) * 1000:.1f} ms | |")
    print(f"| from the answer to the event: median, 99th percentile | {statistics.median(after) * 1000:.1f} ms, {percentile(after, 0.99):.1f} ms | |")


if __name__ == "__main__":
    main()

"""A server that receives pushes as webhooks: four addresses, each of which can be told to fail.

    python3 receiver.py FILE SECRET SEED

Prints its port, then does what lines on standard input say, and answers each with a line. A push is in the file before it is
answered: a line of JSON with when, which device, collapse id and webhook-id. A failing address has taken half of the pushes
that it does not confirm, as providers do.
"""

import asyncio
import base64
import hashlib
import hmac
import json
import os
import random
import sys
import time

HOSTS = ["127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4"]


class Receiver:
    def __init__(self, path, secret, seed):
        self.file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self.secret = base64.b64decode(secret)
        self.random = random.Random(seed)
        self.modes = {host: "ok" for host in HOSTS}
        self.hanging = set()

    async def listen(self):
        first = await asyncio.start_server(lambda *ends: self.serve(HOSTS[0], *ends), HOSTS[0], 0)
        port = first.sockets[0].getsockname()[1]
        for host in HOSTS[1:]:
            await asyncio.start_server(lambda *ends, host=host: self.serve(host, *ends), host, port)
        return port

    def set(self, mode, count):
        """Lets so many addresses fail in a way, or all work again."""
        for number, host in enumerate(HOSTS):
            self.modes[host] = mode if number < count else "ok"
        for writer in self.hanging:
            writer.transport.abort()
        self.hanging.clear()

    async def serve(self, host, reader, writer):
        try:
            while await self.answer(host, reader, writer):
                pass
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            if writer not in self.hanging:
                writer.close()

    async def answer(self, host, reader, writer):
        """Answers one request; false when the connection has ended."""
        heading = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        lines = [line.partition(": ") for line in heading[1:]]
        fields = {name.lower(): value for name, _, value in lines}
        body = await reader.readexactly(int(fields["content-length"]))
        device = heading[0].split(" ")[1].strip("/")
        await asyncio.sleep(self.random.uniform(0.005, 0.15))
        mode = self.modes[host]
        if mode == "ok" or self.random.random() < 0.5:
            self.record(device, fields, body)
        if mode == "reset":
            writer.transport.abort()
            return False
        if mode == "hang":
            self.hanging.add(writer)
            return False
        status = "204 No Content" if mode == "ok" else "500 Internal Server Error\r\ncontent-length: 0"
        writer.write(f"HTTP/1.1 {status}\r\n\r\n".encode())
        await writer.drain()
        return True

    def record(self, device, fields, body):
        signed = f"{fields['webhook-id']}.{fields['webhook-timestamp']}.".encode() + body
        code = base64.b64encode(hmac.new(self.secret, signed, hashlib.sha256).digest()).decode()
        line = {
            "at": time.time(), "device": device, "collapseId": json.loads(body)["data"]["collapseId"],
            "id": fields["webhook-id"], "isSigned": fields["webhook-signature"] == f"v1,{code}",
        }
        os.write(self.file, (json.dumps(line) + "\n").encode())


async def main():
    receiver = Receiver(sys.argv[1], sys.argv[2], sys.argv[3])
    print(await receiver.listen(), flush=True)
    commands = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(commands), sys.stdin)
    while line := await commands.readline():
        mode, count = line.decode().split()
        receiver.set(mode, int(count))
        print("done", flush=True)


asyncio.run(main())

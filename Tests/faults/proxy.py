"""Stands between workers and the database: one TCP port for each worker, in front of the server.

    python3 proxy.py SOCKET COUNT
    python3 proxy.py HOST:PORT COUNT

Prints its ports, then does what lines on standard input say, and answers each with a line:

    delay SECONDS     holds back each piece of data for so long, in both directions
    reset             resets all connections, and each new one until the next line
    half-open PORT    forwards nothing more on the connections of a port that are open now, and does not close them
    pass              works again; what was half-open is reset
"""

import asyncio
import socket
import struct
import sys


class Link:
    """A worker's connection, and the one to the server that belongs to it."""

    def __init__(self, port, ends):
        self.port = port
        self.ends = ends
        self.is_frozen = False

    def reset(self):
        for writer in self.ends:
            handle = writer.transport.get_extra_info("socket")
            if handle is not None and handle.family == socket.AF_INET:
                # Without lingering a close is a reset.
                handle.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()


class Proxy:
    def __init__(self, address):
        self.address = address
        self.links = set()
        self.delay = 0.0
        self.is_refusing = False

    async def listen(self):
        server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        return server.sockets[0].getsockname()[1]

    async def connect(self):
        if self.address.startswith("/"):
            return await asyncio.open_unix_connection(self.address)
        host, _, port = self.address.rpartition(":")
        return await asyncio.open_connection(host, int(port))

    async def serve(self, reader, writer):
        port = writer.get_extra_info("sockname")[1]
        try:
            if self.is_refusing:
                raise ConnectionError
            server_reader, server_writer = await self.connect()
        except OSError:
            Link(port, [writer]).reset()
            return
        link = Link(port, [writer, server_writer])
        self.links.add(link)
        directions = [self.forward(link, reader, server_writer), self.forward(link, server_reader, writer)]
        tasks = [asyncio.create_task(direction) for direction in directions]
        # Once one side has gone, the other one goes too: a session whose worker was killed must end.
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for end in link.ends:
            end.close()
        for task in tasks:
            task.cancel()
        self.links.discard(link)

    async def forward(self, link, reader, writer):
        try:
            while data := await reader.read(65_536):
                if self.delay:
                    await asyncio.sleep(self.delay)
                while link.is_frozen:
                    await asyncio.sleep(0.05)
                writer.write(data)
                await writer.drain()
            # A connection that is half-open does not tell that it has ended.
            while link.is_frozen:
                await asyncio.sleep(0.05)
        except OSError:
            pass

    def obey(self, command, argument):
        self.delay = float(argument) if command == "delay" else 0.0
        self.is_refusing = command == "reset"
        for link in list(self.links):
            if command == "reset" or (command == "pass" and link.is_frozen):
                link.reset()
                link.is_frozen = False
            elif command == "half-open" and link.port == int(argument):
                link.is_frozen = True


async def main():
    proxy = Proxy(sys.argv[1])
    print(*[await proxy.listen() for _ in range(int(sys.argv[2]))], flush=True)
    commands = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(commands), sys.stdin)
    while line := await commands.readline():
        command, argument = (line.decode().split() + [""])[:2]
        proxy.obey(command, argument)
        print("done", flush=True)


asyncio.run(main())

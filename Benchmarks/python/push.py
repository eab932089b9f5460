"""The push benchmark's reference: the same pushes by httpx over one HTTP/2 connection.

Usage: push.py URL AUTHORITY.pem HEADERS.json PAYLOAD.json COUNT CONCURRENCY
Prints the seconds that the work took, without the first push, which makes the connection.
"""

import asyncio
import json
import ssl
import sys
import time

import httpx

url, authority, headers, payload, count, concurrency = sys.argv[1:]
count, concurrency = int(count), int(concurrency)
headers = json.load(open(headers))
payload = open(payload, "rb").read()


async def main():
    context = ssl.create_default_context(cafile=authority)
    limits = httpx.Limits(max_connections=1)
    async with httpx.AsyncClient(http2=True, verify=context, limits=limits, timeout=60) as client:
        async def send():
            response = await client.post(url, headers=headers, content=payload)
            assert response.status_code == 200, response.text
            assert response.http_version == "HTTP/2"

        await send()
        left = iter(range(count))

        async def worker():
            for _ in left:
                await send()

        start = time.perf_counter()
        await asyncio.gather(*(worker() for _ in range(concurrency)))
        print(time.perf_counter() - start)


asyncio.run(main())

"""Writes files that are small and would be large: bombs.py FOLDER. Needs nothing but Python."""

import struct
import sys
import zlib
from pathlib import Path

FOLDER = Path(sys.argv[1])
MOST = 5 << 20


def write(name, content):
    assert len(content) <= MOST, (name, len(content))
    (FOLDER / name).write_bytes(content)


def chunk(name, content):
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def zeros(count):
    """So many zeros, compressed."""
    stream, piece = zlib.compressobj(9), bytes(1 << 20)
    parts = [stream.compress(piece) for _ in range(count >> 20)]
    return b"".join(parts) + stream.compress(bytes(count % (1 << 20))) + stream.flush()


def png(width, height, depth, colour, *more):
    samples = {0: 1, 2: 3, 6: 4}[colour]
    data = zeros(height * (1 + (width * depth * samples + 7) // 8))
    head = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + b"".join(more) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def segment(code, content):
    return b"\xff" + bytes([code]) + struct.pack(">H", len(content) + 2) + content


def jpeg(width, height, *scans):
    """A progressive JPEG of one component, without pixels."""
    frame = segment(0xC2, struct.pack(">BHHBBBB", 8, height, width, 1, 1, 0x11, 0))
    # One code of one bit: a run of 16,384 blocks and more, whose number follows in 14 bits.
    codes = segment(0xC4, bytes([0x10, 1] + [0] * 15 + [0xE0]))
    tables = segment(0xDB, bytes([0] + [1] * 64))
    return b"\xff\xd8" + tables + frame + codes + b"".join(scans) + b"\xff\xd9"


def scan(width, height):
    """A pass over all blocks that changes none, in a few bytes."""
    blocks = -(-width // 8) * -(-height // 8)
    bits = ""
    while blocks > 0:
        run = min(blocks, (2 << 14) - 1)
        if run < 1 << 14:
            run = 1 << 14
        bits += "0" + format(run - (1 << 14), "014b")
        blocks -= run
    bits += "1" * (-len(bits) % 8)
    data = bytes(int(bits[i : i + 8], 2) for i in range(0, len(bits), 8)).replace(b"\xff", b"\xff\0")
    return segment(0xDA, bytes([1, 1, 0x00, 1, 63, 0])) + data


def webp(*chunks):
    body = b"WEBP" + b"".join(
        name + struct.pack("<I", len(content)) + content + bytes(len(content) % 2) for name, content in chunks)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def lossless(width, height):
    return b"VP8L", b"\x2f" + struct.pack("<I", (width - 1) | (height - 1) << 14) + bytes(64)


def extended(width, height):
    return b"VP8X", struct.pack("<I", 0) + struct.pack("<I", width - 1)[:3] + struct.pack("<I", height - 1)[:3]


# Refused by their size.
write("too-many-pixels.png", png(30_000, 30_000, 1, 0))
write("too-many-pixels.jpg", jpeg(65_535, 65_535, scan(8, 8)))
write("too-many-pixels.webp", webp(lossless(16_383, 16_383)))
write("too-large-canvas.webp", webp(extended(1 << 24, 1 << 24), lossless(16, 16)))
write("too-long.png", png(20_001, 8, 8, 0))

# Broken, however long a decoder tries.
write("scans.jpg", jpeg(8000, 5000, *[scan(8000, 5000)] * 60_000))
write("lying.webp", webp(extended(64, 64), lossless(16_383, 16_383)))

# Allowed: at the limits of pixels and scans, or with pixels that are fine beside texts and profiles of gigabytes.
write("allowed.png", png(8000, 5000, 8, 6))
write("allowed-16.png", png(8000, 5000, 16, 6))
write("allowed.jpg", jpeg(8000, 5000, *[scan(8000, 5000)] * 100))
text = chunk(b"zTXt", b"Comment\0\0" + zeros(7_900_000))
write("texts.png", png(8, 8, 8, 0, *[text] * ((MOST - 1000) // len(text))))
profile = zlib.compress(b"", 0)[:2] + zeros(100 << 20)[2:-4] * 40
write("profile.png", png(8, 8, 8, 0, chunk(b"iCCP", b"bomb\0\0" + profile)))

"""Makes the pictures of this folder with Pillow 9.4 (Debian's python3-pil): /usr/bin/python3 generate.py

Their subject is always the same: a red, a green, a blue and a yellow quarter, read like text, with a gradient. It is wider
than high, so that a square of it loses its sides.
"""

import io
import struct
import zlib
from pathlib import Path

from PIL import Image, ImageCms, ImageOps, PngImagePlugin

FOLDER = Path(__file__).parent
MARKER = "whereabouts"  # No stored picture may contain it.
LOCATION = {1: "N", 2: (37.0, 33.0, 59.0), 3: "E", 4: (126.0, 58.0, 41.0), 29: MARKER}
ORIENTATION, DESCRIPTION, MAKE, GPS = 0x0112, 0x010E, 0x010F, 0x8825
STORED = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_90,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_270,
}


def subject(width=96, height=64):
    picture = Image.new("RGB", (width, height))
    halves = (width // 2, height // 2)
    for colour, place in [
        ((200, 20, 20), (0, 0)),
        ((20, 200, 20), (halves[0], 0)),
        ((20, 20, 200), (0, halves[1])),
        ((200, 200, 20), halves),
    ]:
        picture.paste(colour, (*place, width, height))
    gradient = Image.linear_gradient("L").resize((width, height))
    return Image.blend(picture, Image.merge("RGB", [gradient] * 3), 0.2)


def exif(orientation=None, location=False):
    block = Image.Exif()
    if orientation:
        block[ORIENTATION] = orientation
    if location:
        block[DESCRIPTION] = block[MAKE] = MARKER
        block[GPS] = LOCATION
    return block


def stored(picture, orientation):
    """The picture as a camera held that way stores it."""
    turned = picture.transpose(STORED[orientation]) if orientation in STORED else picture
    probe = turned.copy()
    probe.getexif()[ORIENTATION] = orientation
    assert ImageOps.exif_transpose(probe).tobytes() == picture.tobytes()
    return turned


def text(name, compressed=True):
    information = PngImagePlugin.PngInfo()
    information.add_text(name, MARKER * 3, zip=compressed)
    information.add_itxt(name + "i", MARKER * 3, zip=False)
    return information


def transparent(picture):
    picture = picture.convert("RGBA")
    picture.putalpha(Image.radial_gradient("L").resize(picture.size))
    return picture


def chunk(name, content):
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def png(width, height, depth, colour, rows, *more, interlaced=0):
    """A PNG of a kind that Pillow does not write."""
    head = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlaced)
    data = zlib.compress(b"".join(b"\0" + row for row in rows), 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + b"".join(more) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def rgb_rows(picture, take=1):
    """The samples of each row, each with `take` bytes."""
    return [
        b"".join(bytes([value] * take) for x in range(picture.width) for value in picture.getpixel((x, y)))
        for y in range(picture.height)
    ]


def interlaced(picture):
    passes = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
    rows = []
    for left, top, across, down in passes:
        for y in range(top, picture.height, down):
            rows.append(b"".join(bytes(picture.getpixel((x, y))) for x in range(left, picture.width, across)))
    return png(picture.width, picture.height, 8, 2, rows, interlaced=1)


def jpeg_with(segments, jpeg):
    """Puts segments behind the first marker of a JPEG."""
    return jpeg[:2] + b"".join(b"\xff" + bytes([code]) + struct.pack(">H", len(s) + 2) + s for code, s in segments) + jpeg[2:]


def encoded(picture, kind, **options):
    buffer = io.BytesIO()
    picture.save(buffer, kind, **options)
    return buffer.getvalue()


def main():
    picture, small = subject(), subject(48, 32)
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    files = {}
    for orientation in range(1, 9):
        files[f"orientation-{orientation}.jpg"] = encoded(
            stored(picture, orientation), "JPEG", quality=90, exif=exif(orientation))
    little = exif(6).tobytes()
    assert little[6:8] == b"MM"
    tiff = b"II*\0" + struct.pack("<IHHHIHH", 8, 1, ORIENTATION, 3, 1, 6, 0) + bytes(4)
    files["orientation-6-little-endian.jpg"] = encoded(
        stored(picture, 6), "JPEG", quality=90, exif=b"Exif\0\0" + tiff)
    files["orientation-6.png"] = encoded(stored(small, 6), "PNG", exif=exif(6))
    files["orientation-6.webp"] = encoded(stored(picture, 6), "WEBP", lossless=True, exif=exif(6))

    xmp = b"http://ns.adobe.com/xap/1.0/\0<x:xmpmeta>" + MARKER.encode() + b"</x:xmpmeta>"
    iptc = b"Photoshop 3.0\0" + MARKER.encode()
    plain = encoded(
        picture, "JPEG", quality=90, exif=exif(1, location=True), icc_profile=profile, comment=MARKER, dpi=(300, 300))
    files["location.jpg"] = jpeg_with([(0xE1, xmp), (0xED, iptc), (0xFE, MARKER.encode())], plain)
    files["location.png"] = encoded(
        small, "PNG", exif=exif(1, location=True), icc_profile=profile, pnginfo=text("Comment"), dpi=(300, 300))
    files["location.webp"] = encoded(
        picture, "WEBP", quality=90, exif=exif(1, location=True), icc_profile=profile, xmp=MARKER.encode())

    files["progressive.jpg"] = encoded(picture, "JPEG", quality=90, progressive=True)
    files["grey.jpg"] = encoded(picture.convert("L"), "JPEG", quality=90)
    files["cmyk.jpg"] = encoded(picture.convert("CMYK"), "JPEG", quality=90)
    files["large.jpg"] = encoded(subject(1000, 700), "JPEG", quality=40)
    files["large.webp"] = encoded(subject(1000, 700), "WEBP", quality=80)
    files["high.png"] = encoded(subject(700, 1100).quantize(16), "PNG", optimize=True)

    files["many-pixels.png"] = encoded(subject(48, 36).quantize(4).resize((2400, 1800), Image.Resampling.NEAREST), "PNG")

    files["rgb.png"] = encoded(small, "PNG")
    files["rgb-16.png"] = png(*small.size, 16, 2, rgb_rows(small, 2))
    files["grey-16.png"] = png(
        *small.size, 16, 0, [bytes(v for x in range(48) for v in [small.getpixel((x, y))[0]] * 2) for y in range(32)])
    files["grey-alpha.png"] = encoded(transparent(small).convert("LA"), "PNG")
    files["rgba.png"] = encoded(transparent(small), "PNG")
    files["palette.png"] = encoded(transparent(small).quantize(32), "PNG")
    files["black-and-white.png"] = encoded(small.convert("1"), "PNG")
    one = Image.new("RGB", (48, 32), (20, 20, 200))
    one.paste((200, 20, 20), (0, 0, 24, 32))
    files["one-transparent-colour.png"] = png(
        48, 32, 8, 2, rgb_rows(one), chunk(b"tRNS", struct.pack(">HHH", 20, 20, 200)))
    files["interlaced.png"] = interlaced(small)
    files["transparent.webp"] = encoded(transparent(picture), "WEBP", quality=90)
    files["lossless.webp"] = encoded(picture, "WEBP", lossless=True)
    files["lossy.webp"] = encoded(picture, "WEBP", quality=90)
    for kind in ["jpg", "png", "webp"]:
        files[f"dot.{kind}"] = encoded(
            Image.new("RGB", (1, 1), (200, 20, 20)), {"jpg": "JPEG"}.get(kind, kind.upper()))
    files["thin.png"] = encoded(Image.new("RGB", (1, 4000), (20, 200, 20)), "PNG")

    # Refused.
    frames = [Image.new("RGB", (16, 16), colour) for colour in ["red", "blue"]]
    files["animation.webp"] = encoded(frames[0], "WEBP", save_all=True, append_images=frames[1:])
    for kind, name in [("GIF", "gif"), ("BMP", "bmp"), ("TIFF", "tiff"), ("ICO", "ico"), ("PPM", "ppm")]:
        files[f"other.{name}"] = encoded(frames[0], kind)

    for name, content in files.items():
        assert len(content) <= 20 << 10, (name, len(content))
    for old in [*FOLDER.glob("*.*g"), *FOLDER.glob("*.webp"), *FOLDER.glob("other.*")]:
        old.unlink()
    for name, content in files.items():
        (FOLDER / name).write_bytes(content)
    print(len(files), "files,", sum(map(len, files.values())), "bytes")


main()

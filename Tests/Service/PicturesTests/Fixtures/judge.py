"""Compares stored pictures with what Pillow (Debian's python3-pil) makes of the originals: judge.py FOLDER [whole]

With "whole", they are receipts, which keep their proportions. Reads NAME and NAME.stored for each NAME in the folder, and prints a JSON object for each.
"""

import json
import sys
from pathlib import Path

from PIL import Image, ImageChops, ImageOps, ImageStat

# Our limits are our own business; Pillow would only warn.
Image.MAX_IMAGE_PIXELS = None


RECEIPT_PIXELS = 4_000_000


def expected(path, whole):
    picture = ImageOps.exif_transpose(Image.open(path))
    if picture.mode.startswith("I"):
        picture = picture.convert("I").point(lambda value: value / 256).convert("L")
    if picture.mode in ("P", "LA", "RGBA") or "transparency" in picture.info:
        picture = picture.convert("RGBA")
        picture = Image.alpha_composite(Image.new("RGBA", picture.size, "white"), picture)
    picture = picture.convert("RGB")
    if whole:
        scale = min(1, (RECEIPT_PIXELS / (picture.width * picture.height)) ** 0.5)
        return picture.resize([max(1, int(length * scale)) for length in picture.size], Image.Resampling.BOX)
    side = min(picture.size)
    left, top = ((length - side) // 2 for length in picture.size)
    picture = picture.crop((left, top, left + side, top + side))
    return picture.resize([min(side, 512)] * 2, Image.Resampling.BOX)


for stored in sorted(Path(sys.argv[1]).glob("*.stored")):
    picture, wanted = Image.open(stored), expected(stored.with_suffix(""), "whole" in sys.argv[2:])
    picture.load()
    difference = ImageStat.Stat(ImageChops.difference(picture, wanted)).mean if picture.size == wanted.size else [255]
    print(json.dumps({
        "name": stored.stem,
        "format": picture.format,
        "mode": picture.mode,
        "width": picture.width,
        "height": picture.height,
        "metadata": sorted(set(picture.info) - {"jfif", "jfif_version", "jfif_unit", "jfif_density", "dpi"})
        + sorted(map(str, picture.getexif())),
        "difference": max(difference),
    }))

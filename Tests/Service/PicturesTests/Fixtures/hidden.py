"""Prints a PDF with every Flate stream unpacked, so that nothing in it is hidden from a search: hidden.py FILE"""

import re
import sys
import zlib

content = open(sys.argv[1], "rb").read()
streams = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", content, re.DOTALL)
for stream in streams:
    try:
        content += zlib.decompress(stream)
    except zlib.error:
        pass
print(len(streams), content.decode("latin-1"))

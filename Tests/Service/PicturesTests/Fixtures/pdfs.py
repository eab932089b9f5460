"""Makes the PDFs of this folder by hand, with a picture of generate.py: python3 pdfs.py [folder]

Every place of a PDF in which something may hide holds MARKER; what people see says VISIBLE. Variants are made with qpdf, the
program, where it is installed: compressed.pdf, locked.pdf and restricted.pdf.
"""

import subprocess
import sys
import zlib
from pathlib import Path

FOLDER = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
PICTURE = (Path(__file__).parent / "location.jpg").read_bytes()
MARKER, VISIBLE = b"whereabouts", b"Milk 3000 won"


def stream(dictionary, content):
    return b"<< %s /Length %d >>\nstream\n%s\nendstream" % (dictionary, len(content), content)


def document(objects, trailer=b""):
    """A PDF of numbered objects, the first of which is the catalogue."""
    out, offsets = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", []
    for number, content in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    return out + b"trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, trailer, start)


def receipt(filters=b"/DCTDecode", picture=PICTURE):
    xmp = stream(b"/Type /Metadata /Subtype /XML", b"<x:xmpmeta>" + MARKER + b"</x:xmpmeta>")
    page = b"""<< /Type /Page /Parent 2 0 R /Contents [4 0 R] /Metadata 8 0 R /PieceInfo << /Made << /Private (%s) >> >>
        /LastModified (D:20260101) /Annots [9 0 R 10 0 R] /AA << /O 11 0 R >> /Thumb 7 0 R /Tabs /S >>""" % MARKER
    resources = b"""<< /Font << /A 5 0 R >> /XObject << /Picture 6 0 R /Form 13 0 R >>
        /Properties << /Layer << /Type /OCG /Name (%s) >> >> >>""" % MARKER
    catalogue = b"""<< /Type /Catalog /Pages 2 0 R /Metadata 8 0 R /OpenAction 11 0 R /AA << /WC 11 0 R >>
        /Names << /JavaScript << /Names [(%s) 11 0 R] >> /EmbeddedFiles << /Names [(%s) 12 0 R] >> >>
        /AcroForm << /Fields [10 0 R] >> /PieceInfo << /Made << /Private (%s) >> >> /AF [12 0 R] /Lang (ko)
        /Outlines << /Type /Outlines /Title (%s) >> >>""" % ((MARKER,) * 4)
    return document(
        [
            catalogue,
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 300 400] /Resources " + resources + b" >>",
            page,
            stream(
                b"",
                b"BT /A 18 Tf 20 350 Td (" + VISIBLE + b") Tj ET /OC /Layer BDC q 200 0 0 133 20 150 cm /Picture Do Q EMC /Form Do",
            ),
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            stream(
                b"/Type /XObject /Subtype /Image /Width 96 /Height 64 /ColorSpace /DeviceRGB /BitsPerComponent 8 /Metadata 8 0 R"
                b" /Filter " + filters,
                picture,
            ),
            stream(
                b"/Width 1 /Height 1 /ColorSpace /DeviceRGB /BitsPerComponent 8",
                MARKER[:3],
            ),
            xmp,
            b"<< /Type /Annot /Subtype /Link /Border [0 0 0] /Rect [0 0 300 400] /A << /S /URI /URI (https://example.com/%s) >> >>" % MARKER,
            b"<< /Type /Annot /Subtype /Widget /F 2 /FT /Tx /T (%s) /V (%s) /Rect [0 0 9 9] >>" % (MARKER, MARKER),
            b"<< /S /JavaScript /JS (app.alert\\('%s'\\)) >>" % MARKER,
            b"<< /Type /Filespec /F (%s.txt) /EF << /F 14 0 R >> >>" % MARKER,
            stream(
                b"/Type /XObject /Subtype /Form /BBox [0 0 300 100] /PieceInfo << /Made << /Private (%s) >> >> /LastModified (%s)"
                b" /Resources << /Font << /A 5 0 R >> /Properties << /N << /Title (%s) >> >> >>" % (MARKER, MARKER, MARKER),
                b"BT /A 12 Tf 20 60 Td (Thank you) Tj ET",
            ),
            stream(b"/Type /EmbeddedFile", MARKER),
        ],
        b"/Info << /Title (%s) /Author (%s) /Producer (%s) /CreationDate (D:20260101) >> /ID [<%s> <%s>]"
        % (MARKER, MARKER, MARKER, MARKER.hex().encode(), MARKER.hex().encode()),
    )


def blank(pages):
    kids = b" ".join(b"%d 0 R" % number for number in range(3, pages + 3))
    return document(
        [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [%s] /Count %d /MediaBox [0 0 9 9] >>" % (kids, pages)]
        + [b"<< /Type /Page /Parent 2 0 R >>"] * pages
    )


def main():
    files = {
        "receipt.pdf": receipt(),
        "wrapped.pdf": receipt(b"[/FlateDecode /DCTDecode]", zlib.compress(PICTURE)),
        "pages-20.pdf": blank(20),
        "pages-21.pdf": blank(21),
    }
    for name, content in files.items():
        (FOLDER / name).write_bytes(content)
    for name, options in [
        ("compressed.pdf", ["--object-streams=generate", "--linearize"]),
        ("locked.pdf", ["--encrypt", "secret", "secret", "256", "--"]),
        ("restricted.pdf", ["--encrypt", "", "secret", "256", "--print=none", "--"]),
    ]:
        subprocess.run(["qpdf", *options, FOLDER / "receipt.pdf", FOLDER / name], check=True)


main()

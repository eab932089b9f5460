// The module CLibQPDF exposes libqpdf's C interface. Only the program cherish-picture may import it. Start reading at its
// PDFContents.swift.
#pragma once
#include <qpdf/qpdf-c.h>

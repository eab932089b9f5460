// The module CZlib exposes zlib's C interface. Only the module WebGarden may import it. Start reading at its
// Gzip.swift.
#pragma once
#include <zlib.h>

// The module CLibDeflate exposes libdeflate's C interface. Only the module WebGarden may import it. Start reading at its
// Gzip.swift.
#pragma once
#include <libdeflate.h>

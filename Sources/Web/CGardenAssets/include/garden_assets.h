// The files of the web garden (Sources/Web/WebGarden/Assets), inside the program, so that a server is one file. The module
// WebGarden reads them: see its GardenAssets.swift.
#pragma once
#include <stddef.h>

struct garden_asset {
    const char *name;
    const unsigned char *bytes;
    size_t length;
};

// The files, `garden_asset_count` of them.
const struct garden_asset *garden_assets(void);
extern const size_t garden_asset_count;

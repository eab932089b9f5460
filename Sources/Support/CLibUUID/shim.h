// The module CLibUUID exposes libuuid's C interface. Only the module SystemUUID may import it. Start reading at its
// UUID+LibUUID.swift.
#pragma once
#include <uuid.h>

// The module CLibUUID knows the C interface of libuuid. Only the module SystemUUID may import it. Start reading at its
// UUID+LibUUID.swift.
#pragma once
#include <uuid.h>

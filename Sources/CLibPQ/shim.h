// libpq is found through pkg-config; its headers are not on the default include path on Debian.
#pragma once
#include <libpq-fe.h>

// The module CLibPQ exposes libpq's C interface. pkg-config locates it, because on Debian its headers are not on the
// default include path. Of the sources, only the module Postgres may import it. Start reading at its Session.swift.
#pragma once
#include <libpq-fe.h>

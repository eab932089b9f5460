// The module CLibArgon2 exposes libargon2's C interface. Only the module Secrets may import it. Start reading at its
// PasswordHasher.swift.
#pragma once
#include <argon2.h>

// The module CLibGD exposes libgd, and a function that confines the process that uses it. Only the program
// cherish-picture may import it. Start reading at its Main.swift.
#ifndef CLIBGD_H
#define CLIBGD_H

#include <stddef.h>

#include <gd.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Takes from this process, for good, all that decoding a picture does not need: more memory and processor time than
/// given here, new files, processes and privileges, core dumps, and every system call but those that read, write,
/// allocate and exit. It also gives way to other processes.
///
/// - Parameters:
///   - memory: the address space, in bytes, including programs and libraries.
///   - seconds: of processor time. At their end, the process is killed.
/// - Returns: whether all of it was taken. If not, the process should exit.
_Bool cherish_confine(size_t memory, unsigned seconds);

#ifdef __cplusplus
}
#endif

#endif

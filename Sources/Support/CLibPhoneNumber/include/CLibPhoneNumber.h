// The module CLibPhoneNumber parses phone numbers with libphonenumber. It has no effects outside its arguments. Start
// reading here; phonenumber.cpp is the implementation.
#ifndef CLIBPHONENUMBER_H
#define CLIBPHONENUMBER_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The longest E.164 number with its plus sign and the terminating NUL, in bytes.
enum { cherish_phone_number_capacity = 17 };

/// Writes a phone number in E.164 format to `out`, NUL-terminated.
///
/// `text` is a number in UTF-8, as people write it. `region` is an ISO 3166 code in two capital letters: numbers of
/// that country need no country code. ZZ means none. Thread-safe.
///
/// Returns false and writes an empty string if `text` is not a possible number or if `capacity` is too small for it.
bool cherish_phone_number_e164(const char *text, const char *region, char *out, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif

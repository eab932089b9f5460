#ifndef CLIBPHONENUMBER_H
#define CLIBPHONENUMBER_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The longest number of E.164 with its plus sign and the closing NUL, in bytes.
enum { cherish_phone_number_capacity = 17 };

/// Writes a phone number in E.164, closed by a NUL, to `out`.
///
/// `text` is a number in UTF-8 as people write it. `region` is the ISO 3166 code, two capital letters, of the country whose
/// numbers may be written without a country code; ZZ means none. Safe to call from several threads at once.
///
/// Returns false, and leaves an empty text, when `text` is no possible number or when `out` has not the `capacity` for it.
bool cherish_phone_number_e164(const char *text, const char *region, char *out, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif

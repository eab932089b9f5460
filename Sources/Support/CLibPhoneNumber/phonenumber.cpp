#include "CLibPhoneNumber.h"

#include <cstring>
#include <string>

#include <phonenumbers/logger.h>
#include <phonenumbers/phonenumberutil.h>

namespace {

using i18n::phonenumbers::NullLogger;
using i18n::phonenumbers::PhoneNumber;
using i18n::phonenumbers::PhoneNumberUtil;

// The library's only instance. It logs doubtful input to standard output, which belongs to a command's result, so
// silence it before first use. It owns its logger. Initialization of a local static is thread-safe.
const PhoneNumberUtil &silentLibrary() {
    static const PhoneNumberUtil *const library = [] {
        PhoneNumberUtil *const instance = PhoneNumberUtil::GetInstance();
        instance->SetLogger(new NullLogger());
        return instance;
    }();
    return *library;
}

bool format(const char *text, const char *region, std::string *formatted) {
    const PhoneNumberUtil &library = silentLibrary();
    PhoneNumber number;
    if (library.Parse(text, region, &number) != PhoneNumberUtil::NO_PARSING_ERROR) {
        return false;
    }
    if (library.IsPossibleNumberWithReason(number) != PhoneNumberUtil::IS_POSSIBLE) {
        return false;
    }
    library.Format(number, PhoneNumberUtil::E164, formatted);
    return true;
}

}  // namespace

extern "C" bool cherish_phone_number_e164(const char *text, const char *region, char *out, size_t capacity) {
    if (text == nullptr || region == nullptr || out == nullptr || capacity == 0) {
        return false;
    }
    out[0] = '\0';
    // An exception must not cross into C or Swift.
    try {
        std::string formatted;
        if (!format(text, region, &formatted) || formatted.size() >= capacity) {
            return false;
        }
        std::memcpy(out, formatted.c_str(), formatted.size() + 1);
        return true;
    } catch (...) {
        return false;
    }
}

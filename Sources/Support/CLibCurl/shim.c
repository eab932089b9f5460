#include "CLibCurl.h"

#include <stdbool.h>

// libcurl numbers each kind of option from its own start.
static bool has_kind(CURLoption option, long start) {
    return option >= start && option < start + 10000;
}

CURLcode cherish_curl_start(void) {
    return curl_global_init(CURL_GLOBAL_DEFAULT);
}

CURLcode cherish_curl_set_number(CURL *transfer, CURLoption option, long value) {
    if (!has_kind(option, CURLOPTTYPE_LONG)) {
        return CURLE_BAD_FUNCTION_ARGUMENT;
    }
    return curl_easy_setopt(transfer, option, value);
}

CURLcode cherish_curl_set_size(CURL *transfer, CURLoption option, curl_off_t value) {
    if (!has_kind(option, CURLOPTTYPE_OFF_T)) {
        return CURLE_BAD_FUNCTION_ARGUMENT;
    }
    return curl_easy_setopt(transfer, option, value);
}

CURLcode cherish_curl_set_text(CURL *transfer, CURLoption option, const char *value) {
    if (!has_kind(option, CURLOPTTYPE_OBJECTPOINT)) {
        return CURLE_BAD_FUNCTION_ARGUMENT;
    }
    return curl_easy_setopt(transfer, option, value);
}

CURLcode cherish_curl_set_list(CURL *transfer, CURLoption option, struct curl_slist *list) {
    if (!has_kind(option, CURLOPTTYPE_OBJECTPOINT)) {
        return CURLE_BAD_FUNCTION_ARGUMENT;
    }
    return curl_easy_setopt(transfer, option, list);
}

CURLcode cherish_curl_set_source(CURL *transfer, cherish_curl_data_function source, void *context) {
    const CURLcode code = curl_easy_setopt(transfer, CURLOPT_READFUNCTION, source);
    return code != CURLE_OK ? code : curl_easy_setopt(transfer, CURLOPT_READDATA, context);
}

CURLcode cherish_curl_set_body(CURL *transfer, cherish_curl_data_function body, void *context) {
    const CURLcode code = curl_easy_setopt(transfer, CURLOPT_WRITEFUNCTION, body);
    return code != CURLE_OK ? code : curl_easy_setopt(transfer, CURLOPT_WRITEDATA, context);
}

CURLcode cherish_curl_set_lines(CURL *transfer, cherish_curl_data_function lines, void *context) {
    const CURLcode code = curl_easy_setopt(transfer, CURLOPT_HEADERFUNCTION, lines);
    return code != CURLE_OK ? code : curl_easy_setopt(transfer, CURLOPT_HEADERDATA, context);
}

CURLcode cherish_curl_set_progress(CURL *transfer, curl_xferinfo_callback progress, void *context) {
    CURLcode code = curl_easy_setopt(transfer, CURLOPT_XFERINFOFUNCTION, progress);
    if (code == CURLE_OK) {
        code = curl_easy_setopt(transfer, CURLOPT_XFERINFODATA, context);
    }
    return code != CURLE_OK ? code : curl_easy_setopt(transfer, CURLOPT_NOPROGRESS, 0L);
}

long cherish_curl_status(CURL *transfer) {
    long status = 0;
    return curl_easy_getinfo(transfer, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK ? status : 0;
}

// The module CLibCurl exposes libcurl's easy interface. Its functions that take any kind of argument cannot be called
// from Swift; each function here takes one kind. Of the sources, only the module CherishMail may import it. Start
// reading at its CurlTransfer.swift.
#ifndef CLIBCURL_H
#define CLIBCURL_H

#include <stddef.h>

#include <curl/curl.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Prepares the library for all threads. Call it once, before anything else.
CURLcode cherish_curl_start(void);

/// Sets an option that is a number or a switch.
///
/// This function and the next three return CURLE_BAD_FUNCTION_ARGUMENT for an option of another kind.
CURLcode cherish_curl_set_number(CURL *transfer, CURLoption option, long value);

/// Sets an option that is a size in bytes.
CURLcode cherish_curl_set_size(CURL *transfer, CURLoption option, curl_off_t value);

/// Sets an option that is a text. libcurl copies it.
CURLcode cherish_curl_set_text(CURL *transfer, CURLoption option, const char *value);

/// Sets an option that is a list of texts. The list must outlive the transfer.
CURLcode cherish_curl_set_list(CURL *transfer, CURLoption option, struct curl_slist *list);

/// Receives bytes, or fills in the next ones to be sent; returns how many. `context` is what was set with it.
typedef size_t (*cherish_curl_data_function)(char *bytes, size_t size, size_t count, void *context);

/// Sets the source of what is sent.
CURLcode cherish_curl_set_source(CURL *transfer, cherish_curl_data_function source, void *context);

/// Sets what receives the body of an answer.
CURLcode cherish_curl_set_body(CURL *transfer, cherish_curl_data_function body, void *context);

/// Sets what receives the lines of an answer that are not its body: HTTP headers, or the answers of a mail server.
CURLcode cherish_curl_set_lines(CURL *transfer, cherish_curl_data_function lines, void *context);

/// Sets a function that libcurl calls about once a second and that ends the transfer by returning another value than 0.
CURLcode cherish_curl_set_progress(CURL *transfer, curl_xferinfo_callback progress, void *context);

/// The last status of the server; 0 if it sent none.
long cherish_curl_status(CURL *transfer);

#ifdef __cplusplus
}
#endif

#endif

#include "api/http_answer.h"

#include <curl/curl.h>

#include <cstddef>

namespace elbowroom::api {
namespace {

// The first line of the answer is enough: the rest is refused.
std::size_t refuse(const char* /*bytes*/, std::size_t /*size*/, std::size_t /*count*/,
                   void* /*of*/) {
  return 0;
}

}  // namespace

int http_answer(const std::string& url, std::chrono::milliseconds within) {
  CURL* call = curl_easy_init();
  if (call == nullptr) return 0;
  curl_easy_setopt(call, CURLOPT_URL, url.c_str());
  curl_easy_setopt(call, CURLOPT_PROXY, "");
  curl_easy_setopt(call, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(call, CURLOPT_PROTOCOLS_STR, "http");
  curl_easy_setopt(call, CURLOPT_TIMEOUT_MS, static_cast<long>(within.count()));
  curl_easy_setopt(call, CURLOPT_HEADERFUNCTION, refuse);
  curl_easy_setopt(call, CURLOPT_WRITEFUNCTION, refuse);
  (void)curl_easy_perform(call);  // how it ended says nothing that the status does not
  long status = 0;
  curl_easy_getinfo(call, CURLINFO_RESPONSE_CODE, &status);
  curl_easy_cleanup(call);
  return static_cast<int>(status);
}

}  // namespace elbowroom::api

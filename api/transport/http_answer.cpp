#include "api/transport/http_answer.h"

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

HttpAnswer http_answer(const std::string& url, std::chrono::milliseconds within) {
  CURL* call = curl_easy_init();
  if (call == nullptr) return HttpAnswer::Nobody;
  curl_easy_setopt(call, CURLOPT_URL, url.c_str());
  curl_easy_setopt(call, CURLOPT_PROXY, "");
  curl_easy_setopt(call, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(call, CURLOPT_PROTOCOLS_STR, "http");
  curl_easy_setopt(call, CURLOPT_TIMEOUT_MS, static_cast<long>(within.count()));
  curl_easy_setopt(call, CURLOPT_HEADERFUNCTION, refuse);
  curl_easy_setopt(call, CURLOPT_WRITEFUNCTION, refuse);
  const CURLcode ended = curl_easy_perform(call);
  long status = 0;
  curl_easy_getinfo(call, CURLINFO_RESPONSE_CODE, &status);
  curl_easy_cleanup(call);
  if (status != 0) return HttpAnswer::Answered;
  return ended == CURLE_OPERATION_TIMEDOUT ? HttpAnswer::Silent : HttpAnswer::Nobody;
}

}  // namespace elbowroom::api

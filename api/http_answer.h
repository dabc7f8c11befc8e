// Whether anybody answers over plain HTTP at an address. The one thing to know: only the first line
// of the answer is read, so nobody can make us wait or hold more than that.
#pragma once

#include <chrono>
#include <string>

namespace elbowroom::api {

// The status of the answer to GET `url` (http://...), 0 for none: nobody there, no answer within
// `within`, or one that is not HTTP. Blocks; never goes through a proxy.
[[nodiscard]] int http_answer(const std::string& url, std::chrono::milliseconds within);

}  // namespace elbowroom::api

// Whether a server answers plain HTTP at an address. Reads only the first line of the answer, so a
// server cannot make us wait or store more than that.
#pragma once

#include <chrono>
#include <string>

namespace elbowroom::api {

enum class HttpAnswer {
  Nobody,    // no listener, or one that does not speak HTTP
  Silent,    // the connection is accepted, or never refused, and nothing arrives in time
  Answered,  // HTTP, whatever the status
};

// The answer to GET `url` (http://...) within `within`. Blocks; never uses a proxy.
[[nodiscard]] HttpAnswer http_answer(const std::string& url, std::chrono::milliseconds within);

}  // namespace elbowroom::api

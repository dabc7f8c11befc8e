// Whether anybody answers over plain HTTP at an address. Only the first line of the answer is read,
// so nobody can make us wait or hold more than that.
#pragma once

#include <chrono>
#include <string>

namespace elbowroom::api {

enum class HttpAnswer {
  Nobody,    // nobody listens there, or somebody who speaks no HTTP
  Silent,    // a connection is taken, or never refused, and nothing comes in time
  Answered,  // HTTP, whatever the status
};

// What GET `url` (http://...) meets within `within`. Blocks; never goes through a proxy.
[[nodiscard]] HttpAnswer http_answer(const std::string& url, std::chrono::milliseconds within);

}  // namespace elbowroom::api

// How often an agent removes pods, by nothing but its requests that reach the API server.
#pragma once

#include <chrono>
#include <map>
#include <string>

#include "api/transport/http.h"

namespace elbowroom::test {

class RemovalRate {
 public:
  // What is wrong with that request, `at` so long since the beginning; "": nothing. At most ten
  // pods go in any ten minutes, over all processes.
  [[nodiscard]] std::string asked(const api::Request& request, std::chrono::milliseconds at);

  // The agent's own count is lost: as many may go once more.
  void begin_again() { first_asked_.clear(); }

 private:
  std::map<std::string, std::chrono::milliseconds> first_asked_{};  // by uid
};

}  // namespace elbowroom::test

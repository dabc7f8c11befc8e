// One HTTP/1.1 request as a webhook gets it: a head, and a body whose length the head says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace elbowroom::daemon {

inline constexpr std::size_t kMostHeadBytes = std::size_t{16} << 10;

struct HttpHead {
  std::string method{};
  std::string path{};  // without the query
  std::size_t body = 0;
  bool closes = false;   // after the response
  bool expects = false;  // a 100 before it sends the body
  // 400, 411, 413, 431 or 505 and why, where it cannot be answered otherwise; 0: it can.
  int refused = 0;
  std::string_view why{};
};

// Reads a whole head, which ends with its empty line. A body of more than `most_body` is refused.
[[nodiscard]] HttpHead parse_head(std::string_view head, std::size_t most_body);

// "HTTP/1.1 STATUS ..." with the body.
[[nodiscard]] std::string http_response(int status, std::string_view type, std::string_view body,
                                        bool closes);

}  // namespace elbowroom::daemon

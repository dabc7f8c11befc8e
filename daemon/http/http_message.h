// HTTP/1.1 as bytes: the head of a request is read, and a whole response is written. Both of a
// daemon's servers use it; nothing here waits for a client.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/http/endpoints.h"

namespace elbowroom::daemon {

struct HttpHead {
  std::string method{};
  std::string path{};                // without the query; both are encoded still
  std::string query{};               // without its question mark
  std::vector<std::string> hosts{};  // of each Host header
  std::size_t body = 0;
  bool closes = false;   // after the response
  bool expects = false;  // a 100 before it sends the body
  // 400, 411, 413, 431 or 505 and why, where it cannot be answered otherwise; 0: it can.
  int refused = 0;
  std::string_view why{};
};

// Reads a whole head, which ends with its empty line. A body of more than `most_body` is refused.
// Without `most_body` the connection ends after the response: what the head says of a body is of no
// use, and HTTP/1.0 is enough.
[[nodiscard]] HttpHead parse_head(std::string_view head, std::optional<std::size_t> most_body);

// "HTTP/1.1 STATUS ..." with the reply's body, which the response to HEAD lacks. The reply's type
// and headers are ours: nothing in them comes from a client.
[[nodiscard]] std::string http_response(const Reply& reply, bool closes, bool is_of_head = false);

}  // namespace elbowroom::daemon

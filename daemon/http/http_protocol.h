// One HTTP exchange as bytes: the head of a request in, the whole response out. Nothing here waits
// for a client; http_server.cpp limits the time of a client.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "daemon/http/endpoints.h"
#include "daemon/http/http_message.h"

namespace elbowroom::daemon {

class HttpProtocol {
 public:
  // `only_host`: the name we listen on, if requests for other hosts are refused
  // (daemon/http/host_header.h); nothing if any Host is accepted.
  HttpProtocol(Endpoints endpoints, std::optional<std::string> only_host)
      : endpoints_(std::move(endpoints)), only_host_(std::move(only_host)) {}

  // Returns a response for any head, which includes its empty line. Any thread may call it, also
  // concurrently. Takes as long as the endpoint's callback. `over_loopback`: the client is on this
  // machine.
  [[nodiscard]] std::string respond(std::string_view head, bool over_loopback) const;

  // Returns the response to a head that exceeds the limit: 414 or 431.
  [[nodiscard]] static std::string too_long(std::string_view beginning);
  // Returns 503, which asks the client to retry.
  [[nodiscard]] static std::string too_busy();

 private:
  [[nodiscard]] bool is_for_us(const HttpHead& head) const;
  [[nodiscard]] Reply reply_to(const HttpHead& head, bool over_loopback) const;

  const Endpoints endpoints_;
  const std::optional<std::string> only_host_;
};

// Returns the end of the head, after its empty line; npos: not complete yet. `from`: the bytes
// already examined.
[[nodiscard]] std::size_t head_end(std::string_view bytes, std::size_t from);

// True if the head asks for /livez, which is answered without a question to the reactor.
[[nodiscard]] bool asks_for_life(std::string_view head);

}  // namespace elbowroom::daemon

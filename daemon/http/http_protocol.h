// One HTTP exchange as bytes: the head of a request in, the whole response out. Nothing here waits
// for a client; http_server.cpp limits the time of a client.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/http/endpoints.h"

namespace elbowroom::daemon {

class HttpProtocol {
 public:
  // `only_host`: the name we listen on, if requests for other hosts are refused
  // (daemon/http/host_header.h); nothing if any Host is accepted.
  HttpProtocol(Endpoints endpoints, std::optional<std::string> only_host);
  HttpProtocol(const HttpProtocol&) = delete;
  HttpProtocol& operator=(const HttpProtocol&) = delete;
  ~HttpProtocol();

  // Returns a response for any head, which includes its empty line. Any thread may call it, also
  // concurrently. Takes as long as the endpoint's callback. `over_loopback`: the client is on this
  // machine.
  [[nodiscard]] std::string respond(std::string_view head, bool over_loopback) const;

  // Returns the response to a head that exceeds the limit: 414 or 431.
  [[nodiscard]] static std::string too_long(std::string_view beginning);
  // Returns 503, which asks the client to retry.
  [[nodiscard]] static std::string too_busy();

 private:
  class Server;
  const std::unique_ptr<Server> server_;
};

// Returns the end of the head, after its empty line; npos: not complete yet. `from`: the bytes
// already examined.
[[nodiscard]] std::size_t head_end(std::string_view bytes, std::size_t from);

// True if the head asks for /livez, which is answered without a question to the reactor.
[[nodiscard]] bool asks_for_life(std::string_view head);

}  // namespace elbowroom::daemon

// One HTTP exchange as bytes: the head of a request in, the whole response out. Nothing here waits
// for a client; what a client may take is http_server.cpp's matter.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/http/endpoints.h"

namespace elbowroom::daemon {

class HttpProtocol {
 public:
  // `only_host`: the name we listen on where requests for other hosts are refused
  // (daemon/http/host_header.h); nothing where every Host will do.
  HttpProtocol(Endpoints endpoints, std::optional<std::string> only_host);
  HttpProtocol(const HttpProtocol&) = delete;
  HttpProtocol& operator=(const HttpProtocol&) = delete;
  ~HttpProtocol();

  // A head up to and with its empty line; whatever it holds, this is a response. Any thread, also
  // several at once. Takes as long as the endpoint's callback.
  [[nodiscard]] std::string respond(std::string_view head) const;

  // The response where the head is longer than we read: 414 or 431.
  [[nodiscard]] static std::string too_long(std::string_view beginning);
  // 503, to be asked again.
  [[nodiscard]] static std::string too_busy();

 private:
  class Server;
  const std::unique_ptr<Server> server_;
};

// Where the head ends, behind its empty line; npos: not yet. `from`: what was looked at before.
[[nodiscard]] std::size_t head_end(std::string_view bytes, std::size_t from);

// Whether the head asks for /livez, which is answered without asking anybody.
[[nodiscard]] bool asks_for_life(std::string_view head);

}  // namespace elbowroom::daemon

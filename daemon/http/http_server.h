// The HTTP server of a daemon: one request per connection, GET and HEAD only. One thread serves all
// connections and blocks on none, so a slow client delays no other. A request has 5 s and 4 KiB, a
// response 10 s. If there are too many connections, the one that has been idle longest is closed.
#pragma once

#include <memory>

#include "base/result.h"
#include "daemon/http/address.h"
#include "daemon/http/endpoints.h"
#include "daemon/http/http_connections.h"

namespace elbowroom::daemon {

class HttpServer {
 public:
  using Limits = HttpConnections::Limits;

  // Listens and answers from now on. Fails as listen_on (daemon/http/listener.h). Everything that
  // the callbacks use must outlive the server. On loopback, only requests with our Host are
  // answered (daemon/http/host_header.h). A second thread calls the callbacks, except `live`.
  [[nodiscard]] static Result<std::unique_ptr<HttpServer>> start(const Address& address,
                                                                 Endpoints endpoints,
                                                                 const Limits& limits = {});
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  // Ends open requests and returns when no callback runs any more.
  ~HttpServer();

  // Returns the address with its actual port.
  [[nodiscard]] const Address& address() const;

 private:
  struct Running;
  explicit HttpServer(std::unique_ptr<Running> running);
  std::unique_ptr<Running> running_;
};

}  // namespace elbowroom::daemon

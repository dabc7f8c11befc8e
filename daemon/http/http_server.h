// The HTTP server of a daemon: one request per connection, GET and HEAD only. One thread has all
// connections and waits for none of them, so those who speak or listen slowly hold nobody up: a
// request has 5 s and 4 KiB, an answer 10 s, and where there are too many the one that has been
// idle for longest goes.
#pragma once

#include <memory>

#include "base/result.h"
#include "daemon/http/address.h"
#include "daemon/http/endpoints.h"

namespace elbowroom::daemon {

class HttpServer {
 public:
  // Listens and answers from now on. Errors as listen_on (daemon/http/listener.h). What the
  // callbacks use outlives the server. On loopback only requests whose Host is ours are answered
  // (daemon/http/host_header.h). A second thread calls the callbacks, but for `live`.
  [[nodiscard]] static Result<std::unique_ptr<HttpServer>> start(const Address& address,
                                                                 Endpoints endpoints);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  // Ends what is under way and returns when no callback runs any more.
  ~HttpServer();

  // With the real port.
  [[nodiscard]] const Address& address() const;

 private:
  struct Running;
  explicit HttpServer(std::unique_ptr<Running> running);
  std::unique_ptr<Running> running_;
};

}  // namespace elbowroom::daemon

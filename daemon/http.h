// The HTTP server of a daemon: two threads, one request per connection, GET and HEAD only. The one
// thing to know: a request has 5 s and 4 KiB, and an answer 10 s, however slowly the other side
// speaks, so nobody holds a thread for longer.
#pragma once

#include <memory>

#include "base/result.h"
#include "daemon/address.h"
#include "daemon/endpoints.h"

namespace elbowroom::daemon {

class HttpServer {
 public:
  // Listens and answers from now on. Errors as listen_on (daemon/listener.h). What the callbacks
  // use outlives the server.
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

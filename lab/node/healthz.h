// Answers /healthz with "ok", as a running kubelet does. It reports nothing else; it lets other
// programs detect that a kubelet runs here.
#pragma once

#include <memory>
#include <thread>

#include "base/result.h"
#include "daemon/http/address.h"

namespace httplib {
class Server;
}  // namespace httplib

namespace elbowroom::lab {

class Healthz {
 public:
  // Port 0 picks a free one. Unavailable: the port is taken.
  [[nodiscard]] static Result<std::unique_ptr<Healthz>> start(const daemon::Address& address);
  ~Healthz();
  Healthz(const Healthz&) = delete;
  Healthz& operator=(const Healthz&) = delete;

  [[nodiscard]] const daemon::Address& address() const { return address_; }

 private:
  Healthz(std::unique_ptr<httplib::Server> server, daemon::Address address);

  std::unique_ptr<httplib::Server> server_;
  daemon::Address address_;
  std::jthread thread_;
};

}  // namespace elbowroom::lab

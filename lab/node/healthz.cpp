#include "lab/node/healthz.h"

#include <httplib.h>

#include <utility>

namespace elbowroom::lab {

Result<std::unique_ptr<Healthz>> Healthz::start(const daemon::Address& address) {
  auto server = std::make_unique<httplib::Server>();
  server->new_task_queue = [] { return new httplib::ThreadPool(1); };
  server->set_keep_alive_max_count(1);
  server->Get("/healthz", [](const httplib::Request&, httplib::Response& response) {
    response.set_content("ok", "text/plain; charset=utf-8");
  });
  daemon::Address real = address;
  if (address.port == 0) {
    const int port = server->bind_to_any_port(address.host);
    if (port > 0) real.port = static_cast<std::uint16_t>(port);
  } else if (!server->bind_to_port(address.host, address.port)) {
    real.port = 0;
  }
  if (real.port == 0) {
    return failure(Code::Unavailable, "serve /healthz at " + daemon::to_string(address) +
                                          ": the address cannot be had: give another one");
  }
  return std::unique_ptr<Healthz>(new Healthz(std::move(server), std::move(real)));
}

Healthz::Healthz(std::unique_ptr<httplib::Server> server, daemon::Address address)
    : server_(std::move(server)), address_(std::move(address)) {
  thread_ = std::jthread([this]() noexcept { server_->listen_after_bind(); });
  // otherwise stop() finds no server to stop
  while (!server_->is_running()) std::this_thread::yield();
}

Healthz::~Healthz() { server_->stop(); }

}  // namespace elbowroom::lab

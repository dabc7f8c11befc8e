// An HTTP server on loopback for one test, and a loop that runs a transport until a condition
// holds. Destroy the transport first, or the server waits for its connections.
#pragma once

#include <httplib.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "api/transport/curl_transport.h"

namespace elbowroom::api {

class Loopback {
 public:
  explicit Loopback(const std::function<void(httplib::Server&)>& routes)
      : Loopback(std::make_unique<httplib::Server>(), "http", routes) {}
  Loopback(std::unique_ptr<httplib::Server> server, std::string scheme,
           const std::function<void(httplib::Server&)>& routes)
      : scheme_(std::move(scheme)), server_(std::move(server)) {
    server_->set_keep_alive_timeout(1);
    server_->set_keep_alive_max_count(1000);
    routes(*server_);
    port_ = static_cast<std::uint16_t>(server_->bind_to_any_port("127.0.0.1"));
    thread_ = std::jthread([this] { server_->listen_after_bind(); });
    while (!server_->is_running()) std::this_thread::yield();  // stop() does nothing before
  }
  ~Loopback() { server_->stop(); }

  [[nodiscard]] Access access() const {
    Access access;
    access.server = {scheme_, "127.0.0.1", port_, ""};
    return access;
  }
  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  std::string scheme_;
  std::unique_ptr<httplib::Server> server_;
  std::uint16_t port_ = 0;
  std::jthread thread_;
};

// Turns the transport until `done` says so; false after 20 s.
inline bool run_until(Transport& transport, const std::function<bool()>& done) {
  const auto deadline = Clock::now() + std::chrono::seconds(20);
  while (!done()) {
    if (Clock::now() > deadline) return false;
    transport.run_once(std::chrono::milliseconds(50));
  }
  return true;
}

}  // namespace elbowroom::api

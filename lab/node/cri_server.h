// The fake runtime behind real CRI v1 gRPC on a unix socket. One mutex in here guards the fake
// runtime; other threads access it through with_runtime().
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "base/result.h"
#include "lab/node/fake_runtime.h"

namespace grpc {
class Server;
}

namespace elbowroom::lab {

class CriServer {
 public:
  // `runtime` must outlive the server.
  CriServer(FakeCriRuntime& runtime, std::string socket_path);
  ~CriServer();  // stops
  CriServer(const CriServer&) = delete;
  CriServer& operator=(const CriServer&) = delete;

  // Unavailable: the socket cannot be created (its path must be shorter than 108 bytes). An
  // existing socket file is replaced.
  [[nodiscard]] Result<void> start();
  // Ends calls in progress. The runtime keeps its containers: calling start() again is a runtime
  // restart.
  void stop();

  // "unix:///DIR/NODE.sock".
  [[nodiscard]] std::string endpoint() const { return "unix://" + path_; }

  // Runs f(FakeCriRuntime&) while no call is being served.
  template <class F>
  auto with_runtime(F&& f) {
    const std::lock_guard lock(mutex_);
    touch_clock();
    return std::forward<F>(f)(runtime_);
  }

  // Removes all faults and releases the calls that hang.
  void clear_faults();

 private:
  class Service;

  void touch_clock();

  FakeCriRuntime& runtime_;
  std::string path_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<grpc::Server> server_;

  std::mutex mutex_;  // guards the runtime and the members below
  std::condition_variable changed_;
  bool stopping_ = false;
  std::uint64_t fault_epoch_ = 0;
};

}  // namespace elbowroom::lab

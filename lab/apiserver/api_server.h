// The HTTP API of a lab cluster, on loopback. One mutex in here guards the world; while the server
// runs, other threads access the world through with_world().
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "lab/apiserver/api_service.h"
#include "lab/controllers/controllers.h"
#include "lab/node/fault.h"
#include "lab/world/pod_group_protection.h"
#include "lab/world/world.h"

namespace httplib {
struct Request;
struct Response;
class DataSink;
class Server;
}  // namespace httplib

namespace elbowroom::lab {

struct ApiServerOptions {
  int port = 0;                 // 0: any free port
  std::size_t threads = 64;     // each open watch and each kept connection holds one
  bool protects_groups = true;  // false: deleted pod groups wait for a controller-manager
  bool controllers = false;     // those of lab/controllers act after every request
  std::chrono::milliseconds bookmark_interval{60'000};
  // How often a watch without news looks whether its client is still there.
  std::chrono::milliseconds peer_check{250};
  // Wall time for timestamps and the Date header; any thread may call it. Empty: the system's
  // clock.
  std::function<policy::Time()> clock{};
};

// A request as received, for tests that check what a client sent.
struct RequestRecord {
  std::string method{};
  std::string target{};  // path and query
  std::string body{};    // its first 4096 bytes
  int code = 0;          // 0: not answered
  std::string user_agent{};

  friend bool operator==(const RequestRecord&, const RequestRecord&) = default;
};

class ApiServer {
 public:
  // `world` must outlive the server. Another server may serve it afterwards.
  ApiServer(World& world, ApiServerOptions options);
  ~ApiServer();  // stops
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;

  // Unavailable: the port is taken.
  [[nodiscard]] Result<void> start();
  // Ends all watches and requests. Safe to call again.
  void stop();

  [[nodiscard]] int port() const { return port_; }
  // "http://127.0.0.1:PORT".
  [[nodiscard]] std::string url() const;
  // A kubeconfig for this server, as YAML.
  [[nodiscard]] std::string kubeconfig() const;

  // Runs f(World&) with exclusive access to the world; watches then send what it changed.
  template <class F>
  auto with_world(F&& f) {
    const Turn turn(*this);
    return std::forward<F>(f)(world_);
  }

  void inject(Fault fault);
  // Removes all faults and releases the requests that hang.
  void clear_faults();
  // Ends every open watch, as a restarting server does.
  void close_watches();

  // The last 4096 requests, oldest first.
  [[nodiscard]] std::vector<RequestRecord> requests() const;

 private:
  struct OpenWatch;

  // Exclusive access to the world for as long as it lives. Its destructor releases pod groups that
  // are no longer in use, lets the controllers act, and wakes only the watches that have something
  // to send: with dozens of watches, each write would otherwise wake dozens of threads.
  class Turn {
   public:
    explicit Turn(ApiServer& server);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    ApiServer& server_;
    std::unique_lock<std::mutex> lock_;
  };

  void serve(const httplib::Request& request, httplib::Response& response);
  [[nodiscard]] bool meet_fault(const httplib::Request& request, httplib::Response& response,
                                bool& lose_reply);
  [[nodiscard]] ApiReply answer(const httplib::Request& request, const ApiRequest& asked,
                                bool lose_reply);
  void start_watch(const ApiRequest& request, httplib::Response& response);
  [[nodiscard]] bool continue_watch(OpenWatch& open, httplib::DataSink& sink);
  void wake_all();
  void record(const httplib::Request& request, int code);
  void record_locked(const httplib::Request& request, int code);

  World& world_;
  ApiServerOptions options_;
  ApiService service_;
  PodGroupProtection protection_{world_};
  Controllers controllers_{world_};
  std::function<policy::Time()> clock_;
  std::unique_ptr<httplib::Server> http_;
  int port_ = 0;
  std::thread thread_;
  std::atomic<bool> ended_{false};      // the library's loop has returned
  std::atomic<bool> is_faulty_{false};  // there are faults; without one no request takes the lock

  mutable std::mutex mutex_;               // guards the world and everything below
  std::condition_variable fault_cleared_;  // wakes hanging requests
  std::vector<std::shared_ptr<OpenWatch>> watches_;
  bool stopping_ = false;
  std::uint64_t watch_epoch_ = 0;  // watches with an older epoch end
  std::uint64_t fault_epoch_ = 0;  // hanging requests with an older epoch continue
  std::vector<Fault> faults_;
  std::deque<RequestRecord> requests_;
};

}  // namespace elbowroom::lab

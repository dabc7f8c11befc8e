// A client of a container runtime (CRI v1) over a unix socket. Every call blocks its thread until
// the answer or the deadline, whichever comes first. It reconnects by itself when a runtime comes
// back.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cri/call_outcome.h"
#include "cri/pending_stop.h"
#include "cri/types.h"

namespace elbowroom::cri {

inline constexpr std::chrono::milliseconds kCallDeadline{2000};

// Bounds on a runtime's answers. A list beyond them is refused as a whole (Exhausted): with half a
// list, containers would appear to be gone.
struct ClientLimits {
  std::size_t message_bytes = std::size_t{16} << 20;
  std::size_t list_entries = 20'000;
  std::size_t text_bytes = 1024;  // of ids, names, reasons and messages; longer texts are cut
};

// Errors of all calls: NotFound (no such sandbox or container), Unavailable (no listener, the
// runtime ended, or the deadline passed: the request may still have been carried out), Exhausted
// (an answer beyond the limits), Denied (no permission to use the socket), Invalid (the runtime
// refused; the message has its words), Internal (the runtime does not know the call, or failed in a
// way that has no remedy here). Messages name the call's object and are one printable line.
// Thread-safe.
class Client {
 public:
  // The socket path in `endpoint`, whether or not the socket exists: "unix:///run/x.sock",
  // "unix:/run/x.sock" or "/run/x.sock"; Invalid otherwise. A view into `endpoint`.
  [[nodiscard]] static Result<std::string_view> socket_path(std::string_view endpoint);

  // Fails like socket_path(). Does not connect yet: an absent runtime is an error of the first
  // call.
  [[nodiscard]] static Result<std::unique_ptr<Client>> open(std::string_view endpoint,
                                                            const ClientLimits& limits = {});
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // When stop is requested, every call in flight ends (Unavailable), and later calls end at once.
  // Call it once, before the first call.
  void end_with(std::stop_token stop);

  // Sets a callback for every call that ended and was waited for, run on the caller's thread; for
  // metrics. Call it once, before the first call.
  void tell(std::function<void(const CallOutcome&)> called);

  [[nodiscard]] Result<RuntimeVersion> version(std::chrono::milliseconds deadline = kCallDeadline);
  [[nodiscard]] Result<RuntimeReadiness> status(std::chrono::milliseconds deadline = kCallDeadline);
  // The cgroup driver of the runtime. Internal if the runtime cannot report it (containerd before
  // 2.0).
  [[nodiscard]] Result<CgroupDriver> cgroup_driver(
      std::chrono::milliseconds deadline = kCallDeadline);

  [[nodiscard]] Result<std::vector<Sandbox>> list_sandboxes(
      std::chrono::milliseconds deadline = kCallDeadline);
  [[nodiscard]] Result<Sandbox> sandbox_status(const std::string& id,
                                               std::chrono::milliseconds deadline = kCallDeadline);
  // Returns the sandbox's id. Starting a sandbox takes long: use a longer deadline.
  [[nodiscard]] Result<std::string> run_sandbox(const SandboxSpec& spec,
                                                std::chrono::milliseconds deadline);
  // Both are idempotent: for the runtime, a sandbox that is gone is not an error.
  [[nodiscard]] Result<void> stop_sandbox(const std::string& id,
                                          std::chrono::milliseconds deadline);
  [[nodiscard]] Result<void> remove_sandbox(const std::string& id,
                                            std::chrono::milliseconds deadline);
  // Reports a pod's new size to the runtime, after its cgroup has it. A runtime that does not know
  // the call returns Internal; upstream ignores any failure here.
  [[nodiscard]] Result<void> update_sandbox(const std::string& id, const RuntimeResources& size,
                                            std::chrono::milliseconds deadline = kCallDeadline);

  [[nodiscard]] Result<std::vector<RuntimeContainer>> list_containers(
      std::chrono::milliseconds deadline = kCallDeadline);
  [[nodiscard]] Result<RuntimeContainer> container_status(
      const std::string& id, std::chrono::milliseconds deadline = kCallDeadline);
  // Returns the container's id. `sandbox` is the spec that the sandbox was run with.
  [[nodiscard]] Result<std::string> create_container(const std::string& sandbox_id,
                                                     const SandboxSpec& sandbox,
                                                     const ContainerSpec& spec,
                                                     std::chrono::milliseconds deadline);
  [[nodiscard]] Result<void> start_container(const std::string& id,
                                             std::chrono::milliseconds deadline);
  // Asks the container to end, and kills it after `grace`. The deadline must be longer than
  // `grace`.
  [[nodiscard]] Result<void> stop_container(const std::string& id, std::chrono::seconds grace,
                                            std::chrono::milliseconds deadline);
  // The same without waiting. The client must outlive the returned PendingStop.
  [[nodiscard]] PendingStop begin_stop_container(const std::string& id, std::chrono::seconds grace,
                                                 std::chrono::milliseconds deadline);
  [[nodiscard]] Result<void> remove_container(const std::string& id,
                                              std::chrono::milliseconds deadline);
  // Idempotent. An error does not mean that nothing changed: read back.
  [[nodiscard]] Result<void> update_container(const std::string& id, const RuntimeResources& size,
                                              std::chrono::milliseconds deadline = kCallDeadline);

 private:
  friend class PendingStop;
  struct Channel;
  explicit Client(std::unique_ptr<Channel> channel);
  std::unique_ptr<Channel> channel_;
};

}  // namespace elbowroom::cri

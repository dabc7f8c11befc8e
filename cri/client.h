// A client of a container runtime (CRI v1) over a unix socket. Every call blocks its thread until
// the answer or the deadline, whichever comes first, and a runtime that comes back is found again
// by itself; nobody reconnects.
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

// Bounds on what a runtime may answer. A list beyond them is refused whole (Exhausted): half a list
// would look like containers that are gone.
struct ClientLimits {
  std::size_t message_bytes = std::size_t{16} << 20;
  std::size_t list_entries = 20'000;
  std::size_t text_bytes = 1024;  // of ids, names, reasons and messages; longer ones are cut
};

// Errors of all calls: NotFound (no such sandbox or container), Unavailable (nobody listens, the
// runtime went away, or the deadline passed: what was asked may have been done all the same),
// Exhausted (an answer beyond the limits), Denied (no right to use the socket), Invalid (the
// runtime refused, in its words), Internal (it does not know the call, or failed in a way that has
// no remedy here). Messages name the call's object, are one line and printable. Calls may be made
// from several threads.
class Client {
 public:
  // The path of the socket that `endpoint` names, whatever is there: "unix:///run/x.sock",
  // "unix:/run/x.sock" or "/run/x.sock"; Invalid otherwise. A part of `endpoint`.
  [[nodiscard]] static Result<std::string_view> socket_path(std::string_view endpoint);

  // Errors: of socket_path().
  // Nothing is connected yet: an absent runtime is an error of the first call.
  [[nodiscard]] static Result<std::unique_ptr<Client>> open(std::string_view endpoint,
                                                            const ClientLimits& limits = {});
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // When stop is requested every call under way ends (Unavailable), and later ones at once. Before
  // the first call, once.
  void end_with(std::stop_token stop);

  // Told of every call that ended and was waited for, by its thread; for metrics. Before the first
  // call, once.
  void tell(std::function<void(const CallOutcome&)> called);

  [[nodiscard]] Result<RuntimeVersion> version(std::chrono::milliseconds deadline = kCallDeadline);
  [[nodiscard]] Result<RuntimeReadiness> status(std::chrono::milliseconds deadline = kCallDeadline);
  // The cgroup driver the runtime uses. Internal where it cannot tell (containerd before 2.0).
  [[nodiscard]] Result<CgroupDriver> cgroup_driver(
      std::chrono::milliseconds deadline = kCallDeadline);

  [[nodiscard]] Result<std::vector<Sandbox>> list_sandboxes(
      std::chrono::milliseconds deadline = kCallDeadline);
  [[nodiscard]] Result<Sandbox> sandbox_status(const std::string& id,
                                               std::chrono::milliseconds deadline = kCallDeadline);
  // The sandbox's id. Starting one takes long: give it a deadline of its own.
  [[nodiscard]] Result<std::string> run_sandbox(const SandboxSpec& spec,
                                                std::chrono::milliseconds deadline);
  // Both may be repeated: a sandbox that is gone is no error to the runtime.
  [[nodiscard]] Result<void> stop_sandbox(const std::string& id,
                                          std::chrono::milliseconds deadline);
  [[nodiscard]] Result<void> remove_sandbox(const std::string& id,
                                            std::chrono::milliseconds deadline);
  // Tells the runtime of a pod's size, after its cgroup has it. A runtime that does not know the
  // call answers Internal; upstream ignores any failure here.
  [[nodiscard]] Result<void> update_sandbox(const std::string& id, const RuntimeResources& size,
                                            std::chrono::milliseconds deadline = kCallDeadline);

  [[nodiscard]] Result<std::vector<RuntimeContainer>> list_containers(
      std::chrono::milliseconds deadline = kCallDeadline);
  [[nodiscard]] Result<RuntimeContainer> container_status(
      const std::string& id, std::chrono::milliseconds deadline = kCallDeadline);
  // The container's id. `sandbox` is the spec that the sandbox was run with.
  [[nodiscard]] Result<std::string> create_container(const std::string& sandbox_id,
                                                     const SandboxSpec& sandbox,
                                                     const ContainerSpec& spec,
                                                     std::chrono::milliseconds deadline);
  [[nodiscard]] Result<void> start_container(const std::string& id,
                                             std::chrono::milliseconds deadline);
  // Asks it to end, and kills it after `grace`; the deadline must leave room for that.
  [[nodiscard]] Result<void> stop_container(const std::string& id, std::chrono::seconds grace,
                                            std::chrono::milliseconds deadline);
  // The same without waiting for it. The client must outlive what is returned.
  [[nodiscard]] PendingStop begin_stop_container(const std::string& id, std::chrono::seconds grace,
                                                 std::chrono::milliseconds deadline);
  [[nodiscard]] Result<void> remove_container(const std::string& id,
                                              std::chrono::milliseconds deadline);
  // May be repeated. An error does not mean that nothing happened: read back.
  [[nodiscard]] Result<void> update_container(const std::string& id, const RuntimeResources& size,
                                              std::chrono::milliseconds deadline = kCallDeadline);

 private:
  friend class PendingStop;
  struct Channel;
  explicit Client(std::unique_ptr<Channel> channel);
  std::unique_ptr<Channel> channel_;
};

}  // namespace elbowroom::cri

// A container runtime that runs nothing: sandboxes and containers as values, their sizes in a fake
// cgroup tree, every call recorded. It refuses what containerd and runc refuse (runtime_rules.h),
// so a caller with a wrong order of calls fails here as it would there.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cri/types.h"
#include "lab/node/fake_cgroups.h"

namespace elbowroom::lab {

// The annotation of a container that ends with exit code 0 as soon as it starts.
inline constexpr std::string_view kEndsAtOnce = "lab.elbowroom.dev/ends-at-once";

struct FakeSandbox {
  std::string id{};
  cri::SandboxSpec spec{};  // labels, including the owner's
  cri::SandboxState state = cri::SandboxState::Ready;
  std::int64_t created_at_ns = 0;

  friend bool operator==(const FakeSandbox&, const FakeSandbox&) = default;
};

struct FakeContainer {
  std::string id{};
  std::string sandbox_id{};
  cri::ContainerSpec spec{};
  cri::ContainerState state = cri::ContainerState::Created;
  cri::RuntimeResources stored{};  // what ContainerStatus returns
  std::int64_t memory_use_bytes = 0;
  std::int64_t created_at_ns = 0;
  std::int64_t started_at_ns = 0;
  std::int64_t finished_at_ns = 0;
  std::int32_t exit_code = 0;
  std::string reason{};

  friend bool operator==(const FakeContainer&, const FakeContainer&) = default;
};

// A call that changes something, as received. `outcome` is "" when it was answered with OK.
struct RuntimeCall {
  std::uint64_t sequence = 0;  // 1, 2, ... over all calls
  std::string method{};        // "UpdateContainerResources"
  std::string object{};        // the sandbox's or container's id
  std::string name{};          // "NAMESPACE/POD" or "NAMESPACE/POD/CONTAINER"
  cri::RuntimeResources size{};
  std::string outcome{};

  friend bool operator==(const RuntimeCall&, const RuntimeCall&) = default;
};

struct FakeRuntimeFault {
  enum class Kind {
    Refuse,        // returns an error, and does nothing
    ApplyAndFail,  // done, but returns an error
    Pretend,       // returns OK, and does nothing
    Hang,          // does not return until the faults are cleared (the server in front waits)
  };
  Kind kind = Kind::Refuse;
  std::string method{};     // "UpdateContainerResources"; "" for any
  std::string container{};  // a container's name; "" for any
  std::string message = "a fault of the lab";
  int times = 1;

  friend bool operator==(const FakeRuntimeFault&, const FakeRuntimeFault&) = default;
};

// Errors: NotFound (no such id), Invalid (refused, in runc's words), Unavailable (the cgroup tree
// cannot be written).
class FakeCriRuntime {
 public:
  explicit FakeCriRuntime(FakeCgroups cgroups) : cgroups_(std::move(cgroups)) {}

  void set_time(std::int64_t now_ns) { now_ns_ = now_ns; }

  [[nodiscard]] Result<std::string> run_sandbox(const cri::SandboxSpec& spec);
  [[nodiscard]] Result<void> stop_sandbox(const std::string& id);  // also ends its containers
  [[nodiscard]] Result<void> remove_sandbox(const std::string& id);
  [[nodiscard]] Result<std::string> create_container(const std::string& sandbox_id,
                                                     const cri::ContainerSpec& spec);
  [[nodiscard]] Result<void> start_container(const std::string& id);
  // Ends it at once, as if it had stopped on request (exit code 0) or been killed (137).
  [[nodiscard]] Result<void> stop_container(const std::string& id, bool killed);
  [[nodiscard]] Result<void> remove_container(const std::string& id);
  [[nodiscard]] Result<void> update_container(const std::string& id,
                                              const cri::RuntimeResources& size);

  // How long the container takes to stop after a stop request, from its annotation
  // lab.elbowroom.dev/terminates-after ("5s", "250ms"); 0 if it has none.
  [[nodiscard]] std::int64_t terminates_after_ms(const std::string& id) const;

  // Changes without a call: a container exits, memory is used.
  [[nodiscard]] Result<void> exit_container(const std::string& id, std::int32_t exit_code);
  [[nodiscard]] Result<void> use_memory(const std::string& id, std::int64_t bytes,
                                        std::int64_t inactive_file = 0);

  [[nodiscard]] const std::map<std::string, FakeSandbox>& sandboxes() const { return sandboxes_; }
  [[nodiscard]] const std::map<std::string, FakeContainer>& containers() const {
    return containers_;
  }
  // The latest attempt of the container of that name in that pod ("NAMESPACE/NAME"), or nullptr.
  [[nodiscard]] const FakeContainer* find(std::string_view pod, std::string_view name) const;
  // The group that holds the container's figures.
  [[nodiscard]] std::string cgroup_of(const FakeContainer& container) const;
  [[nodiscard]] const FakeCgroups& cgroups() const { return cgroups_; }

  [[nodiscard]] const std::vector<RuntimeCall>& calls() const { return calls_; }

  void inject(FakeRuntimeFault fault) { faults_.push_back(std::move(fault)); }
  void clear_faults() { faults_.clear(); }
  // True when a Hang applies to that call; this uses it up. For the server in front.
  [[nodiscard]] bool is_hanging(std::string_view method, const std::string& id);

 private:
  [[nodiscard]] std::optional<FakeRuntimeFault> take_fault(std::string_view method,
                                                           const std::string& id, bool hangs);
  [[nodiscard]] std::string next_id();
  [[nodiscard]] std::string name_of(const std::string& id) const;
  // Records the call and lets the faults decide whether `change` happens.
  template <class Change>
  [[nodiscard]] Result<void> call(std::string_view method, const std::string& id,
                                  const cri::RuntimeResources& size, Change change);
  [[nodiscard]] Result<void> refuse_size(const FakeContainer& container,
                                         const cri::RuntimeResources& size) const;
  void write_size(const FakeContainer& container) const;
  void end(FakeContainer& container, std::int32_t exit_code);

  FakeCgroups cgroups_;
  std::int64_t now_ns_ = 0;
  std::uint64_t ids_ = 0;
  std::map<std::string, FakeSandbox> sandboxes_;     // by id
  std::map<std::string, FakeContainer> containers_;  // by id
  std::vector<RuntimeCall> calls_;
  std::vector<FakeRuntimeFault> faults_;
};

}  // namespace elbowroom::lab

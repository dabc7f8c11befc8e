// The agent's runtime thread: it polls what runs, performs steps one at a time, and reports both.
// Reported sizes are read back from runtime and cgroups, never copied from the request. A container
// that takes long to end delays no other step.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>

#include "agent/effect.h"
#include "agent/worker/inbox.h"
#include "base/mailbox.h"
#include "base/result.h"
#include "cri/cgroup.h"
#include "cri/client.h"
#include "cri/pod_cgroup.h"
#include "cri/runtime_view.h"
#include "cri/system_units.h"

namespace elbowroom::agent {

struct RuntimeOptions {
  std::string endpoint{};                     // unix:PATH
  std::string cgroup_root{};                  // /sys/fs/cgroup
  std::optional<cri::CgroupDriver> driver{};  // nullopt: ask the runtime, otherwise cgroupfs
  bool manage_pod_cgroups = true;
  cri::SdBus* bus = &cri::real_sd_bus();  // if systemd creates the pod cgroups
  std::chrono::milliseconds poll_every{1000};
  // For metrics, called by the thread of run(); may be empty.
  std::function<void(const cri::CallOutcome&)> called{};
  std::function<void(std::chrono::nanoseconds worked)> turned{};
};

class RuntimeWorker {
 public:
  // `inbox` must outlive the worker. Invalid: the endpoint or the cgroup root is malformed or
  // missing.
  [[nodiscard]] static Result<std::unique_ptr<RuntimeWorker>> open(RuntimeOptions options,
                                                                   Inbox& inbox);

  // Queues a step; returns false if the queue is full.
  [[nodiscard]] bool perform(Effect effect) { return steps_.try_put(std::move(effect)); }

  // The thread's body: runs until stop is requested. `alive` is called at least every poll
  // interval.
  void run(const std::stop_token& stop, const std::function<void()>& alive);

 private:
  RuntimeWorker(RuntimeOptions options, Inbox& inbox, std::unique_ptr<cri::Client> client,
                cri::Cgroups cgroups);

  void poll(const std::stop_token& stop);
  void lost(const Error& why, const std::stop_token& stop);
  void find_out_about_runtime();
  [[nodiscard]] Result<cri::RuntimeView> look();
  [[nodiscard]] PodReport report_of(const cri::RuntimePod& pod);
  [[nodiscard]] std::optional<cri::RuntimeResources> size_of(const cri::RuntimeContainer& container,
                                                             const cri::CgroupPath* pod_group);
  [[nodiscard]] Result<cri::CgroupPath> pod_group_of(const std::string& uid,
                                                     cri::CgroupDriver driver) const;
  void note_group(const std::string& uid, const Result<cri::CgroupPath>& group);
  [[nodiscard]] Result<void> groups_are_ours() const;
  [[nodiscard]] Result<cri::RuntimeResources> read_pod(const std::string& uid,
                                                       const cri::CgroupPath& group) const;

  // A container that ends, to be restarted with its allocation.
  struct Ending {
    std::string pod{};  // NAMESPACE/NAME, for messages
    cri::PendingStop stop;
  };

  void act(const Effect& effect, const std::stop_token& stop);
  [[nodiscard]] Result<void> begin_restart(EffectId id, const Actuate& actuate,
                                           const policy::RestartContainer& restart);
  void follow_endings(const std::stop_token& stop);
  void report(EffectId id, const std::string& pod,
              Result<std::optional<cri::RuntimeResources>> size, const std::stop_token& stop);
  [[nodiscard]] Result<std::optional<cri::RuntimeResources>> set_pod(const Actuate& actuate,
                                                                     const policy::SetPod& set);
  [[nodiscard]] Result<std::optional<cri::RuntimeResources>> update(
      const Actuate& actuate, const policy::UpdateContainer& update);
  [[nodiscard]] Result<std::string> id_of(const Actuate& actuate, const std::string& name);
  [[nodiscard]] Result<void> check(const Actuate& actuate, const policy::CheckMemory& check);
  [[nodiscard]] Result<cri::CgroupPath> group_of(const Actuate& actuate,
                                                 const std::string& container) const;
  void tell(Seen seen, const std::stop_token& stop);

  // Constant after construction.
  const RuntimeOptions options_;
  Inbox& inbox_;

  std::unique_ptr<cri::Client> client_;
  cri::Cgroups cgroups_;
  cri::SystemUnits units_;
  cri::RuntimePoll poll_;
  Mailbox<Effect> steps_{128};
  std::map<EffectId, Ending> endings_{};

  bool asked_runtime_ = false;
  cri::CgroupDriver driver_ = cri::CgroupDriver::Cgroupfs;
  std::string runtime_name_{"containerd"};

  // Sizes of containers and pods, by id and uid; read again when something may have changed.
  std::map<std::string, cri::RuntimeResources, std::less<>> sizes_{};
  std::map<std::string, cri::RuntimeResources, std::less<>> pod_sizes_{};
  std::map<std::string, std::int64_t, std::less<>> asked_quotas_{};  // of slices, by uid
  // The cgroups that one poll found.
  struct Groups {
    bool has_found = false;
    std::string missing{};             // the uid of a pod without one
    std::optional<Error> forbidden{};  // the error of one that may not be read
  };
  Groups groups_{};
  std::string foreign_driver_{};  // the runtime uses another driver than configured, and the remedy
  int polls_ = 0;
  std::optional<RuntimeSeen> told_{};
  std::string trouble_{};
};

}  // namespace elbowroom::agent

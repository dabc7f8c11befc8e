// The lab's stand-in for a kubelet: a pod runner and, optionally, a resize authority. The authority
// is an agent in authority mode under a kubelet's name, so every decision has one implementation.
// Like a kubelet it restores status fields that others change, leaves other writers' conditions
// alone, and yields to no other program.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/program/wiring.h"
#include "api/transport/access.h"
#include "base/disk.h"
#include "base/result.h"
#include "daemon/http/address.h"
#include "lab/node/healthz.h"
#include "lab/node/pod_runner.h"

namespace elbowroom::lab {

struct KubeletOptions {
  PodRunnerOptions runner{};
  bool resize = false;                       // decides resizes
  std::filesystem::path state_dir{};         // where it stores allocations; with resize
  policy::ManagerPolicies managers{};        // with resize
  std::optional<daemon::Address> healthz{};  // none: not served
};

class Kubelet {
 public:
  // Errors as PodRunner::make, Agent::open and Healthz::start. `disk` must outlive it.
  [[nodiscard]] static Result<std::unique_ptr<Kubelet>> make(const api::Access& access,
                                                             std::string_view runtime_endpoint,
                                                             const KubeletOptions& options,
                                                             const Disk& disk);
  Kubelet(const Kubelet&) = delete;
  Kubelet& operator=(const Kubelet&) = delete;

  // Same as PodRunner::adopt.
  [[nodiscard]] Result<void> adopt(std::vector<Json> pods) {
    return runner_->adopt(std::move(pods));
  }

  // Same as PodRunner::run.
  [[nodiscard]] Result<void> run(const std::stop_token& stop);

  // The address that serves /healthz, with the real port.
  [[nodiscard]] std::optional<daemon::Address> healthz() const;

 private:
  Kubelet() = default;

  std::unique_ptr<PodRunner> runner_{};
  std::unique_ptr<agent::Agent> judge_{};
  std::unique_ptr<Healthz> healthz_{};
};

}  // namespace elbowroom::lab

// What stands in for a kubelet in the lab: a pod runner, and on request somebody who judges resizes
// as a kubelet does. That is an agent in authority mode under a kubelet's name, so there is one
// implementation of every decision; like a kubelet it puts back what others take from its status,
// leaves their conditions alone, and yields to nobody.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "agent/wiring.h"
#include "api/transport/access.h"
#include "base/disk.h"
#include "base/result.h"
#include "daemon/http/address.h"
#include "lab/node/healthz.h"
#include "lab/node/pod_runner.h"

namespace elbowroom::lab {

struct KubeletOptions {
  PodRunnerOptions runner{};
  bool resize = false;                       // judges resizes
  std::filesystem::path state_dir{};         // where it keeps allocations; with resize
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

  // As PodRunner::run.
  [[nodiscard]] Result<void> run(const std::stop_token& stop);

  // Where /healthz is served, with the real port.
  [[nodiscard]] std::optional<daemon::Address> healthz() const;

 private:
  Kubelet() = default;

  std::unique_ptr<PodRunner> runner_{};
  std::unique_ptr<agent::Agent> judge_{};
  std::unique_ptr<Healthz> healthz_{};
};

}  // namespace elbowroom::lab

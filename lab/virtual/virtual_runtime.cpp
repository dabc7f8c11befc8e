#include "lab/virtual/virtual_runtime.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "cri/cgroup.h"
#include "cri/convert.h"
#include "cri/pod_cgroup.h"
#include "lab/node/runtime_rules.h"

namespace elbowroom::lab {
namespace {

using Size = std::optional<cri::RuntimeResources>;

policy::RunState state_of(cri::ContainerState state) {
  switch (state) {
    case cri::ContainerState::Running:
      return policy::RunState::Running;
    case cri::ContainerState::Exited:
      return policy::RunState::Terminated;
    default:
      return policy::RunState::Waiting;
  }
}

// As the kernel shows it: a removed limit is none.
cri::RuntimeResources shown(cri::RuntimeResources size) {
  for (std::int64_t* figure :
       {&size.cpu_shares, &size.cpu_quota_us, &size.cpu_period_us, &size.memory_limit_bytes}) {
    *figure = std::max<std::int64_t>(*figure, 0);
  }
  return size;
}

std::int64_t memory_use_of(const VirtualPod& pod, std::string_view container) {
  if (container.empty()) {
    return std::accumulate(
        pod.memory_use.begin(), pod.memory_use.end(), std::int64_t{0},
        [](std::int64_t sum, const auto& use) { return policy::saturating_add(sum, use.second); });
  }
  const auto at = pod.memory_use.find(container);
  return at == pod.memory_use.end() ? 0 : at->second;
}

// Returns the container's name in a step; nullptr if the step changes the pod's own cgroup.
const std::string* container_in(const agent::Actuate& actuate) {
  if (const auto* update = std::get_if<policy::UpdateContainer>(&actuate.step)) {
    return &update->name;
  }
  const auto* restart = std::get_if<policy::RestartContainer>(&actuate.step);
  return restart == nullptr ? nullptr : &restart->name;
}

}  // namespace

const VirtualPod* VirtualRuntime::find(std::string_view uid) const {
  const auto at = pods_.find(uid);
  return at == pods_.end() ? nullptr : &at->second;
}

agent::RuntimeSeen VirtualRuntime::seen() const {
  agent::RuntimeSeen all;
  for (const auto& [uid, pod] : pods_) {
    agent::PodReport& report = all.pods[uid];
    report.pod_cgroup = pod.group;
    for (const auto& [name, container] : pod.view.containers) {
      const bool runs = container.state == cri::ContainerState::Running;
      report.containers.emplace(name,
                                agent::ContainerReport{.id = container.id,
                                                       .state = state_of(container.state),
                                                       .size = runs ? container.resources : Size{},
                                                       .may_swap = container.may_swap});
    }
  }
  return all;
}

Result<void> VirtualRuntime::check(const VirtualPod& pod, const policy::CheckMemory& check) {
  const std::string whose =
      check.container.empty() ? "pod" : "container \"" + check.container + "\"";
  return cri::check_memory_limit(whose, check.limit.value,
                                 {.bytes = memory_use_of(pod, check.container)});
}

Result<Size> VirtualRuntime::perform(const agent::Actuate& actuate, std::int64_t now_ns) {
  const auto at = pods_.find(actuate.pod_uid);
  if (at == pods_.end()) return failure(Code::NotFound, "no cgroup of the pod was found");
  VirtualPod& pod = at->second;
  for (const policy::CheckMemory& each : actuate.checks) RETURN_IF_ERROR(check(pod, each));
  if (const auto* set = std::get_if<policy::SetPod>(&actuate.step)) return set_pod(pod, *set);

  const std::string& name = *container_in(actuate);
  const auto container = pod.view.containers.find(name);
  const auto id = actuate.container_ids.find(name);
  if (container == pod.view.containers.end() || id == actuate.container_ids.end() ||
      container->second.id != id->second ||
      container->second.state != cri::ContainerState::Running) {
    return failure(Code::NotFound, "container " + name + " does not run");
  }
  if (const auto* updated = std::get_if<policy::UpdateContainer>(&actuate.step)) {
    return update(pod, *updated);
  }
  end_container(actuate.pod_uid, name, 0, now_ns);
  return Size();
}

Size VirtualRuntime::size_of(const agent::Actuate& actuate) const {
  const VirtualPod* pod = find(actuate.pod_uid);
  if (pod == nullptr) return std::nullopt;
  const std::string* name = container_in(actuate);
  if (name == nullptr) return pod->group;
  const auto container = pod->view.containers.find(*name);
  return container == pod->view.containers.end() ? Size() : container->second.resources;
}

Result<Size> VirtualRuntime::set_pod(VirtualPod& pod, const policy::SetPod& step) {
  if (!pod.group) return failure(Code::NotFound, "no cgroup of the pod was found");
  const cri::RuntimeResources asked = cri::pod_settings(step.bounds);
  cri::RuntimeResources after = *pod.group;
  switch (step.setting) {
    case policy::PodSetting::MemoryLimit: {
      const std::int64_t use = memory_use_of(pod, "");
      if (asked.memory_limit_bytes > 0 && asked.memory_limit_bytes < use) {
        return failure(Code::Invalid, "write memory.limit_in_bytes: device or resource busy");
      }
      after.memory_limit_bytes = asked.memory_limit_bytes;
      break;
    }
    case policy::PodSetting::CpuLimit:
      after.cpu_quota_us = asked.cpu_quota_us;
      after.cpu_period_us = asked.cpu_period_us;
      break;
    case policy::PodSetting::CpuRequest:
      after.cpu_shares = asked.cpu_shares;
      break;
  }
  const bool too_small = std::ranges::any_of(pod.view.containers, [&](const auto& entry) {
    return entry.second.state == cri::ContainerState::Running && entry.second.resources &&
           quota_exceeds(*entry.second.resources, after);
  });
  if (too_small) return refused_quota();
  if (*pod.group != after) ++version_;
  pod.group = after;
  return Size(after);
}

Result<Size> VirtualRuntime::update(VirtualPod& pod, const policy::UpdateContainer& step) {
  cri::RuntimeContainer& container = pod.view.containers.find(step.name)->second;
  const cri::RuntimeResources before = container.resources.value_or(cri::RuntimeResources{});
  const cri::RuntimeResources asked = cri::update_for(step.before, step.after);
  const cri::RuntimeResources after = shown(merged_size(before, asked));
  RETURN_IF_ERROR(check_container_size(asked, after,
                                       {.memory_use_bytes = memory_use_of(pod, container.name),
                                        .group = pod.group.value_or(cri::RuntimeResources{})}));
  if (container.resources != after) ++version_;
  container.resources = after;
  return Size(after);
}

void VirtualRuntime::run_sandbox(VirtualPod pod) {
  ++version_;
  std::string uid = pod.view.uid;
  pods_.insert_or_assign(std::move(uid), std::move(pod));
}

void VirtualRuntime::start_container(const std::string& uid, cri::RuntimeContainer container) {
  const auto at = pods_.find(uid);
  if (at == pods_.end()) return;
  ++version_;
  std::string name = container.name;
  at->second.view.containers.insert_or_assign(std::move(name), std::move(container));
}

void VirtualRuntime::end_container(const std::string& uid, std::string_view name,
                                   std::int32_t exit_code, std::int64_t now_ns) {
  const auto at = pods_.find(uid);
  if (at == pods_.end()) return;
  const auto found = at->second.view.containers.find(name);
  if (found == at->second.view.containers.end()) return;
  cri::RuntimeContainer& container = found->second;
  if (container.state == cri::ContainerState::Exited) return;
  ++version_;
  container.state = cri::ContainerState::Exited;
  container.exit_code = exit_code;
  container.reason = exit_reason(exit_code);
  container.finished_at_ns = now_ns;
  at->second.memory_use.erase(container.name);
}

void VirtualRuntime::remove_sandbox(std::string_view uid) {
  const auto at = pods_.find(uid);
  if (at == pods_.end()) return;
  ++version_;
  pods_.erase(at);
}

bool VirtualRuntime::use_memory(std::string_view uid, std::string_view container,
                                std::int64_t bytes) {
  const auto at = pods_.find(uid);
  if (at == pods_.end()) return false;
  const auto found = at->second.view.containers.find(container);
  if (found == at->second.view.containers.end() ||
      found->second.state != cri::ContainerState::Running) {
    return false;
  }
  at->second.memory_use.insert_or_assign(std::string(container), bytes);
  return true;
}

}  // namespace elbowroom::lab

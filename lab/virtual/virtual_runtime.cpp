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

std::optional<policy::Bytes> created_memory(const cri::RuntimeContainer& container) {
  return container.created ? std::optional(container.created->requests.memory) : std::nullopt;
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
      report.containers.emplace(
          name, agent::ContainerReport{.id = container.id,
                                       .state = state_of(container.state),
                                       .size = runs ? container.resources : Size{},
                                       .may_swap = container.may_swap,
                                       .memory_request = created_memory(container)});
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
  if (const auto* set = std::get_if<policy::SetPod>(&actuate.step)) {
    auto size = set_pod(pod, *set, actuate);
    kill_beyond_limits(actuate.pod_uid, now_ns);
    return size;
  }

  const std::string& name = *container_in(actuate);
  const auto container = pod.view.containers.find(name);
  const auto id = actuate.container_ids.find(name);
  if (container == pod.view.containers.end() || id == actuate.container_ids.end() ||
      container->second.id != id->second ||
      container->second.state != cri::ContainerState::Running) {
    return failure(Code::NotFound, "container " + name + " does not run");
  }
  if (const auto* updated = std::get_if<policy::UpdateContainer>(&actuate.step)) {
    auto size = update(pod, *updated, actuate);
    kill_beyond_limits(actuate.pod_uid, now_ns);
    return size;
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

Result<Size> VirtualRuntime::set_pod(VirtualPod& pod, const policy::SetPod& step,
                                     const agent::Actuate& of) {
  if (!pod.group) return failure(Code::NotFound, "no cgroup of the pod was found");
  const cri::RuntimeResources asked = cri::pod_settings(step.bounds);
  const cri::RuntimeResources before = *pod.group;
  cri::RuntimeResources after = before;
  cri::RuntimeResources written{};
  switch (step.setting) {
    case policy::PodSetting::MemoryLimit:
      after.memory_limit_bytes = asked.memory_limit_bytes;
      written.memory_limit_bytes = asked.memory_limit_bytes > 0 ? asked.memory_limit_bytes : -1;
      break;
    case policy::PodSetting::CpuLimit:
      after.cpu_quota_us = asked.cpu_quota_us;
      after.cpu_period_us = asked.cpu_period_us;
      break;
    case policy::PodSetting::CpuRequest:
      after.cpu_shares = asked.cpu_shares;
      break;
  }
  const auto accepted = refuse_pod_size(pod, written.memory_limit_bytes, after);
  if (accepted) pod.group = after;
  if (*pod.group != before) ++version_;
  tell(pod, of, {.before = before, .asked = written, .after = *pod.group});
  if (!accepted) return std::unexpected(accepted.error());
  return Size(after);
}

Result<void> VirtualRuntime::refuse_pod_size(const VirtualPod& pod, std::int64_t memory_limit,
                                             const cri::RuntimeResources& after) const {
  if (cgroups_ == cri::CgroupVersion::V2) return {};
  if (memory_limit > 0 && memory_limit < memory_use_of(pod, "")) {
    return failure(Code::Invalid, "write memory.limit_in_bytes: device or resource busy");
  }
  const bool too_small = std::ranges::any_of(pod.view.containers, [&](const auto& entry) {
    return entry.second.state == cri::ContainerState::Running && entry.second.resources &&
           quota_exceeds(*entry.second.resources, after);
  });
  if (too_small) return refused_quota();
  return {};
}

void VirtualRuntime::tell(const VirtualPod& pod, const agent::Actuate& of,
                          CgroupWrite write) const {
  if (!told_) return;
  write.pod_uid = pod.view.uid;
  write.memory_use = memory_use_of(pod, write.container);
  write.pod = &pod;
  write.step = &of;
  told_(write);
}

// As the kernel of cgroup version 2: the largest container of a group that is over its limit.
void VirtualRuntime::kill_beyond_limits(const std::string& uid, std::int64_t now_ns) {
  if (cgroups_ != cri::CgroupVersion::V2) return;
  VirtualPod& pod = pods_.find(uid)->second;
  const auto is_over = [](std::int64_t use, const Size& size) {
    return size && size->memory_limit_bytes > 0 && use > size->memory_limit_bytes;
  };
  const auto kill = [&](const std::string& name) {
    end_container(uid, name, kKilledExit, now_ns);
    pod.view.containers.find(name)->second.reason = "OOMKilled";
    ++killed_;
  };
  const auto in_use = pod.memory_use;
  for (const auto& [name, use] : in_use) {
    if (is_over(use, pod.view.containers.find(name)->second.resources)) kill(name);
  }
  while (is_over(memory_use_of(pod, ""), pod.group)) {
    kill(std::ranges::max_element(pod.memory_use, {}, [](const auto& each) {
           return each.second;
         })->first);
  }
}

Result<Size> VirtualRuntime::update(VirtualPod& pod, const policy::UpdateContainer& step,
                                    const agent::Actuate& of) {
  cri::RuntimeContainer& container = pod.view.containers.find(step.name)->second;
  const cri::RuntimeResources before = container.resources.value_or(cri::RuntimeResources{});
  const cri::RuntimeResources asked = cri::update_for(step.before, step.after);
  const cri::RuntimeResources after = shown(merged_size(before, asked));
  const ContainerPlace place{.memory_use_bytes = memory_use_of(pod, container.name),
                             .group = pod.group.value_or(cri::RuntimeResources{})};
  const auto accepted = check_container_size(
      asked, after, cgroups_ == cri::CgroupVersion::V1 ? place : ContainerPlace{});
  if (accepted) container.resources = after;
  if (accepted && before != after) ++version_;
  tell(pod, of,
       {.container = step.name,
        .before = before,
        .asked = asked,
        .after = container.resources.value_or(before)});
  if (!accepted) return std::unexpected(accepted.error());
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
  const auto keep_within = [&](const Size& size, std::int64_t others) {
    if (!size || size->memory_limit_bytes <= 0) return;
    bytes = std::min(bytes, std::max<std::int64_t>(size->memory_limit_bytes - others, 0));
  };
  at->second.memory_use.erase(found->first);
  keep_within(found->second.resources, 0);
  keep_within(at->second.group, memory_use_of(at->second, ""));
  at->second.memory_use.emplace(container, bytes);
  return true;
}

}  // namespace elbowroom::lab

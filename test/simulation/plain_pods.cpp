#include "test/simulation/plain_pods.h"

#include <algorithm>
#include <string_view>

#include "policy/model/capped_pod.h"

namespace elbowroom::test {
namespace {

using agent::PodAllocation;
using policy::Container;
using policy::Requirements;
using policy::Resources;
using policy::RunState;

bool resizes(const Container& container) { return container.kind != policy::ContainerKind::Init; }

// What cgroups keep of a size.
struct Kept {
  std::int64_t shares = 0;
  std::int64_t quota_us = 0;  // of 100,000
  std::int64_t memory = 0;

  friend bool operator==(const Kept&, const Kept&) = default;
};

Kept kept_of(const Requirements& size) {
  const std::int64_t limit = size.limits.cpu.value;
  return {.shares = std::max<std::int64_t>(2, size.requests.cpu.value * 1024 / 1000),
          .quota_us = limit == 0 ? 0 : std::max<std::int64_t>(1000, limit * 100),
          .memory = size.limits.memory.value};
}

Kept kept_of(const cri::RuntimeResources& size) {
  return {.shares = std::max<std::int64_t>(2, size.cpu_shares),
          .quota_us = std::max<std::int64_t>(0, size.cpu_quota_us),
          .memory = std::max<std::int64_t>(0, size.memory_limit_bytes)};
}

// Shares and quotas are coarser than millicores: what was promised counts where it would look so.
Requirements actual_of(const Requirements& promised, const cri::RuntimeResources& size) {
  const Kept wanted = kept_of(promised);
  const Kept has = kept_of(size);
  Requirements actual = promised;
  if (has.shares != wanted.shares) actual.requests.cpu.value = (has.shares * 1000 + 1023) / 1024;
  if (has.quota_us != wanted.quota_us) actual.limits.cpu.value = has.quota_us / 100;
  actual.limits.memory.value = has.memory;
  return actual;
}

void set_promise(policy::Pod& pod, const PodAllocation& promised) {
  for (Container& each : pod.containers) {
    const auto at = promised.containers.find(each.name);
    if (!resizes(each) || at == promised.containers.end()) continue;
    each.allocated_requests = at->second.requests;
    each.allocated_limits = at->second.limits;
  }
  const Requirements& level = promised.pod_level;
  if (policy::is_zero(level.requests) && policy::is_zero(level.limits)) return;
  pod.pod_level.allocated_requests = level.requests;
  pod.pod_level.allocated_limits = level.limits;
}

void set_actual(Container& container, const Requirements& promised,
                const agent::ContainerReport& report) {
  container.swaps = container.would_swap = report.may_swap;
  if (report.state != RunState::Running) {  // it comes back as promised
    container.actual_requests = promised.requests;
    container.actual_limits = promised.limits;
    return;
  }
  if (!report.size) return;
  const Requirements actual = actual_of(promised, *report.size);
  // No runtime knows a memory request: it falls together with the limit.
  Resources requests = actual.requests;
  const bool waits = actual.limits.memory != promised.limits.memory;
  if (waits && container.actual_requests) {
    requests.memory = std::max(requests.memory, container.actual_requests->memory);
  }
  container.actual_requests = requests;
  container.actual_limits = actual.limits;
}

void set_reports(policy::Pod& pod, const PodAllocation* promised, const agent::PodReport& report) {
  for (Container& each : pod.containers) {
    if (!resizes(each)) continue;
    const auto reported = report.containers.find(each.name);
    if (reported == report.containers.end()) {
      if (pod.deletion) each.state = RunState::Terminated;
      continue;
    }
    each.state = reported->second.state;
    if (promised == nullptr || !promised->containers.contains(each.name)) continue;
    set_actual(each, promised->containers.find(each.name)->second, reported->second);
  }
  if (promised == nullptr || !report.pod_cgroup) return;
  const Requirements& level = promised->pod_level;
  if (policy::is_zero(level.requests) && policy::is_zero(level.limits)) return;
  const Requirements actual = actual_of(level, *report.pod_cgroup);
  pod.pod_level.actual_requests = actual.requests;
  pod.pod_level.actual_limits = actual.limits;
}

// Its containers are not known one by one.
void set_whole(policy::Pod& pod, const agent::PodReport& report) {
  const bool runs = std::ranges::any_of(report.containers, [](const auto& each) {
    return each.second.state == RunState::Running || each.second.state == RunState::Waiting;
  });
  if (runs) pod.containers.front().state = RunState::Running;
  if (!runs && pod.deletion) pod.containers.front().state = RunState::Terminated;
}

bool same_amounts(const Resources& a, const Resources& b) {
  const auto within = [](const Resources& some, const Resources& others) {
    bool same = true;
    policy::for_each_amount(some, [&](std::string_view name, std::int64_t amount) {
      same = same && amount == policy::amount_of(others, name);
    });
    return same;
  };
  return within(a, b) && within(b, a);
}

bool same_sizes(const Requirements& a, const Requirements& b) {
  return same_amounts(a.requests, b.requests) && same_amounts(a.limits, b.limits);
}

// The amounts of `shown` that `asked` names.
Resources named_by(const Resources& asked, const Resources& shown) {
  Resources named;
  policy::for_each_amount(asked, [&](std::string_view name, std::int64_t) {
    policy::set_amount(named, name, policy::amount_of(shown, name));
  });
  return named;
}

}  // namespace

std::optional<PodAllocation> shown_allocation(const policy::Pod& pod) {
  if (policy::is_capped(pod)) return std::nullopt;
  PodAllocation shown{.ns = pod.ns, .name = pod.name};
  for (const Container& each : pod.containers) {
    if (!resizes(each)) continue;
    const auto& requests = each.allocated_requests ? each.allocated_requests : each.actual_requests;
    if (!requests) return std::nullopt;
    shown.containers[each.name] = {*requests, each.actual_limits.value_or(Resources{})};
  }
  const policy::PodLevel& level = pod.pod_level;
  const Requirements& asked = level.desired;
  if (policy::is_zero(asked.requests) && policy::is_zero(asked.limits)) return shown;
  const auto& requests =
      level.allocated_requests ? level.allocated_requests : level.actual_requests;
  if (!requests) return std::nullopt;
  shown.pod_level = {named_by(asked.requests, *requests),
                     named_by(asked.limits, level.actual_limits.value_or(Resources{}))};
  return shown;
}

PodAllocation wanted_allocation(const policy::Pod& pod) {
  PodAllocation wanted{.ns = pod.ns, .name = pod.name, .pod_level = pod.pod_level.desired};
  for (const Container& each : pod.containers) {
    if (resizes(each)) wanted.containers[each.name] = each.desired;
  }
  return wanted;
}

policy::Pod pod_with(const policy::Pod& pod, const PodAllocation* promised,
                     const agent::PodReport* report) {
  policy::Pod with = pod;
  if (policy::is_capped(pod)) {
    if (report != nullptr) set_whole(with, *report);
    return with;
  }
  if (promised != nullptr) set_promise(with, *promised);
  if (report != nullptr) set_reports(with, promised, *report);
  return with;
}

bool has_promised(const PodAllocation& promised, const agent::PodReport& report) {
  return std::ranges::all_of(report.containers, [&](const auto& each) {
    const auto& [name, reported] = each;
    const auto at = promised.containers.find(name);
    if (at == promised.containers.end() || reported.state != RunState::Running) return true;
    return reported.size && kept_of(at->second) == kept_of(*reported.size);
  });
}

bool group_has_promised(const policy::Pod& pod, const PodAllocation& promised,
                        const cri::RuntimeResources& group) {
  Requirements sum;
  bool has_cpu_limits = true;
  bool has_memory_limits = true;
  for (const Container& each : pod.containers) {
    const auto at = promised.containers.find(each.name);
    const Requirements& size = at == promised.containers.end() ? each.desired : at->second;
    has_cpu_limits = has_cpu_limits && size.limits.cpu.value != 0;
    has_memory_limits = has_memory_limits && size.limits.memory.value != 0;
    if (!resizes(each)) continue;
    policy::add_to(sum.requests, size.requests);
    policy::add_to(sum.limits, size.limits);
  }
  if (!has_cpu_limits) sum.limits.cpu = {};
  if (!has_memory_limits) sum.limits.memory = {};
  const Requirements& level = promised.pod_level;
  if (level.requests.cpu.value != 0) sum.requests.cpu = level.requests.cpu;
  if (level.limits.cpu.value != 0) sum.limits.cpu = level.limits.cpu;
  if (level.limits.memory.value != 0) sum.limits.memory = level.limits.memory;
  return kept_of(sum) == kept_of(group);
}

bool is_disabled_by_another(const policy::Pod& pod) {
  return std::ranges::any_of(pod.conditions, [](const policy::Condition& each) {
    return each.type == "PodResizePreemptionDisabled" && each.status == "True" &&
           each.reason != "PreemptionDisabledByNodePolicy" && each.reason != "PreemptionDisabled";
  });
}

bool same_promise(const PodAllocation& a, const PodAllocation& b) {
  return std::ranges::equal(a.containers, b.containers,
                            [](const auto& one, const auto& other) {
                              return one.first == other.first &&
                                     same_sizes(one.second, other.second);
                            }) &&
         same_sizes(a.pod_level, b.pod_level);
}

}  // namespace elbowroom::test

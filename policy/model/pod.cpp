#include "policy/model/pod.h"

#include <algorithm>
#include <array>

namespace elbowroom::policy {
namespace {

constexpr std::int32_t kSystemCriticalPriority = 2'000'000'000;
constexpr std::array kQosResources = {kCpu, kMemory};

// Requirements set at pod level determine the QoS class of the whole pod.
Qos computed_qos(const std::vector<Requirements>& all) {
  bool any = false;
  bool guaranteed = true;
  for (const Requirements& each : all) {
    for (std::string_view name : kQosResources) {
      const std::int64_t request = amount_of(each.requests, name);
      const std::int64_t limit = amount_of(each.limits, name);
      any = any || request > 0 || limit > 0;
      guaranteed = guaranteed && limit > 0 && request == limit;
    }
  }
  if (!any) return Qos::BestEffort;
  return guaranteed ? Qos::Guaranteed : Qos::Burstable;
}

bool sets_pod_level(const Requirements& level) {
  return !is_zero(level.requests) || !is_zero(level.limits);
}

}  // namespace

std::string group_key_of(const Pod& pod) {
  return is_grouped(pod) ? pod.ns + "/" + pod.scheduling_group : "";
}

std::string key_of(const Pod& pod) { return pod.ns + "/" + pod.name; }

Qos qos_of(const Pod& pod) {
  if (pod.qos_in_status) return *pod.qos_in_status;
  if (sets_pod_level(pod.pod_level.desired)) return computed_qos({pod.pod_level.desired});

  std::vector<Requirements> all;
  for (const Container& container : pod.containers) all.push_back(container.desired);
  return computed_qos(all);
}

bool is_critical(const Pod& pod) {
  return pod.is_static || pod.is_mirror || own_priority_of(pod) >= kSystemCriticalPriority;
}

std::string group_obstacle(const Pod& pod) {
  if (!is_grouped(pod)) return "";
  const std::string group = "pod group " + group_key_of(pod);
  if (!pod.group) return group + " does not exist";
  const std::string_view why = to_string(pod.group->obstacle);
  return why.empty() ? "" : group + ": " + std::string(why);
}

std::string_view to_string(Qos qos) {
  switch (qos) {
    case Qos::Guaranteed:
      return "Guaranteed";
    case Qos::Burstable:
      return "Burstable";
    case Qos::BestEffort:
      return "BestEffort";
  }
  return "BestEffort";
}

std::string_view to_string(Phase phase) {
  switch (phase) {
    case Phase::Pending:
      return "Pending";
    case Phase::Running:
      return "Running";
    case Phase::Succeeded:
      return "Succeeded";
    case Phase::Failed:
      return "Failed";
    case Phase::Unknown:
      return "Unknown";
  }
  return "Unknown";
}

}  // namespace elbowroom::policy

#include "agent/contention.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "agent/object_version.h"

namespace elbowroom::agent {
namespace {

// An API server or a runtime performs a request within a minute, or never.
constexpr std::chrono::minutes kMayLandLate{2};

std::string in_words(const policy::Resources& of) {
  std::string words;
  policy::for_each_amount(of, [&](std::string_view name, std::int64_t amount) {
    if (amount != 0) words += std::string(name) + "=" + std::to_string(amount) + ",";
  });
  return words;
}

std::string in_words(const policy::Resources& allocated, const policy::Resources& requests,
                     const policy::Resources& limits) {
  return in_words(allocated) + "/" + in_words(requests) + "/" + in_words(limits);
}

std::string in_words(const ContainerFigures& figures) {
  return in_words(figures.allocated, figures.actual.requests, figures.actual.limits);
}

std::string in_words(const policy::Condition& condition) {
  const std::string generation =
      condition.observed_generation ? std::to_string(*condition.observed_generation) : "";
  return condition.status + "/" + condition.reason + "/" + generation + "/" + condition.message;
}

constexpr std::string_view kCondition = "condition/";
constexpr std::string_view kContainer = "container/";
constexpr std::string_view kPodLevel = "pod";

// Missing figures read like empty ones.
std::string container_shown(const policy::Container& container) {
  const policy::Resources none;
  return in_words(container.allocated_requests.value_or(none),
                  container.actual_requests.value_or(none), container.actual_limits.value_or(none));
}

std::string pod_level_shown(const policy::PodLevel& level) {
  const policy::Resources none;
  return in_words(level.allocated_requests.value_or(none), level.actual_requests.value_or(none),
                  level.actual_limits.value_or(none));
}

// Returns what the pod shows of that field.
std::string shown_in(const policy::Pod& pod, std::string_view field) {
  if (field.starts_with(kCondition)) {
    const auto* condition = policy::find_condition(pod.conditions, field.substr(kCondition.size()));
    return condition == nullptr ? "" : in_words(*condition);
  }
  if (field == kPodLevel) return pod_level_shown(pod.pod_level);
  const auto at =
      std::ranges::find(pod.containers, field.substr(kContainer.size()), &policy::Container::name);
  return at == pod.containers.end() ? "" : container_shown(*at);
}

const ContainerReport* report_of(const PodReport& report, const std::string& container) {
  const auto at = report.containers.find(container);
  return at == report.containers.end() ? nullptr : &at->second;
}

// A restarted container has another id; "" for the pod's own cgroup.
std::string id_in(const PodReport& report, const std::string& container) {
  const ContainerReport* of = report_of(report, container);
  return of == nullptr ? "" : of->id;
}

std::optional<cri::RuntimeResources> size_in(const PodReport& report,
                                             const std::string& container) {
  if (container.empty()) return report.pod_cgroup;
  const ContainerReport* of = report_of(report, container);
  return of == nullptr ? std::nullopt : of->size;
}

}  // namespace

WrittenFields fields_of(const WriteStatus& write) {
  WrittenFields fields;
  for (const policy::Condition& condition : write.set) {
    fields[std::string(kCondition) + condition.type] = in_words(condition);
  }
  for (const std::string& type : write.remove) fields[std::string(kCondition) + type] = "";
  for (const auto& [name, figures] : write.containers) {
    fields[std::string(kContainer) + name] = in_words(figures);
  }
  if (write.pod_level) fields[std::string(kPodLevel)] = in_words(*write.pod_level);
  return fields;
}

void wrote(OwnWrites& own, const WriteStatus& write) {
  for (auto& [field, value] : fields_of(write)) {
    own.standing.erase(field);
    own.awaited[field] = value;
  }
}

void refused(OwnWrites& own, bool certain, std::chrono::milliseconds now) {
  // The other awaited writes were shown late or written earlier: they arrive, or are written again.
  own.awaited.clear();
  if (!certain) own.blame_from = now + kMayLandLate;
}

void shown(OwnWrites& own, const policy::Pod& pod, std::optional<policy::Time> kubelet_wrote) {
  const std::uint64_t version = version_number(pod.resource_version);
  if (version == 0 || version < own.newest) return;
  own.newest = version;
  own.kubelet_wrote = kubelet_wrote;
  std::erase_if(own.awaited, [&](const auto& entry) {
    const auto& [field, value] = entry;
    if (shown_in(pod, field) != value) return false;
    own.standing[field] = {.value = value, .version = version, .kubelet_wrote = kubelet_wrote};
    return true;
  });
  if (!kubelet_wrote || kubelet_wrote == kKubeletUnknown) return;
  for (auto& [field, stands] : own.standing) {
    if (shown_in(pod, field) == stands.value) stands.kubelet_wrote = kubelet_wrote;
  }
}

bool was_undone(OwnWrites& own, const policy::Pod& pod, const WriteStatus& needed,
                std::chrono::milliseconds now) {
  // A stale version does not show our write either.
  const std::uint64_t version = version_number(pod.resource_version);
  if (version == 0 || version < own.newest) return false;
  bool undone = false;
  own.by_kubelet = false;
  for (const auto& [field, value] : fields_of(needed)) {
    const auto at = own.standing.find(field);
    if (at == own.standing.end()) continue;
    const OwnWrites::StandingWrite stood = std::move(at->second);
    own.standing.erase(at);
    if (stood.value != value || version <= stood.version || now < own.blame_from) continue;
    undone = true;
    // A kubelet's write is recognized by its time, in whole seconds: one in the same second is
    // missed.
    const bool is_known =
        own.kubelet_wrote != kKubeletUnknown && stood.kubelet_wrote != kKubeletUnknown;
    const bool wrote_since =
        is_known && own.kubelet_wrote && own.kubelet_wrote != stood.kubelet_wrote;
    own.by_kubelet = own.by_kubelet || wrote_since;
  }
  return undone;
}

void forget(OwnWrites& own, std::string_view condition) {
  const std::string field = std::string(kCondition) + std::string(condition);
  own.awaited.erase(field);
  own.standing.erase(field);
}

void sized(OwnSizes& own, const std::string& container, const PodReport& report,
           const cri::RuntimeResources& size) {
  own.given[container] = {.container_id = id_in(report, container), .size = size};
}

void shown(OwnSizes& own, const PodReport& report) {
  std::erase_if(own.given, [&](const auto& entry) {
    return id_in(report, entry.first) != entry.second.container_id;
  });
  for (auto& [container, given] : own.given) {
    if (size_in(report, container) == given.size) given.shown = true;
  }
}

void refused(OwnSizes& own, const std::string& container, bool certain,
             std::chrono::milliseconds now) {
  own.given.erase(container);
  if (!certain) own.blame_from = now + kMayLandLate;
}

bool was_undone(OwnSizes& own, const std::string& container, const PodReport& report,
                std::chrono::milliseconds now) {
  const auto at = own.given.find(container);
  if (at == own.given.end()) return false;
  const auto size = size_in(report, container);
  if (!at->second.shown || !size || *size == at->second.size) return false;
  own.given.erase(at);
  return now >= own.blame_from;
}

bool one_too_many(Contention& contention, const std::string& pod_uid, bool again,
                  std::chrono::milliseconds now) {
  std::deque<Contention::Undoing>& undone = contention.undone;
  if (!again || undone.empty()) undone.push_back({.at = now});
  std::set<std::string>& pods = undone.back().pods;
  if (pods.size() < Contention::kLeastPods) pods.insert(pod_uid);
  // The latest are enough: if an earlier one had been on another pod, the limit would have been
  // exceeded then.
  while (undone.size() > Contention::kMost || now - undone.front().at > Contention::kWindow) {
    undone.pop_front();
  }
  std::set<std::string> all;
  for (const Contention::Undoing& each : undone) all.insert(each.pods.begin(), each.pods.end());
  return undone.size() >= Contention::kMost && all.size() >= Contention::kLeastPods;
}

std::chrono::minutes quiet_time(const Contention& contention) {
  const unsigned doublings = std::min(std::max(contention.times, 1U) - 1, 8U);
  return std::min(Contention::kQuiet * (std::int64_t{1} << doublings), Contention::kLongestQuiet);
}

void yield(Contention& contention, std::chrono::milliseconds now) {
  if (now - contention.ends_at > Contention::kLongestQuiet) contention.times = 0;
  contention.times = std::min(contention.times + 1, 8U);
  contention.undone.clear();
  disturb(contention, now);
}

void disturb(Contention& contention, std::chrono::milliseconds now) {
  contention.ends_at = now + quiet_time(contention);
}

void go_on(Contention& contention, std::chrono::milliseconds now) {
  contention.why.clear();
  contention.undone.clear();
  contention.ends_at = now;
}

bool others_wrote(const policy::Pod& before, const policy::Pod& after) {
  const auto differs = [&](std::string_view type) {
    const std::string field = std::string(kCondition) + std::string(type);
    return shown_in(before, field) != shown_in(after, field);
  };
  if (differs(policy::kPodResizePending) || differs(policy::kPodResizeInProgress)) return true;
  if (before.containers.size() != after.containers.size()) return false;  // not of one pod
  for (std::size_t i = 0; i < before.containers.size(); ++i) {
    const auto& was = before.containers[i].allocated_requests;
    const auto& is = after.containers[i].allocated_requests;
    if (was && is && *was != *is) return true;
  }
  return false;
}

bool others_resized(const PodReport& before, const PodReport& after) {
  return std::ranges::any_of(after.containers, [&](const auto& entry) {
    const ContainerReport* was = report_of(before, entry.first);
    const ContainerReport& is = entry.second;
    return was != nullptr && was->id == is.id && was->size && is.size && *was->size != *is.size;
  });
}

}  // namespace elbowroom::agent

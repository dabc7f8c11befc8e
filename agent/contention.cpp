#include "agent/contention.h"

#include <algorithm>
#include <string_view>

#include "agent/object_version.h"

namespace elbowroom::agent {
namespace {

// An API server or a runtime carries a request out within a minute, or never.
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

// Figures that are not there read like figures of nothing.
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

// What the pod shows of that field.
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

// A container that was started anew is another one; "" for the pod's own cgroup.
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
  // What else is awaited was shown late or written before: it comes, or is written again.
  own.awaited.clear();
  if (!certain) own.blame_from = now + kMayLandLate;
}

void shown(OwnWrites& own, const policy::Pod& pod) {
  const std::uint64_t version = version_number(pod.resource_version);
  if (version == 0 || version < own.newest) return;
  own.newest = version;
  std::erase_if(own.awaited, [&](const auto& entry) {
    const auto& [field, value] = entry;
    if (shown_in(pod, field) != value) return false;
    own.standing[field] = {.value = value, .version = version};
    return true;
  });
}

bool was_undone(OwnWrites& own, const policy::Pod& pod, const WriteStatus& needed,
                std::chrono::milliseconds now) {
  // An older version that comes late does not show our write either.
  const std::uint64_t version = version_number(pod.resource_version);
  if (version == 0 || version < own.newest) return false;
  bool undone = false;
  for (const auto& [field, value] : fields_of(needed)) {
    const auto at = own.standing.find(field);
    if (at == own.standing.end()) continue;
    const bool same = at->second.value == value;
    undone = undone || (same && version > at->second.version && now >= own.blame_from);
    own.standing.erase(at);
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

bool one_too_many(Contention& contention, std::chrono::milliseconds now) {
  contention.undone.push_back(now);
  while (contention.undone.size() > Contention::kMost ||
         now - contention.undone.front() > Contention::kWindow) {
    contention.undone.pop_front();
  }
  return contention.undone.size() >= Contention::kMost;
}

}  // namespace elbowroom::agent

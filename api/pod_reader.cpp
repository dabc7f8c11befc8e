#include "api/pod_reader.h"

#include <algorithm>
#include <utility>

#include "api/bound_node.h"
#include "api/decode_cluster_pod.h"
#include "policy/folded.h"

namespace elbowroom::api {
namespace {

// Of what only a few of anybody's pods have so many.
constexpr std::size_t kMostConditions = 64;
constexpr std::size_t kMostMessageBytes = 4096;
constexpr std::size_t kMostOtherResources = 64;
constexpr std::size_t kMostLabelBytes = std::size_t{32} << 10;

constexpr std::size_t kMostNews = 10;      // until they are taken
constexpr std::size_t kMostTold = 10'000;  // pods that are remembered

// Of the containers that are kept one by one, whatever they have.
constexpr std::size_t kMostContainerBytes = std::size_t{64} << 10;

constexpr std::size_t kNodeOfMap = 64;

std::size_t weight_of(const policy::Resources& amounts) {
  std::size_t bytes = 0;
  for (const auto& [name, amount] : amounts.others) bytes += kNodeOfMap + 16 + name.size();
  return bytes;
}

std::size_t weight_of(const policy::Container& container) {
  std::size_t bytes = sizeof container + container.name.size();
  for (const policy::Resources* of : {&container.desired.requests, &container.desired.limits}) {
    bytes += weight_of(*of);
  }
  for (const auto* of :
       {&container.allocated_requests, &container.actual_requests, &container.actual_limits}) {
    if (*of) bytes += weight_of(**of);
  }
  return bytes;
}

std::size_t weight_of(const std::vector<policy::Container>& containers) {
  std::size_t bytes = 0;
  for (const policy::Container& each : containers) bytes += weight_of(each);
  return bytes;
}

// True where something had to go.
bool bound(policy::Resources& amounts) {
  if (amounts.others.size() <= kMostOtherResources) return false;
  amounts.others.erase(std::next(amounts.others.begin(), kMostOtherResources),
                       amounts.others.end());
  return true;
}

bool bound(std::optional<policy::Resources>& amounts) { return amounts && bound(*amounts); }

bool bound_amounts(policy::Pod& pod) {
  bool any = bound(pod.overhead);
  for (policy::Container& each : pod.containers) {
    for (policy::Resources* of : {&each.desired.requests, &each.desired.limits}) {
      any = bound(*of) || any;
    }
    for (auto* of : {&each.allocated_requests, &each.actual_requests, &each.actual_limits}) {
      any = bound(*of) || any;
    }
  }
  return any;
}

bool bound_labels(policy::Pod& pod) {
  std::size_t bytes = 0;
  for (auto at = pod.labels.begin(); at != pod.labels.end(); ++at) {
    bytes += at->first.size() + at->second.size();
    if (bytes <= kMostLabelBytes) continue;
    pod.labels.erase(at, pod.labels.end());
    return true;
  }
  return false;
}

// What decisions are made by comes first, where there are more than anybody needs.
bool bound_conditions(policy::Pod& pod) {
  for (policy::Condition& each : pod.conditions) {
    if (each.message.size() > kMostMessageBytes) each.message.resize(kMostMessageBytes);
  }
  if (pod.conditions.size() <= kMostConditions) return false;
  std::ranges::stable_partition(pod.conditions, [](const policy::Condition& each) {
    return each.type.starts_with("PodResize") || each.type == policy::kDisruptionTarget ||
           each.type == policy::kReady;
  });
  pod.conditions.resize(kMostConditions);
  return true;
}

}  // namespace

std::size_t weight_of(const policy::Pod& pod) {
  std::size_t bytes = sizeof pod + weight_of(pod.containers) + weight_of(pod.overhead);
  bytes += pod.ns.size() + 2 * pod.name.size() + 2 * pod.uid.size() + pod.node.size();
  for (const auto& [key, value] : pod.labels) {
    bytes += kNodeOfMap + 2 * sizeof key + key.size() + value.size();
  }
  for (const policy::Condition& each : pod.conditions) {
    bytes += sizeof each + each.type.size() + each.reason.size() + each.message.size();
  }
  return bytes;
}

void PodReader::begins() {
  parts_ = {};
  shortened_.clear();
}

void PodReader::take(std::string_view list, const Value& item) {
  if (parts_.size() < kMostContainersRead) return parts_.take(list, item);
  if (!parts_.error) {
    parts_.error = Error{
        Code::Exhausted, "more than " + std::to_string(kMostContainersRead) + " containers", {}};
  }
}

void PodReader::left_out(std::string_view list) { shortened_.emplace(list); }

Result<policy::Pod> PodReader::decode(const Value& object) {
  ASSIGN_OR_RETURN(policy::Pod pod, decode_cluster_pod_in_parts(object, parts_, terms_));
  const std::size_t containers = pod.containers.size();
  parts_ = {};
  const bool is_large = containers > policy::kMostContainers ||
                        (containers > 1 && weight_of(pod.containers) > kMostContainerBytes);
  if (is_large) policy::fold_containers(pod);
  if (bound_amounts(pod)) shortened_.emplace("resources");
  if (bound_labels(pod)) shortened_.emplace("labels");
  if (bound_conditions(pod)) shortened_.emplace("conditions");
  if (policy::is_finished(pod)) return pod;
  if (is_large || !shortened_.empty()) tell(pod, is_large ? containers : 0);
  return pod;
}

void PodReader::tell(const policy::Pod& pod, std::size_t containers) {
  ++reduced_;
  if (told_.size() >= kMostTold) told_.clear();
  if (!told_.insert(pod.uid).second || news_.size() >= kMostNews) return;
  std::string words = policy::key_of(pod) + ":";
  if (containers > 0) {
    words +=
        " " + std::to_string(containers) +
        " containers, more than are kept one by one: it counts with their totals, and an agent "
        "does not resize it";
  }
  for (const std::string& list : shortened_) {
    words += (words.ends_with(':') ? " " : "; ") + list + ": too many, only the first ones count";
  }
  news_.push_back(std::move(words));
}

std::vector<std::string> PodReader::take_news() { return std::exchange(news_, {}); }

}  // namespace elbowroom::api

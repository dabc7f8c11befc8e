#include "api/watch/pod_reader.h"

#include <algorithm>
#include <utility>

#include "api/codec/bound_node.h"
#include "api/codec/decode_cluster_pod.h"
#include "api/codec/decode_common.h"
#include "api/codec/decode_placement.h"
#include "policy/model/capped_pod.h"

namespace elbowroom::api {
namespace {

// Limits that only few pods of any user reach.
constexpr std::size_t kMostConditions = 64;
constexpr std::size_t kMostMessageBytes = 4096;
constexpr std::size_t kMostOtherResources = 64;
constexpr std::size_t kMostLabelBytes = std::size_t{32} << 10;

constexpr std::size_t kMostNews = 10;             // until they are taken
constexpr std::size_t kMaxReportedPods = 10'000;  // how many pods are remembered

// For all containers of a pod that are kept one by one.
constexpr std::size_t kMostContainerBytes = std::size_t{64} << 10;

// For a pod that is reduced in size.
constexpr std::size_t kFewOtherResources = 4;
// More than any well-meant pod has. Without its labels no budget would cover the pod.
constexpr std::size_t kFewLabelBytes = 8192;
constexpr std::size_t kFewContainerBytes = 4096;

constexpr std::size_t kNodeOfMap = 64;

std::size_t weight_of(const policy::Resources& amounts) {
  std::size_t bytes = 0;
  for (const auto& [name, amount] : amounts.others) bytes += kNodeOfMap + 16 + name.size();
  return bytes;
}

// For a container, or for the pod itself.
template <class Of>
std::size_t weight_of_amounts(const Of& of) {
  std::size_t bytes = weight_of(of.desired.requests) + weight_of(of.desired.limits);
  for (const auto* each : {&of.allocated_requests, &of.actual_requests, &of.actual_limits}) {
    if (*each) bytes += weight_of(**each);
  }
  return bytes;
}

std::size_t weight_of(const policy::Container& container) {
  return sizeof container + container.name.size() + weight_of_amounts(container);
}

std::size_t weight_of(const std::vector<policy::Container>& containers) {
  std::size_t bytes = 0;
  for (const policy::Container& each : containers) bytes += weight_of(each);
  return bytes;
}

// True if something was removed.
bool bound(policy::Resources& amounts, std::size_t most) {
  if (amounts.others.size() <= most) return false;
  amounts.others.erase(std::next(amounts.others.begin(), static_cast<std::ptrdiff_t>(most)),
                       amounts.others.end());
  return true;
}

bool bound(std::optional<policy::Resources>& amounts, std::size_t most) {
  return amounts && bound(*amounts, most);
}

// For containers, and for the pod itself.
template <class Of>
bool bound_amounts_of(Of& of, std::size_t most) {
  bool any = bound(of.desired.requests, most);
  any = bound(of.desired.limits, most) || any;
  for (auto* each : {&of.allocated_requests, &of.actual_requests, &of.actual_limits}) {
    any = bound(*each, most) || any;
  }
  return any;
}

bool bound_amounts(policy::Pod& pod, std::size_t most) {
  bool any = bound(pod.overhead, most);
  any = bound_amounts_of(pod.pod_level, most) || any;
  for (policy::Container& each : pod.containers) any = bound_amounts_of(each, most) || any;
  return any;
}

// API servers do not limit these texts; a name has at most 253 bytes.
void bound_owner(policy::Pod& pod) {
  if (!pod.controller) return;
  for (std::string* text : {&pod.controller->kind, &pod.controller->name, &pod.controller->uid}) {
    if (text->size() > kMaxNameBytes) text->resize(kMaxNameBytes);
  }
}

bool bound_labels(policy::Pod& pod, std::size_t most) {
  std::size_t bytes = 0;
  for (auto at = pod.labels.begin(); at != pod.labels.end(); ++at) {
    bytes += at->first.size() + at->second.size();
    if (bytes <= most) continue;
    pod.labels.erase(at, pod.labels.end());
    return true;
  }
  return false;
}

// `containers`: how many, if only their totals count; otherwise 0.
std::string describe_reduction(std::size_t containers,
                               const std::set<std::string, std::less<>>& shortened) {
  std::string words;
  if (containers > 0) {
    words = std::to_string(containers) +
            " containers, more than are kept one by one: it counts with their totals, and an agent "
            "does not resize it";
  }
  for (const std::string& list : shortened) {
    words += (words.empty() ? "" : "; ") + list + ": too many, only the first ones count";
  }
  return words;
}

// Beyond the limit, the conditions that decisions read are kept first.
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
  bytes += weight_of_amounts(pod.pod_level);
  if (pod.controller) {
    bytes += pod.controller->kind.size() + pod.controller->name.size() + pod.controller->uid.size();
  }
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
  placement_left_ = kMostPlacementValues;
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
  if (is_large) policy::cap_containers(pod);
  bound_owner(pod);
  if (bound_amounts(pod, kMostOtherResources)) shortened_.emplace("resources");
  if (bound_labels(pod, kMostLabelBytes)) shortened_.emplace("labels");
  if (bound_conditions(pod)) shortened_.emplace("conditions");
  if (policy::is_finished(pod)) return pod;
  if (placement_left_ == 0 && terms_ == Terms::Read) pod = placed_nowhere(std::move(pod));
  if (is_large || !shortened_.empty())
    tell(pod, describe_reduction(is_large ? containers : 0, shortened_));
  return pod;
}

policy::Pod PodReader::placed_nowhere(policy::Pod pod) {
  pod.placement = api::placed_nowhere(std::move(pod.placement));
  tell(pod,
       "what it asks of its node and of other pods is too much to be looked at; it is placed "
       "nowhere, and keeps no pod away");
  return pod;
}

policy::Pod PodReader::made_small(policy::Pod pod) {
  const std::size_t containers = pod.containers.size();
  const bool folds = containers > 1 && weight_of(pod.containers) > kFewContainerBytes;
  std::set<std::string, std::less<>> shortened;
  if (folds) policy::cap_containers(pod);
  if (bound_amounts(pod, kFewOtherResources)) shortened.emplace("resources");
  if (bound_labels(pod, kFewLabelBytes)) shortened.emplace("labels");
  if (folds || !shortened.empty()) tell(pod, describe_reduction(folds ? containers : 0, shortened));
  return pod;
}

void PodReader::tell(const policy::Pod& pod, const std::string& what) {
  ++reduced_;
  if (told_.size() >= kMaxReportedPods) told_.clear();
  if (!told_.insert(pod.uid).second || news_.size() >= kMostNews) return;
  news_.push_back(policy::key_of(pod) + ": " + what);
}

std::vector<std::string> PodReader::take_news() { return std::exchange(news_, {}); }

}  // namespace elbowroom::api

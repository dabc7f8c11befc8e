#include "cli/preview/workload_counts.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

namespace elbowroom::cli {
namespace {

constexpr std::size_t kMostListed = 1'000;

using OwnersByUid = std::map<std::string_view, const policy::MoveOwner*>;

// The object at the top: the Deployment of a ReplicaSet, where it is known.
std::string workload_of(const policy::Pod& pod, const OwnersByUid& owners) {
  if (!pod.controller) return "Pod " + policy::key_of(pod);
  const auto by_uid = [&](const std::string& uid) {
    const auto found = owners.find(uid);
    return found == owners.end() || uid.empty() ? nullptr : found->second;
  };
  const policy::MoveOwner* owner = by_uid(pod.controller->uid);
  const policy::MoveOwner* above = owner == nullptr ? nullptr : by_uid(owner->controller);
  if (above != nullptr) return above->kind + " " + above->ns + "/" + above->name;
  return pod.controller->kind + " " + pod.ns + "/" + pod.controller->name;
}

}  // namespace

bool can_be_removed(const policy::Pod& pod) {
  return !policy::is_finished(pod) && !policy::is_terminating(pod) && !pod.is_static &&
         !pod.is_mirror;
}

WorkloadCounts count_workloads(const Manifests& manifests,
                               const std::function<bool(const policy::Pod&)>& counts) {
  OwnersByUid owners;
  for (const policy::MoveOwner& each : manifests.owners) owners.emplace(each.uid, &each);
  std::map<std::string, std::int64_t> pods;
  WorkloadCounts all;
  for (const policy::Pod& each : manifests.pods) {
    if (!counts(each)) continue;
    ++all.pods;
    ++pods[workload_of(each, owners)];
  }
  all.workloads = pods.size();
  for (const auto& [workload, count] : pods) all.largest.push_back({workload, count});
  std::ranges::sort(all.largest, {}, [](const WorkloadCount& each) {
    return std::tuple(-each.pods, std::string_view(each.workload));
  });
  if (all.largest.size() > kMostListed) all.largest.resize(kMostListed);
  return all;
}

}  // namespace elbowroom::cli

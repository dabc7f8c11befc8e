#include "lab/controllers/replica_set.h"

#include <algorithm>
#include <vector>

#include "lab/controllers/owned_objects.h"
#include "lab/controllers/pod_state.h"
#include "lab/controllers/pod_template.h"
#include "lab/world/selector.h"

namespace elbowroom::lab {
namespace {

constexpr std::int64_t kMostAtOnce = 500;  // upstream's BurstReplicas

std::vector<Object> counted_pods(const Json& set, const std::vector<Object>& owned) {
  const auto selector = selector_in(set, {"spec", "selector"});
  std::vector<Object> counted;
  for (const Object& pod : owned) {
    if (selector && is_active_pod(pod) && policy::matches(*selector, labels_of(pod))) {
      counted.push_back(pod);
    }
  }
  return counted;
}

bool create_pods(World& world, const Json& set, std::int64_t missing, std::vector<Object>& pods) {
  Json pod = pod_of_template(controller_kind("replicasets"), set);
  pod["metadata"]["generateName"] = text_at(set, {"metadata", "name"}) + "-";
  bool created = false;
  for (std::int64_t i = 0; i < std::min(missing, kMostAtOnce); ++i) {
    const auto made = world.create(controlled_pods(), text_at(set, {"metadata", "namespace"}), pod,
                                   {.manager = "kube-controller-manager"});
    if (!made) break;
    pods.push_back(*made);
    created = true;
  }
  return created;
}

bool delete_pods(World& world, std::int64_t surplus, std::vector<Object>& pods) {
  sort_least_wanted_first(pods);
  bool removed = false;
  const auto count = static_cast<std::ptrdiff_t>(std::min(surplus, kMostAtOnce));
  for (auto pod = pods.begin(); pod != pods.begin() + count; ++pod) {
    removed = remove_object(world, controlled_pods(), *pod) || removed;
  }
  pods.erase(pods.begin(), pods.begin() + count);
  return removed;
}

// Pods that have all the labels of the template.
std::int64_t fully_labelled(const Json& set, const std::vector<Object>& pods) {
  const Json& wanted = map_at(set, {"spec", "template", "metadata", "labels"});
  return std::ranges::count_if(pods, [&](const Object& pod) {
    const Json& labels = map_at(pod, {"metadata", "labels"});
    for (const auto& [key, value] : wanted.items()) {
      if (!labels.contains(key) || labels[key] != value) return false;
    }
    return true;
  });
}

ControllerStep step_one(World& world, const Object& set, const std::vector<Object>& owned,
                        policy::Time now) {
  ControllerStep step;
  std::vector<Object> pods = counted_pods(set, owned);
  const std::int64_t missing = desired_replicas(set) - std::ssize(pods);
  if (!is_leaving(set) && missing > 0) step.changed = create_pods(world, set, missing, pods);
  if (!is_leaving(set) && missing < 0) step.changed = delete_pods(world, -missing, pods);

  const auto counts =
      count_pods(pods, integer_at(set, {"spec", "minReadySeconds"}).value_or(0), now, step);
  Json status = {{"replicas", std::ssize(pods)},
                 {"observedGeneration", integer_at(set, {"metadata", "generation"}).value_or(0)}};
  put_count(status, "fullyLabeledReplicas", fully_labelled(set, pods));
  put_count(status, "readyReplicas", counts.ready);
  put_count(status, "availableReplicas", counts.available);
  const bool told = write_status(world, controller_kind("replicasets"), set, std::move(status));
  step.changed = step.changed || told;
  return step;
}

}  // namespace

ControllerStep step_replica_sets(World& world, policy::Time now) {
  ControllerStep all;
  const auto sets = stored_objects(world, controller_kind("replicasets"));
  if (sets.empty()) return all;
  const Dependants pods = controlled_objects(world, controlled_pods());
  for (const Object& set : sets) all.add(step_one(world, set, dependants_of(pods, set), now));
  return all;
}

}  // namespace elbowroom::lab

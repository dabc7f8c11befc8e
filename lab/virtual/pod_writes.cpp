#include "lab/virtual/pod_writes.h"

#include "lab/world/world_result.h"
#include "policy/model/removal_mark.h"

namespace elbowroom::lab {

const Kind& pods_kind() {
  static const Kind& kind = *find_kind("", "v1", "pods");
  return kind;
}

const Kind& nodes_kind() {
  static const Kind& kind = *find_kind("", "v1", "nodes");
  return kind;
}

Result<void> patch_status(World& world, const api::ObjectRef& pod, const std::string& patch) {
  ASSIGN_OR_RETURN(const Json body, parse_object(patch));
  return outcome_of(world.patch(
      {.kind = &pods_kind(), .ns = pod.ns, .name = pod.name, .subresource = Subresource::Status},
      PatchType::StrategicMerge, body));
}

Result<void> write_conditions(World& world, const api::ObjectRef& pod,
                              const api::PodStatusChange& change) {
  return patch_status(world, pod, api::conditions_patch(pod.uid, change));
}

Result<void> mark_victim(World& world, const api::ObjectRef& victim, bool clear,
                         const policy::Condition& mark) {
  api::PodStatusChange change;
  if (clear) {
    change.clear.emplace_back(policy::kDisruptionTarget);
  } else {
    change.set.push_back(mark);
  }
  return write_conditions(world, victim, change);
}

Result<void> delete_victim(World& world, const api::ObjectRef& victim, bool dry_run) {
  return outcome_of(world.remove({.kind = &pods_kind(), .ns = victim.ns, .name = victim.name},
                                 {.uid = victim.uid, .dry_run = dry_run}));
}

}  // namespace elbowroom::lab

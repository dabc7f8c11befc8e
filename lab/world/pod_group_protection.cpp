#include "lab/world/pod_group_protection.h"

#include <algorithm>

#include "lab/world/pod_group_rules.h"

namespace elbowroom::lab {
namespace {

const Kind& kind_of_groups() { return *find_kind("scheduling.k8s.io", "v1beta1", "podgroups"); }
const Kind& kind_of_pods() { return *find_kind("", "v1", "pods"); }

bool is_leaving(const Json& group) {
  const Json& finalizers = list_at(group, {"metadata", "finalizers"});
  return present_at(group, {"metadata", "deletionTimestamp"}) &&
         std::ranges::find(finalizers, Json(kPodGroupFinalizer)) != finalizers.end();
}

bool has_finished(const Json& pod) {
  const std::string phase = text_at(pod, {"status", "phase"});
  return phase == "Succeeded" || phase == "Failed";
}

}  // namespace

bool PodGroupProtection::is_due() const {
  if (world_.last_change(kind_of_groups()) != seen_groups_) return true;
  return !leaving_.empty() && world_.last_change(kind_of_pods()) != seen_pods_;
}

void PodGroupProtection::find_leaving() {
  const std::uint64_t last = world_.last_change(kind_of_groups());
  if (last == seen_groups_) return;
  seen_groups_ = last;
  leaving_.clear();
  for (const Json* group : world_.all_stored_objects(kind_of_groups())) {
    if (!is_leaving(*group)) continue;
    leaving_.emplace(text_at(*group, {"metadata", "namespace"}),
                     text_at(*group, {"metadata", "name"}));
  }
}

// The groups that pods name.
std::set<PodGroupProtection::Key> PodGroupProtection::used() const {
  std::set<Key> keys;
  for (const Json* pod : world_.all_stored_objects(kind_of_pods())) {
    std::string group = text_at(*pod, {"spec", "schedulingGroup", "podGroupName"});
    if (group.empty() || has_finished(*pod)) continue;
    keys.emplace(text_at(*pod, {"metadata", "namespace"}), std::move(group));
  }
  return keys;
}

bool PodGroupProtection::step() {
  if (!is_due()) return false;
  find_leaving();
  seen_pods_ = world_.last_change(kind_of_pods());
  if (leaving_.empty()) return false;
  const std::set<Key> in_use = used();
  bool changed = false;
  for (const Key& key : leaving_) {
    if (in_use.contains(key)) continue;
    const auto& [ns, name] = key;
    const Json* group = world_.peek(kind_of_groups(), ns, name);
    if (group == nullptr) continue;
    Json kept = list_at(*group, {"metadata", "finalizers"});
    std::erase(kept.get_ref<Json::array_t&>(), Json(kPodGroupFinalizer));
    const auto released = world_.patch({.kind = &kind_of_groups(), .ns = ns, .name = name},
                                       PatchType::Merge, {{"metadata", {{"finalizers", kept}}}},
                                       {.manager = "kube-controller-manager"});
    changed = changed || released.has_value();
  }
  return changed;
}

}  // namespace elbowroom::lab

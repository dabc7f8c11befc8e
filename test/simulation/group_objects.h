// Pod groups of histories as objects of the lab.
#pragma once

#include <string>

#include "lab/world/world.h"
#include "test/simulation/cluster_history.h"

namespace elbowroom::test {

[[nodiscard]] inline const lab::Kind& pod_groups() {
  return *lab::find_kind("scheduling.k8s.io", "v1beta1", "podgroups");
}

[[nodiscard]] inline lab::Json group_object(const ClusterStep& step) {
  using lab::Json;
  Json spec = {{"priority", step.c}};
  spec["schedulingPolicy"] =
      step.a == 0 ? Json{{"basic", Json::object()}} : Json{{"gang", {{"minCount", step.a}}}};
  const bool is_all = step.b == ClusterStep::All || step.b == ClusterStep::NotUnderstood;
  spec["disruptionMode"] = {{is_all ? "all" : "single", Json::object()}};
  if (step.b == ClusterStep::NeverPreempts) spec["preemptionPolicy"] = "Never";
  if (step.b == ClusterStep::OfParent) {
    spec["parentCompositePodGroupName"] = "parent";
    spec["workloadRef"] = {{"workloadName", "work"}, {"templateName", "one"}};
  }
  if (step.b == ClusterStep::NotUnderstood)
    spec["schedulingPolicy"] = {{"gang", {{"minCount", 0}}}};
  if (step.b == ClusterStep::WithClaims) {
    spec["resourceClaims"] = Json::array({{{"name", "gpu"}, {"resourceClaimName", "claim"}}});
  }
  return {{"apiVersion", "scheduling.k8s.io/v1beta1"},
          {"kind", "PodGroup"},
          {"metadata", {{"name", step.group}, {"namespace", "default"}}},
          {"spec", std::move(spec)}};
}

// What the pod says when it is in the group. Pods of one group have one owner.
inline void join_group(const std::string& group, lab::Json& pod) {
  pod["spec"]["schedulingGroup"] = {{"podGroupName", group}};
  pod["metadata"]["ownerReferences"] = lab::Json::array({{{"apiVersion", "batch/v1"},
                                                          {"kind", "Job"},
                                                          {"name", group},
                                                          {"uid", "uid-of-job-" + group},
                                                          {"controller", true}}});
}

// The groups, while a history is played.
class PlayedGroups {
 public:
  explicit PlayedGroups(lab::World& world) : world_(world) {}

  // False: the step is not about a group alone.
  bool apply(const ClusterStep& step) {
    using Kind = ClusterStep::Kind;
    switch (step.kind) {
      case Kind::Group:
        begin(step);
        return true;
      case Kind::GroupGone:
        (void)world_.remove(at(step.group), {});
        return true;
      case Kind::GroupReplace:
        replace(step);
        return true;
      case Kind::GroupCount:
        change_count(step);
        return true;
      case Kind::Serve:
        world_.serve_groups(step.a == 0 ? lab::GroupVersions::None : lab::GroupVersions::All);
        return true;
      default:
        return false;
    }
  }

 private:
  [[nodiscard]] static lab::Target at(const std::string& name) {
    return {.kind = &pod_groups(), .ns = "default", .name = name};
  }
  [[nodiscard]] const lab::Json* known(const std::string& name) const {
    return world_.peek(pod_groups(), "default", name);
  }

  void begin(const ClusterStep& step) {
    if (known(step.group) == nullptr) (void)world_.load(group_object(step));
  }

  void replace(const ClusterStep& step) {
    if (known(step.group) == nullptr) return;
    (void)world_.patch(at(step.group), lab::PatchType::Merge,
                       {{"metadata", {{"finalizers", lab::Json::array()}}}});
    (void)world_.remove(at(step.group), {.grace_seconds = 0});
    begin(step);
  }

  // Of a gang; it stays one.
  void change_count(const ClusterStep& step) {
    const lab::Json* group = known(step.group);
    if (group == nullptr || !lab::present_at(*group, {"spec", "schedulingPolicy", "gang"})) return;
    (void)world_.patch(at(step.group), lab::PatchType::Merge,
                       {{"spec", {{"schedulingPolicy", {{"gang", {{"minCount", step.a}}}}}}}});
  }

  lab::World& world_;
};

}  // namespace elbowroom::test

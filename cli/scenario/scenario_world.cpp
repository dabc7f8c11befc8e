#include "cli/scenario/scenario_world.h"

#include <algorithm>
#include <array>
#include <utility>

#include "cli/scenario/scenario_cluster.h"
#include "lab/world/patch.h"
#include "lab/world/selector.h"
#include "policy/model/selector.h"

namespace elbowroom::cli {
namespace {

using lab::Json;

std::string name_in(const lab::Kind& kind, const ObjectName& name) {
  return std::string(kind.name) + " " + (kind.namespaced ? name.ns + "/" : "") + name.name;
}

const lab::Kind& pod_kind() {
  static const lab::Kind& kind = *lab::find_kind("", "v1", "pods");
  return kind;
}

const lab::Kind* kind_of(const Json& object) {
  const std::string name = lab::text_at(object, {"kind"});
  for (const lab::Kind& kind : lab::all_kinds()) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

// Without controllers nobody reads the objects of apps/v1.
bool has_effect(const lab::Kind& kind, bool has_controllers) {
  return kind.group != "apps" || has_controllers;
}

template <class T>
Result<void> outcome_of(const lab::Answer<T>& answer) {
  if (answer) return {};
  const Code code = answer.error().code == 404 ? Code::NotFound : Code::Invalid;
  return failure(code, answer.error().message);
}

// A given priority stays, whatever its class; a class that does not exist is dropped.
void settle_priority(const lab::World& world, Json& pod) {
  const std::string name = lab::text_at(pod, {"spec", "priorityClassName"});
  if (name.empty()) return;
  const lab::Kind& classes = *lab::find_kind("scheduling.k8s.io", "v1", "priorityclasses");
  const bool is_given = lab::integer_at(pod, {"spec", "priority"}).has_value();
  if (is_given || world.peek(classes, "", name) == nullptr) {
    pod["spec"].erase("priorityClassName");
  }
}

Result<void> load(lab::World& world, const lab::Kind& kind, Json object) {
  object["apiVersion"] = lab::api_version_of(kind);
  if (kind.name == "Pod") settle_priority(world, object);
  return outcome_of(world.load(std::move(object)));
}

// Objects that validate others come first, pods last.
int rank_of(const lab::Kind& kind) {
  constexpr std::array<std::string_view, 3> kFirst = {"Namespace", "PriorityClass", "Node"};
  const auto at = std::ranges::find(kFirst, kind.name);
  if (at != kFirst.end()) return static_cast<int>(at - kFirst.begin());
  return kind.name == "Pod" ? 9 : 5;
}

// Replaces the object; its generation counts the changes of its spec.
Result<void> replace(lab::World& world, const lab::Kind& kind, const Json& live, Json wanted) {
  if (kind.counts_generation && lab::map_at(wanted, {"spec"}) != lab::map_at(live, {"spec"}) &&
      lab::integer_at(wanted, {"metadata", "generation"}) ==
          lab::integer_at(live, {"metadata", "generation"})) {
    wanted["metadata"]["generation"] =
        lab::integer_at(live, {"metadata", "generation"}).value_or(0) + 1;
  }
  wanted["metadata"].erase("resourceVersion");
  return load(world, kind, std::move(wanted));
}

StepOutcome told(std::string words, const lab::Kind& kind, const ObjectName& name) {
  if (kind.name == "Pod") return {.words = std::move(words)};
  return {.words = std::move(words) + " " + name_in(kind, name),
          .is_event = true,
          .node = kind.name == "Node" ? name.name : ""};
}

using Uids = std::set<std::string, std::less<>>;

Json with_fresh_uid(Json object, const Uids& used) {
  const std::string uid = lab::text_at(object, {"metadata", "uid"});
  std::string fresh = uid;
  for (int again = 2; used.contains(fresh); ++again) fresh = uid + "#" + std::to_string(again);
  object["metadata"]["uid"] = fresh;
  return object;
}

Result<StepOutcome> apply(ScenarioCluster& cluster, const ApplyStep& step, const Uids& used) {
  lab::World& world = cluster.world();
  const lab::Kind* kind = kind_of(step.object);
  if (kind == nullptr || !has_effect(*kind, cluster.has_controllers()))
    return StepOutcome{};  // has no effect here, and is named on stderr
  ObjectName name{.name = lab::text_at(step.object, {"metadata", "name"})};
  if (kind->namespaced) name.ns = lab::text_at(step.object, {"metadata", "namespace"});
  if (kind->namespaced && name.ns.empty()) name.ns = "default";
  const Json* live = world.peek(*kind, name.ns, name.name);
  if (live == nullptr) {
    RETURN_IF_ERROR(load(world, *kind, with_fresh_uid(step.object, used)));
    return told("created", *kind, name);
  }
  const Json before = *live;
  Json changed = step.object;
  changed["metadata"].erase("uid");
  RETURN_IF_ERROR(replace(world, *kind, before, lab::merge_patched(before, changed)));
  return told("applied", *kind, name);
}

// The containers of a list with their changed amounts; removes those it finds from `wanted`.
Json resized_list(const Json& pod, const char* list, std::map<std::string, Json>& wanted) {
  Json all = lab::list_at(pod, {"spec", list});
  for (Json& container : all) {
    const auto found = wanted.find(lab::text_at(container, {"name"}));
    if (found == wanted.end()) continue;
    container["resources"] =
        lab::merge_patched(lab::map_at(container, {"resources"}), found->second);
    wanted.erase(found);
  }
  return all;
}

Result<StepOutcome> apply(ScenarioCluster& cluster, const ResizeStep& step, const Uids& /*used*/) {
  const Json* live = cluster.world().peek(pod_kind(), step.pod.ns, step.pod.name);
  if (live == nullptr) {
    return failure(Code::NotFound, "there is no " + name_in(pod_kind(), step.pod) + " to resize");
  }
  const std::string node = lab::text_at(*live, {"spec", "nodeName"});
  std::map<std::string, Json> wanted = step.containers;
  Json patch = {{"spec", Json::object()}};
  for (const char* list : {"containers", "initContainers"}) {
    Json resized = resized_list(*live, list, wanted);
    if (!resized.empty()) patch["spec"][list] = std::move(resized);
  }
  if (!wanted.empty()) {
    return failure(Code::Invalid, name_in(pod_kind(), step.pod) + " has no container \"" +
                                      wanted.begin()->first + "\"");
  }
  const auto resized = cluster.world().patch({.kind = &pod_kind(),
                                              .ns = step.pod.ns,
                                              .name = step.pod.name,
                                              .subresource = lab::Subresource::Resize},
                                             lab::PatchType::Merge, patch);
  if (!resized) {
    return StepOutcome{.words = "refused: " + resized.error().message,
                       .is_event = true,
                       .pod = step.pod.ns + "/" + step.pod.name,
                       .node = node,
                       .refusal = resized.error().message};
  }
  return StepOutcome{.words = "resized"};
}

Result<StepOutcome> apply(ScenarioCluster& cluster, const DeleteStep& step, const Uids& /*used*/) {
  RETURN_IF_ERROR(outcome_of(
      cluster.world().remove({.kind = step.kind, .ns = step.name.ns, .name = step.name.name}, {})));
  return told("deleted", *step.kind, step.name);
}

Result<StepOutcome> apply(ScenarioCluster& cluster, const ExitStep& step, const Uids& /*used*/) {
  RETURN_IF_ERROR(cluster.exit_pod(step.pod.ns, step.pod.name));
  return StepOutcome{.words = "its containers finished"};
}

Result<StepOutcome> apply(ScenarioCluster& cluster, const PatchStep& step, const Uids& /*used*/) {
  const Json* live = cluster.world().peek(*step.kind, step.name.ns, step.name.name);
  if (live == nullptr) {
    return failure(Code::NotFound, "there is no " + name_in(*step.kind, step.name) + " to patch");
  }
  const Json before = *live;
  Json wanted = lab::merge_patched(before, step.merge);
  const auto same = [&](std::string_view field) {
    return lab::text_at(wanted, {"metadata", field}) == lab::text_at(before, {"metadata", field});
  };
  if (!same("name") || !same("namespace") || !same("uid")) {
    return failure(Code::Invalid, "a patch cannot change metadata.name, namespace or uid");
  }
  RETURN_IF_ERROR(replace(cluster.world(), *step.kind, before, std::move(wanted)));
  return told("patched", *step.kind, step.name);
}

Result<StepOutcome> apply(ScenarioCluster& cluster, const EvictStep& step, const Uids& /*used*/) {
  ASSIGN_OR_RETURN(const EvictionDecision decision, cluster.evict(step.pod, step.avoids_node));
  if (decision.result == EvictionResult::Evicted) return StepOutcome{.words = "evicted"};
  return StepOutcome{.words = "not evicted: " + decision.by,
                     .is_event = true,
                     .pod = decision.pod,
                     .node = decision.node};
}

Result<StepOutcome> apply(ScenarioCluster& cluster, const RestartStep& step, const Uids& /*used*/) {
  if (step.is_rescheduler) {
    RETURN_IF_ERROR(cluster.restart_rescheduler());
    return StepOutcome{.words = "rescheduler", .is_event = true};
  }
  if (step.node.empty()) {
    RETURN_IF_ERROR(cluster.restart_scheduler());
    return StepOutcome{.words = "scheduler", .is_event = true};
  }
  RETURN_IF_ERROR(cluster.restart_agent(step.node));
  return StepOutcome{.words = "agent/" + step.node, .is_event = true, .node = step.node};
}

}  // namespace

Result<void> load_world(lab::World& world, const std::vector<Value>& objects,
                        bool has_controllers) {
  std::vector<std::pair<const lab::Kind*, const Value*>> ordered;
  for (const Value& object : objects) {
    const Value* name = object.find("kind");
    const auto kinds = lab::all_kinds();
    const auto kind = std::ranges::find_if(
        kinds, [&](const lab::Kind& each) { return name != nullptr && each.name == name->text; });
    // Decoded elsewhere, and without effect here.
    if (kind != kinds.end() && has_effect(*kind, has_controllers))
      ordered.emplace_back(&*kind, &object);
  }
  std::ranges::stable_sort(ordered, {}, [](const auto& each) { return rank_of(*each.first); });
  for (const auto& [kind, object] : ordered) {
    RETURN_IF_ERROR(load(world, *kind, lab::to_tree(*object)));
  }
  return {};
}

Result<StepOutcome> apply_step(ScenarioCluster& cluster, const Step& step,
                               const std::set<std::string, std::less<>>& used_uids) {
  auto outcome =
      std::visit([&](const auto& what) { return apply(cluster, what, used_uids); }, step.what);
  if (!outcome) return std::unexpected(outcome.error().with(step.place));
  return outcome;
}

void charge_budgets(lab::World& world, const policy::Pod& pod) {
  const lab::Kind& kind = *lab::find_kind("policy", "v1", "poddisruptionbudgets");
  std::vector<std::pair<std::string, std::int64_t>> covering;
  for (const Json* budget : world.all_stored_objects(kind)) {
    if (lab::text_at(*budget, {"metadata", "namespace"}) != pod.ns) continue;
    const auto selector = lab::selector_in(*budget, {"spec", "selector"});
    const auto allowed = lab::integer_at(*budget, {"status", "disruptionsAllowed"});
    if (!selector || !policy::matches(*selector, pod.labels) || allowed.value_or(0) <= 0) continue;
    // An eviction has charged it.
    if (lab::map_at(*budget, {"status", "disruptedPods"}).contains(pod.name)) continue;
    covering.emplace_back(lab::text_at(*budget, {"metadata", "name"}), *allowed - 1);
  }
  for (const auto& [name, left] : covering) {
    (void)world.patch(
        {.kind = &kind, .ns = pod.ns, .name = name, .subresource = lab::Subresource::Status},
        lab::PatchType::Merge, {{"status", {{"disruptionsAllowed", left}}}});
  }
}

}  // namespace elbowroom::cli

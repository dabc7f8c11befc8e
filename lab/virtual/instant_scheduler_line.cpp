#include "lab/virtual/instant_scheduler_line.h"

#include <set>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "api/codec/bound_node.h"
#include "api/codec/decode_budget.h"
#include "api/codec/decode_namespace.h"
#include "api/codec/decode_node.h"
#include "api/codec/decode_pod_group.h"
#include "api/codec/decode_priority_class.h"
#include "api/codec/decode_selecting.h"
#include "api/codec/decode_volume.h"
#include "api/write/debit.h"
#include "api/write/pod_status.h"
#include "api/write/volume_patch.h"
#include "lab/virtual/pod_writes.h"
#include "lab/virtual/stored_pod.h"
#include "lab/world/world_result.h"
#include "policy/resize/resize_conditions.h"
#include "scheduler/collections.h"

namespace elbowroom::lab {
namespace {

const Kind& namespace_kind() {
  static const Kind& kind = *find_kind("", "v1", "namespaces");
  return kind;
}

std::string key_in(const Json& object) {
  return text_at(object, {"metadata", "namespace"}) + "/" + text_at(object, {"metadata", "name"});
}

scheduler::Unreadable unreadable(std::string kind, const Json& object, const Error& error) {
  return {.kind = std::move(kind),
          .key = key_in(object),
          .why = error.message,
          .uid = text_at(object, {"metadata", "uid"}),
          .node = api::bound_node(to_value(object))};
}

// The two kinds of budgets.
struct PodBudgets {
  using Budget = policy::PodDisruptionBudget;
  static constexpr const char* kName = "PodDisruptionBudget";
  static const Kind& kind() {
    static const Kind& kind = *find_kind("policy", "v1", "poddisruptionbudgets");
    return kind;
  }
  static auto decode(const Json& object) {
    return api::decode_pod_disruption_budget(to_value(object));
  }
};
struct OwnBudgets {
  using Budget = policy::DisruptionBudget;
  static constexpr const char* kName = "DisruptionBudget";
  static const Kind& kind() {
    static const Kind& kind = *find_kind("elbowroom.dev", "v1alpha1", "disruptionbudgets");
    return kind;
  }
  static auto decode(const Json& object) { return api::decode_disruption_budget(to_value(object)); }
};

// nullptr: this world has no such kind.
const Kind* pod_groups_kind() { return find_kind("scheduling.k8s.io", "v1beta1", "podgroups"); }
struct PodGroups {
  using Budget = policy::PodGroup;
  static constexpr const char* kName = "PodGroup";
  static const Kind& kind() { return *pod_groups_kind(); }
  static auto decode(const Json& object) { return api::decode_pod_group(to_value(object)); }
};

struct PriorityClasses {
  using Budget = api::PriorityClass;
  static constexpr const char* kName = "PriorityClass";
  static const Kind& kind() {
    static const Kind& kind = *find_kind("scheduling.k8s.io", "v1", "priorityclasses");
    return kind;
  }
  static auto decode(const Json& object) { return api::decode_priority_class(to_value(object)); }
};

// Calls take(kind, decode) for each kind that volumes depend on.
template <class Take>
void each_kind_of_volumes(Take take) {
  const auto storage = [](std::string_view plural) -> const Kind& {
    return *find_kind("storage.k8s.io", "v1", plural);
  };
  take(*find_kind("", "v1", "persistentvolumeclaims"), api::decode_volume_claim);
  take(*find_kind("", "v1", "persistentvolumes"), api::decode_volume);
  take(storage("storageclasses"), api::decode_storage_class);
  take(storage("csinodes"), api::decode_csi_node);
  take(storage("csidrivers"), api::decode_csi_driver);
  take(storage("csistoragecapacities"), api::decode_storage_capacity);
}
template <class Decode>
using DecodedBy = typename std::invoke_result_t<Decode, const Value&, api::Source>::value_type;

// What selects pods.
const Kind& selecting_kind(policy::SelectingKind selecting) {
  const scheduler::Collection of = scheduler::collection_of(selecting);
  const control::CollectionRow& row = scheduler::row_of(of);
  return *find_kind(row.group, row.version, row.resource);
}
template <policy::SelectingKind kOf>
struct Selecting {
  using Budget = scheduler::SelectingOf<kOf>;
  static constexpr std::string_view kName = scheduler::row_of(scheduler::collection_of(kOf)).kind;
  static const Kind& kind() {
    static const Kind& kind = selecting_kind(kOf);
    return kind;
  }
  static Result<Budget> decode(const Json& object) {
    ASSIGN_OR_RETURN(policy::Selecting made, api::decode_selecting(to_value(object), kOf));
    return Budget{std::move(made)};
  }
};
using Services = Selecting<policy::SelectingKind::Service>;
using ReplicationControllers = Selecting<policy::SelectingKind::ReplicationController>;
using ReplicaSets = Selecting<policy::SelectingKind::ReplicaSet>;
using StatefulSets = Selecting<policy::SelectingKind::StatefulSet>;

}  // namespace

InstantSchedulerLine::InstantSchedulerLine(World& world, Record& record, bool places, Tell tell)
    : world_(world), record_(record), places_(places), tell_(std::move(tell)) {}

Result<cluster::PackedPod> InstantSchedulerLine::packed(const Object& object) const {
  ASSIGN_OR_RETURN(const policy::Pod pod, places_ ? cluster_pod(object) : placed_pod(object));
  return cluster::PackedPod::packed(pod);
}

// ---- what is seen ----

template <class Of>
void InstantSchedulerLine::list_budgets() {
  control::Listed<typename Of::Budget> list;
  for (const Json* object : world_.all_stored_objects(Of::kind())) {
    auto budget = Of::decode(*object);
    if (budget) {
      list.objects.push_back(std::move(*budget));
    } else {
      list.unreadable.push_back(key_in(*object));
      tell_(unreadable(std::string(Of::kName), *object, budget.error()));
    }
  }
  tell_(std::move(list));
}

void InstantSchedulerLine::list_selecting() {
  list_budgets<Services>();
  list_budgets<ReplicationControllers>();
  list_budgets<ReplicaSets>();
  list_budgets<StatefulSets>();
}

template <class Of>
void InstantSchedulerLine::look_at_budget(const Json* object, const ChangedObject& which) {
  if (object == nullptr) {
    tell_(control::Gone<typename Of::Budget>{which.ns + "/" + which.name, ""});
  } else if (auto budget = Of::decode(*object)) {
    tell_(control::Seen<typename Of::Budget>{std::move(*budget)});
  } else {
    tell_(unreadable(std::string(Of::kName), *object, budget.error()));
  }
}

bool InstantSchedulerLine::look() {
  if (!is_behind()) return false;
  return std::exchange(has_looked_, true) ? look_at_changes() : list_all();
}

bool InstantSchedulerLine::list_all() {
  version_ = world_.version();
  list_nodes();
  list_budgets<PodBudgets>();
  list_budgets<OwnBudgets>();
  if (places_) list_namespaces();
  if (places_) list_volumes();
  if (places_) list_selecting();
  if (pod_groups_kind() == nullptr) {
    tell_(scheduler::PodGroupsListed{});
  } else {
    list_budgets<PodGroups>();
  }
  list_budgets<PriorityClasses>();
  list_pods();
  return true;
}

void InstantSchedulerLine::list_nodes() {
  scheduler::NodesListed nodes;
  for (const Json* object : world_.all_stored_objects(nodes_kind())) {
    if (auto node = api::decode_node(to_value(*object))) nodes.objects.push_back(std::move(*node));
  }
  tell_(std::move(nodes));
}

void InstantSchedulerLine::list_namespaces() {
  scheduler::NamespacesListed namespaces;
  for (const Json* object : world_.all_stored_objects(namespace_kind())) {
    auto one = api::decode_namespace(to_value(*object));
    if (one) namespaces.objects.push_back(std::move(*one));
  }
  tell_(std::move(namespaces));
}

void InstantSchedulerLine::list_volumes() {
  each_kind_of_volumes([this](const Kind& kind, auto decode) {
    control::Listed<DecodedBy<decltype(decode)>> list;
    for (const Json* object : world_.all_stored_objects(kind)) {
      auto one = decode(to_value(*object), api::Source::Server);
      if (one) list.objects.push_back(*std::move(one));
    }
    tell_(std::move(list));
  });
}

// False: the kind is none of those.
bool InstantSchedulerLine::look_at_volumes(const Kind& kind, const Json* object,
                                           const ChangedObject& which) {
  bool found = false;
  each_kind_of_volumes([&](const Kind& each, auto decode) {
    using T = DecodedBy<decltype(decode)>;
    if (&each != &kind) return;
    found = true;
    if (object != nullptr) {
      if (auto one = decode(to_value(*object), api::Source::Server)) {
        tell_(control::Seen<T>{*std::move(one)});
        return;
      }
    }
    tell_(control::Gone<T>{which.ns.empty() ? which.name : which.ns + "/" + which.name, ""});
  });
  return found;
}

void InstantSchedulerLine::list_pods() {
  scheduler::PodsListed pods;
  for (const Json* object : world_.all_stored_objects(pods_kind())) {
    auto pod = packed(stored_pod(world_, *object));
    if (pod) {
      pods.objects.push_back(std::move(*pod));
    } else {
      pods.unreadable.push_back(key_in(*object));
      tell_(unreadable("Pod", *object, pod.error()));
    }
  }
  tell_(std::move(pods));
}

// All changes of an instant are reported as one. Otherwise a pod that took the room another pod
// left could look as if both had it, depending on the order.
bool InstantSchedulerLine::look_at_changes() {
  const std::uint64_t since = std::exchange(version_, world_.version());
  bool any = false;
  std::vector<const Kind*> kinds{&nodes_kind(), &PodBudgets::kind(), &OwnBudgets::kind(),
                                 &PriorityClasses::kind(), pod_groups_kind()};
  if (places_) {
    kinds.insert(kinds.begin(),
                 {&namespace_kind(), &Services::kind(), &ReplicationControllers::kind(),
                  &ReplicaSets::kind(), &StatefulSets::kind()});
    each_kind_of_volumes([&](const Kind& kind, auto) { kinds.push_back(&kind); });
  }
  kinds.push_back(&pods_kind());
  for (const Kind* kind : kinds) {
    if (kind == nullptr) continue;
    const auto changed = world_.changed_after(*kind, since);
    if (!changed) return list_all();
    std::set<std::pair<std::string_view, std::string_view>> taken;
    for (const ChangedObject& each : *changed) {
      if (!taken.emplace(each.ns, each.name).second) continue;
      if (!std::exchange(any, true))
        tell_(scheduler::Lost{scheduler::Collection::Pods, "an instant"});
      look_at(*kind, each);
    }
  }
  if (any) tell_(scheduler::Back{scheduler::Collection::Pods});
  return any;
}

void InstantSchedulerLine::look_at(const Kind& kind, const ChangedObject& which) {
  const Object* object = world_.find_stored_object(kind, which.ns, which.name);
  const Json* tree = object == nullptr ? nullptr : &object->json();
  if (look_at_volumes(kind, tree, which)) return;
  if (&kind == &nodes_kind()) {
    look_at_node(tree, which.name);
  } else if (&kind == &pods_kind()) {
    look_at_pod(object, which.ns + "/" + which.name);
  } else if (&kind == &namespace_kind()) {
    look_at_namespace(tree, which.name);
  } else if (&kind == &Services::kind()) {
    look_at_budget<Services>(tree, which);
  } else if (&kind == &ReplicationControllers::kind()) {
    look_at_budget<ReplicationControllers>(tree, which);
  } else if (&kind == &ReplicaSets::kind()) {
    look_at_budget<ReplicaSets>(tree, which);
  } else if (&kind == &StatefulSets::kind()) {
    look_at_budget<StatefulSets>(tree, which);
  } else if (&kind == &OwnBudgets::kind()) {
    look_at_budget<OwnBudgets>(tree, which);
  } else if (&kind == &PriorityClasses::kind()) {
    look_at_budget<PriorityClasses>(tree, which);
  } else if (&kind == pod_groups_kind()) {
    look_at_budget<PodGroups>(tree, which);
  } else {
    look_at_budget<PodBudgets>(tree, which);
  }
}

void InstantSchedulerLine::look_at_node(const Json* object, const std::string& name) {
  if (object != nullptr) {
    if (auto node = api::decode_node(to_value(*object))) {
      tell_(scheduler::NodeSeen{std::move(*node)});
      return;
    }
  }
  // An unreadable Node may have no room, or forbid what its last state allowed.
  tell_(scheduler::NodeGone{name, ""});
}

void InstantSchedulerLine::look_at_namespace(const Json* object, const std::string& name) {
  if (object == nullptr) {
    tell_(scheduler::NamespaceGone{name, ""});
  } else if (auto one = api::decode_namespace(to_value(*object))) {
    tell_(scheduler::NamespaceSeen{std::move(*one)});
  }
}

void InstantSchedulerLine::look_at_pod(const Object* object, const std::string& key) {
  if (object == nullptr) {
    tell_(scheduler::PodGone{key, ""});
    return;
  }
  auto pod = packed(*object);
  if (pod) {
    tell_(scheduler::PodSeen{std::move(*pod)});
  } else {
    tell_(unreadable("Pod", *object, pod.error()));
  }
}

// ---- what is written ----

InstantSchedulerLine::Seen InstantSchedulerLine::answer(const scheduler::Effect& effect) {
  scheduler::Done done{.effect = effect.id};
  Result<void> outcome;
  if (const auto* confirm = std::get_if<scheduler::ConfirmResize>(&effect.what)) {
    auto pod = look_up(*confirm);
    if (!pod) return scheduler::Failed{.effect = effect.id, .error = std::move(pod).error()};
    done.pod = *std::move(pod);
  } else if (const auto* asked = std::get_if<scheduler::ConfirmGroup>(&effect.what)) {
    auto group = look_up(*asked);
    if (!group) return scheduler::Failed{.effect = effect.id, .error = std::move(group).error()};
    done.group = *std::move(group);
  } else if (const auto* read = std::get_if<scheduler::ReadLedger>(&effect.what)) {
    auto budget = look_up(*read);
    if (!budget) return scheduler::Failed{.effect = effect.id, .error = std::move(budget).error()};
    done.budget = *std::move(budget);
  } else if (const auto* write = std::get_if<scheduler::WriteLedger>(&effect.what)) {
    auto budget = debit(*write);
    if (!budget) return scheduler::Failed{.effect = effect.id, .error = std::move(budget).error()};
    done.budget = *std::move(budget);
  } else if (std::holds_alternative<scheduler::ReadBreaker>(effect.what)) {
    if (!record_) return scheduler::Failed{effect.id, {Code::NotFound, "it is not there", {}}};
    done.breaker = record_;
  } else if (const auto* breaker = std::get_if<scheduler::WriteBreaker>(&effect.what)) {
    record_ = breaker->stored;
    record_->resource_version = "1";  // no other writer
    done.breaker = record_;
  } else {
    outcome = std::visit(
        [this](const auto& what) -> Result<void> {
          if constexpr (requires { this->write(what); }) {
            return this->write(what);
          } else {
            return failure(Code::Internal, "there is no Lease here");
          }
        },
        effect.what);
  }
  if (!outcome) {
    return scheduler::Failed{.effect = effect.id, .error = std::move(outcome).error()};
  }
  return done;
}

Result<cluster::PackedPod> InstantSchedulerLine::look_up(
    const scheduler::ConfirmResize& confirm) const {
  const Object* object =
      world_.find_stored_object(pods_kind(), confirm.preemptor.ns, confirm.preemptor.name);
  if (object == nullptr) {
    return failure(Code::NotFound,
                   "pod " + confirm.preemptor.ns + "/" + confirm.preemptor.name + " is not there");
  }
  ASSIGN_OR_RETURN(const cluster::PackedPod preemptor, packed(*object));
  policy::Pod pod = preemptor.unpacked();
  const Object* shown = world_.find_stored_object(nodes_kind(), "", pod.node);
  if (shown == nullptr) return preemptor;
  ASSIGN_OR_RETURN(const policy::Node node, api::decode_node(to_value(shown->json())));
  policy::drop_outlived_policy(pod, node);
  return cluster::PackedPod::packed(pod);
}

Result<policy::PodGroup> InstantSchedulerLine::look_up(
    const scheduler::ConfirmGroup& confirm) const {
  const Kind* kind = pod_groups_kind();
  const Object* object =
      kind == nullptr ? nullptr
                      : world_.find_stored_object(*kind, confirm.group.ns, confirm.group.name);
  if (object == nullptr) {
    return failure(Code::NotFound, "pod group " + name_of(confirm.group) + " is not there");
  }
  return api::decode_pod_group(to_value(object->json()));
}

Result<policy::DisruptionBudget> InstantSchedulerLine::look_up(
    const scheduler::ReadLedger& read) const {
  const Object* object =
      world_.find_stored_object(OwnBudgets::kind(), read.budget.ns, read.budget.name);
  if (object == nullptr) {
    return failure(Code::NotFound, "disruption budget " + to_string(read.budget) + " is not there");
  }
  return OwnBudgets::decode(object->json());
}

Result<policy::DisruptionBudget> InstantSchedulerLine::debit(const scheduler::WriteLedger& write) {
  const cluster::BudgetName& budget = write.budget;
  ASSIGN_OR_RETURN(const api::Request request,
                   api::debit_request({.ns = budget.ns, .name = budget.name, .uid = budget.uid},
                                      write.version, write.ledger));
  ASSIGN_OR_RETURN(const Json body, parse_object(request.body));
  RETURN_IF_ERROR(outcome_of(world_.patch({.kind = &OwnBudgets::kind(),
                                           .ns = budget.ns,
                                           .name = budget.name,
                                           .subresource = Subresource::Status},
                                          PatchType::Merge, body)));
  return look_up(scheduler::ReadLedger{budget});
}

Result<void> InstantSchedulerLine::write(const scheduler::WriteGroupStatus& status) {
  const Kind* kind = pod_groups_kind();
  if (kind == nullptr) return failure(Code::NotFound, "pod groups are not served");
  ASSIGN_OR_RETURN(const std::string patch,
                   api::group_conditions_patch(ref_of(status.group), status.set));
  ASSIGN_OR_RETURN(const Json body, parse_object(patch));
  return outcome_of(world_.patch({.kind = kind,
                                  .ns = status.group.ns,
                                  .name = status.group.name,
                                  .subresource = Subresource::Status},
                                 PatchType::StrategicMerge, body));
}

Result<void> InstantSchedulerLine::write(const scheduler::BindPod& bind) {
  return outcome_of(
      world_.bind(bind.pod.ns, bind.pod.name,
                  {{"metadata", {{"uid", bind.pod.uid}}}, {"target", {{"name", bind.node}}}}));
}

Result<void> InstantSchedulerLine::write(const scheduler::BindVolume& bind) {
  ASSIGN_OR_RETURN(const Json body,
                   parse_object(api::claim_ref_patch(bind.uid, bind.resource_version, bind.claim,
                                                     !bind.was_reserved)));
  return outcome_of(
      world_.patch({.kind = find_kind("", "v1", "persistentvolumes"), .name = bind.volume},
                   PatchType::Merge, body));
}

Result<void> InstantSchedulerLine::write(const scheduler::SelectNode& select) {
  ASSIGN_OR_RETURN(const Json body, parse_object(api::selected_node_patch(
                                        select.uid, select.resource_version, select.node)));
  return outcome_of(world_.patch(
      {.kind = find_kind("", "v1", "persistentvolumeclaims"), .ns = select.ns, .name = select.name},
      PatchType::Merge, body));
}

Result<void> InstantSchedulerLine::write(const scheduler::WritePending& pending) {
  api::PodStatusChange change{.nominated_node = pending.nominated};
  if (pending.scheduled) change.set.push_back(*pending.scheduled);
  return write_conditions(world_, ref_of(pending.pod), change);
}

Result<void> InstantSchedulerLine::write(const scheduler::MarkVictim& mark) {
  return mark_victim(world_, ref_of(mark.victim), mark.clear, mark.condition);
}

Result<void> InstantSchedulerLine::write(const scheduler::DeleteVictim& removal) {
  auto done = delete_victim(world_, ref_of(removal.victim), removal.dry_run);
  // A pod that is already gone counts as deleted, as in the scheduler's client.
  if (!done && done.error().code == Code::NotFound) return {};
  return done;
}

}  // namespace elbowroom::lab

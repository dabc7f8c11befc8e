#include "lab/virtual/direct_scheduler.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <set>
#include <utility>

#include "api/codec/bound_node.h"
#include "api/codec/decode_budget.h"
#include "api/codec/decode_cluster_pod.h"
#include "api/codec/decode_namespace.h"
#include "api/codec/decode_node.h"
#include "api/write/pod_status.h"
#include "lab/world/world_result.h"
#include "policy/model/removal_mark.h"
#include "scheduler/event_table.h"

namespace elbowroom::lab {
namespace {

using scheduler::TurnResult;

const Kind& pod_kind() {
  static const Kind& kind = *find_kind("", "v1", "pods");
  return kind;
}

const Kind& node_kind() {
  static const Kind& kind = *find_kind("", "v1", "nodes");
  return kind;
}

const Kind& budget_kind() {
  static const Kind& kind = *find_kind("policy", "v1", "poddisruptionbudgets");
  return kind;
}

const Kind& namespace_kind() {
  static const Kind& kind = *find_kind("", "v1", "namespaces");
  return kind;
}

const Kind& own_budget_kind() {
  static const Kind& kind = *find_kind("elbowroom.dev", "v1alpha1", "disruptionbudgets");
  return kind;
}

std::string key_in(const Json& object) {
  return text_at(object, {"metadata", "namespace"}) + "/" + text_at(object, {"metadata", "name"});
}

std::string key_of(const scheduler::Victim& victim) { return victim.ns + "/" + victim.name; }

scheduler::Unreadable unreadable(std::string kind, const Json& object, const Error& error) {
  return {.kind = std::move(kind),
          .key = key_in(object),
          .why = error.message,
          .uid = text_at(object, {"metadata", "uid"}),
          .node = api::bound_node(to_value(object))};
}

Result<cluster::PackedPod> packed(const Json& object, SchedulerMode mode) {
  const Value value = to_value(object);
  ASSIGN_OR_RETURN(const policy::Pod pod, mode == SchedulerMode::Full
                                              ? api::decode_cluster_pod(value)
                                              : api::decode_placed_pod(value));
  return cluster::PackedPod::packed(pod);
}

// Returns the timeline's name of a result; "" if it has none: a removal is recorded when it
// happens, and a wait behind other removals is visible from those removals.
std::string_view action_of(TurnResult result) {
  switch (result) {
    case TurnResult::Fits:
      return "Park";
    case TurnResult::Awaits:
    case TurnResult::NodesTurn:
    case TurnResult::Yields:
      return "Await";
    case TurnResult::Preempts:
    case TurnResult::Busy:
    case TurnResult::Binds:
      return "";
    default:
      return "Unschedulable";
  }
}

}  // namespace

scheduler::ReactorOptions DirectScheduler::options() const {
  scheduler::ReactorOptions of;
  of.leader_elect = false;
  of.yield_to = yield_to_;
  of.places_for = placed_in(mode_);
  return of;
}

void DirectScheduler::restart() {
  reactor_.reset();
  told_.clear();
}

std::vector<SchedulerDecision> DirectScheduler::take_decisions() {
  return std::exchange(decisions_, {});
}

std::optional<Judgement> DirectScheduler::judgement_of(std::string_view pod) const {
  if (!reactor_) return std::nullopt;
  const auto at = reactor_->waiting().find(pod);
  if (at == reactor_->waiting().end() || !at->second.result) return std::nullopt;
  return Judgement{std::string(row_of(*at->second.result).name), at->second.message};
}

bool DirectScheduler::step(policy::Time now) {
  now_ = now;
  if (!reactor_) {
    born_ = now;
    reactor_.emplace(options());
    list_all();
    note_decisions();
    return true;
  }
  bool told = look();
  if (!told) {
    const auto due = next_due();
    told = due && *due <= now_;
    if (told) tell(scheduler::TimePassed{});
  }
  if (told) note_decisions();
  return told;
}

std::optional<policy::Time> DirectScheduler::next_due() const {
  if (!reactor_) return now_;
  const auto wake = reactor_->next_wake();
  if (!wake) return std::nullopt;
  return born_ + *wake;
}

// ---- observations ----

void DirectScheduler::tell(Seen seen) {
  const scheduler::Moment at{std::chrono::floor<std::chrono::milliseconds>(now_ - born_), now_};
  std::deque<scheduler::Observation> queue;
  queue.push_back({at, std::move(seen)});
  while (!queue.empty()) {
    scheduler::Observation next = std::move(queue.front());
    queue.pop_front();
    const scheduler::Effects effects = reactor_->handle(std::move(next));
    note_removals(effects);
    for (const scheduler::Effect& effect : effects) {
      if (const auto* event = std::get_if<scheduler::EmitEvent>(&effect.what)) {
        const auto* row = scheduler::find_row(event->reason);
        const bool is_once = row != nullptr && row->is_once;
        if (is_once && !once_.emplace(event->regarding.uid, event->reason).second) continue;
        events_.push_back({.by = "scheduler",
                           .pod = key_of(event->regarding),
                           .warning = event->warning,
                           .reason = event->reason,
                           .note = event->note});
        continue;
      }
      queue.push_back({at, answer(effect)});
    }
  }
}

void DirectScheduler::list_all() {
  version_ = world_.version();
  scheduler::NodesListed nodes;
  for (const Json* object : world_.all_stored_objects(node_kind())) {
    if (auto node = api::decode_node(to_value(*object))) nodes.objects.push_back(std::move(*node));
  }
  tell(std::move(nodes));
  scheduler::BudgetsListed budgets;
  for (const Json* object : world_.all_stored_objects(budget_kind())) {
    auto budget = api::decode_pod_disruption_budget(to_value(*object));
    if (budget) {
      budgets.objects.push_back(std::move(*budget));
    } else {
      budgets.unreadable.push_back(key_in(*object));
      tell(unreadable("PodDisruptionBudget", *object, budget.error()));
    }
  }
  tell(std::move(budgets));
  scheduler::OwnBudgetsListed own;
  for (const Json* object : world_.all_stored_objects(own_budget_kind())) {
    auto budget = api::decode_disruption_budget(to_value(*object));
    if (budget) {
      own.objects.push_back(std::move(*budget));
    } else {
      own.unreadable.push_back(key_in(*object));
      tell(unreadable("DisruptionBudget", *object, budget.error()));
    }
  }
  tell(std::move(own));
  if (mode_ == SchedulerMode::Full) {
    scheduler::NamespacesListed namespaces;
    for (const Json* object : world_.all_stored_objects(namespace_kind())) {
      auto one = api::decode_namespace(to_value(*object));
      if (one) namespaces.objects.push_back(std::move(*one));
    }
    tell(std::move(namespaces));
  }
  scheduler::PodsListed pods;
  for (const Json* object : world_.all_stored_objects(pod_kind())) {
    auto pod = packed(*object, mode_);
    if (pod) {
      pods.objects.push_back(std::move(*pod));
    } else {
      pods.unreadable.push_back(key_in(*object));
      tell(unreadable("Pod", *object, pod.error()));
    }
  }
  tell(std::move(pods));
}

// All changes of an instant are reported as one. Otherwise a pod that took the room another pod
// left could look as if both had it, depending on the order.
bool DirectScheduler::look() {
  if (world_.version() == version_) return false;
  const std::uint64_t since = std::exchange(version_, world_.version());
  bool any = false;
  for (const Kind* kind : std::array{&namespace_kind(), &node_kind(), &budget_kind(),
                                     &own_budget_kind(), &pod_kind()}) {
    if (kind == &namespace_kind() && mode_ != SchedulerMode::Full) continue;
    const auto changed = world_.changed_after(*kind, since);
    if (!changed) {
      list_all();
      return true;
    }
    std::set<std::pair<std::string_view, std::string_view>> taken;
    for (const ChangedObject& each : *changed) {
      if (!taken.emplace(each.ns, each.name).second) continue;
      if (!std::exchange(any, true))
        tell(scheduler::Lost{scheduler::Collection::Pods, "an instant"});
      look_at(*kind, each);
    }
  }
  if (any) tell(scheduler::Back{scheduler::Collection::Pods});
  return any;
}

void DirectScheduler::look_at(const Kind& kind, const ChangedObject& which) {
  const Json* object = world_.peek(kind, which.ns, which.name);
  if (&kind == &node_kind()) {
    look_at_node(object, which.name);
  } else if (&kind == &pod_kind()) {
    look_at_pod(object, which.ns + "/" + which.name);
  } else if (&kind == &namespace_kind()) {
    look_at_namespace(object, which.name);
  } else if (&kind == &own_budget_kind()) {
    look_at_own_budget(object, which);
  } else {
    look_at_budget(object, which);
  }
}

void DirectScheduler::look_at_node(const Json* object, const std::string& name) {
  if (object != nullptr) {
    if (auto node = api::decode_node(to_value(*object))) {
      tell(scheduler::NodeSeen{std::move(*node)});
      return;
    }
  }
  // An unreadable Node may have no room, or forbid what its last state allowed.
  tell(scheduler::NodeGone{name, ""});
}

void DirectScheduler::look_at_namespace(const Json* object, const std::string& name) {
  if (object == nullptr) {
    tell(scheduler::NamespaceGone{name, ""});
  } else if (auto one = api::decode_namespace(to_value(*object))) {
    tell(scheduler::NamespaceSeen{std::move(*one)});
  }
}

void DirectScheduler::look_at_pod(const Json* object, const std::string& key) {
  if (object == nullptr) {
    tell(scheduler::PodGone{key, ""});
    return;
  }
  auto pod = packed(*object, mode_);
  if (pod) {
    tell(scheduler::PodSeen{std::move(*pod)});
  } else {
    tell(unreadable("Pod", *object, pod.error()));
  }
}

void DirectScheduler::look_at_budget(const Json* object, const ChangedObject& which) {
  if (object == nullptr) {
    tell(scheduler::BudgetGone{which.ns + "/" + which.name, ""});
    return;
  }
  auto budget = api::decode_pod_disruption_budget(to_value(*object));
  if (budget) {
    tell(scheduler::BudgetSeen{std::move(*budget)});
  } else {
    tell(unreadable("PodDisruptionBudget", *object, budget.error()));
  }
}

void DirectScheduler::look_at_own_budget(const Json* object, const ChangedObject& which) {
  if (object == nullptr) {
    tell(scheduler::OwnBudgetGone{which.ns + "/" + which.name, ""});
    return;
  }
  auto budget = api::decode_disruption_budget(to_value(*object));
  if (budget) {
    tell(scheduler::OwnBudgetSeen{std::move(*budget)});
  } else {
    tell(unreadable("DisruptionBudget", *object, budget.error()));
  }
}

// ---- effects ----

DirectScheduler::Seen DirectScheduler::answer(const scheduler::Effect& effect) {
  scheduler::Done done{.effect = effect.id};
  if (const auto* confirm = std::get_if<scheduler::ConfirmResize>(&effect.what)) {
    auto pod = look_up(*confirm);
    if (!pod) return scheduler::Failed{.effect = effect.id, .error = std::move(pod).error()};
    done.pod = *std::move(pod);
  } else if (std::holds_alternative<scheduler::ReadBreaker>(effect.what)) {
    if (!breaker_) return scheduler::Failed{effect.id, {Code::NotFound, "it is not there", {}}};
    done.breaker = breaker_;
  } else if (const auto* write = std::get_if<scheduler::WriteBreaker>(&effect.what)) {
    breaker_ = write->stored;
    breaker_->resource_version = "1";  // no other writer
    done.breaker = breaker_;
  } else if (auto performed = perform(effect); !performed) {
    return scheduler::Failed{.effect = effect.id, .error = std::move(performed).error()};
  }
  return done;
}

Result<cluster::PackedPod> DirectScheduler::look_up(const scheduler::ConfirmResize& confirm) {
  const Json* object = world_.peek(pod_kind(), confirm.preemptor.ns, confirm.preemptor.name);
  if (object == nullptr) {
    return failure(Code::NotFound, "pod " + key_of(confirm.preemptor) + " is not there");
  }
  return packed(*object, mode_);
}

Result<void> DirectScheduler::perform(const scheduler::Effect& effect) {
  if (const auto* mark = std::get_if<scheduler::MarkVictim>(&effect.what)) {
    return perform_one(*mark);
  }
  if (const auto* removal = std::get_if<scheduler::DeleteVictim>(&effect.what)) {
    return perform_one(*removal);
  }
  if (const auto* bind = std::get_if<scheduler::BindPod>(&effect.what)) {
    return perform_one(*bind);
  }
  if (const auto* write = std::get_if<scheduler::WritePending>(&effect.what)) {
    return perform_one(*write);
  }
  return failure(Code::Internal, "there is no Lease here");
}

Result<void> DirectScheduler::perform_one(const scheduler::BindPod& bind) {
  RETURN_IF_ERROR(outcome_of(
      world_.bind(bind.pod.ns, bind.pod.name,
                  {{"metadata", {{"uid", bind.pod.uid}}}, {"target", {{"name", bind.node}}}})));
  decisions_.push_back({.version = world_.version() - 1,
                        .action = "Bind",
                        .pod = key_of(bind.pod),
                        .node = bind.node});
  return {};
}

Result<void> DirectScheduler::perform_one(const scheduler::WritePending& write) {
  const Json* object = world_.peek(pod_kind(), write.pod.ns, write.pod.name);
  const std::string before =
      object == nullptr ? "" : text_at(*object, {"status", "nominatedNodeName"});
  api::PodStatusChange change{.nominated_node = write.nominated};
  if (write.scheduled) change.set.push_back(*write.scheduled);
  ASSIGN_OR_RETURN(const Json body, parse_object(api::conditions_patch(write.pod.uid, change)));
  RETURN_IF_ERROR(outcome_of(world_.patch({.kind = &pod_kind(),
                                           .ns = write.pod.ns,
                                           .name = write.pod.name,
                                           .subresource = Subresource::Status},
                                          PatchType::StrategicMerge, body)));
  if (!write.nominated || *write.nominated == before) return {};
  const bool ends = write.nominated->empty();
  decisions_.push_back({.version = world_.version(),
                        .action = ends ? "ClearNomination" : "Nominate",
                        .pod = key_of(write.pod),
                        .node = ends ? before : *write.nominated});
  return {};
}

Result<void> DirectScheduler::perform_one(const scheduler::MarkVictim& mark) {
  api::PodStatusChange change;
  if (mark.clear) {
    change.clear.emplace_back(policy::kDisruptionTarget);
  } else {
    change.set.push_back(mark.condition);
  }
  ASSIGN_OR_RETURN(const Json body, parse_object(api::conditions_patch(mark.victim.uid, change)));
  return outcome_of(world_.patch({.kind = &pod_kind(),
                                  .ns = mark.victim.ns,
                                  .name = mark.victim.name,
                                  .subresource = Subresource::Status},
                                 PatchType::StrategicMerge, body));
}

Result<void> DirectScheduler::perform_one(const scheduler::DeleteVictim& removal) {
  auto done = outcome_of(
      world_.remove({.kind = &pod_kind(), .ns = removal.victim.ns, .name = removal.victim.name},
                    {.uid = removal.victim.uid, .dry_run = removal.dry_run}));
  // A pod that is already gone counts as deleted, as in the scheduler's client.
  if (!done && done.error().code == Code::NotFound) return {};
  return done;
}

// ---- decisions ----

void DirectScheduler::note(const std::string& pod, const scheduler::Waiting& about,
                           std::string action, std::vector<std::string> victims) {
  told_[pod] = {about.uid, about.generation, action, about.message};
  decisions_.push_back({.version = world_.version(),
                        .action = std::move(action),
                        .pod = pod,
                        .node = about.node,
                        .victims = std::move(victims),
                        .why = about.message});
}

// The deletes of one removal come together. The victims' marks name the preemptor.
void DirectScheduler::note_removals(const scheduler::Effects& effects) {
  std::map<std::string, std::vector<std::string>> victims;  // by the preemptor's uid
  for (const scheduler::Effect& effect : effects) {
    const auto* removal = std::get_if<scheduler::DeleteVictim>(&effect.what);
    if (removal == nullptr || removal->dry_run) continue;
    const Json* object = world_.peek(pod_kind(), removal->victim.ns, removal->victim.name);
    const auto pod = object == nullptr ? Result<policy::Pod>(failure(Code::NotFound, "gone"))
                                       : api::decode_cluster_pod(to_value(*object));
    if (!pod || policy::is_terminating(*pod)) continue;
    if (const auto mark = policy::removal_mark(*pod)) {
      victims[mark->uid].push_back(key_of(removal->victim));
    }
  }
  for (const auto& [uid, keys] : victims) {
    for (const auto& [key, waiting] : reactor_->waiting()) {
      if (waiting.uid == uid) note(key, waiting, "Preempt", keys);
    }
  }
}

// The pod is terminating, or gone: its resize no longer matters, although the reactor has not seen
// this yet.
bool DirectScheduler::leaves(const std::string& pod) const {
  const std::size_t slash = pod.find('/');
  const Json* object = world_.peek(pod_kind(), pod.substr(0, slash), pod.substr(slash + 1));
  return object == nullptr || !text_at(*object, {"metadata", "deletionTimestamp"}).empty();
}

void DirectScheduler::note_decisions() {
  const auto& waiting = reactor_->waiting();
  std::erase_if(told_, [&](const auto& entry) { return !waiting.contains(entry.first); });
  for (const auto& [key, pod] : waiting) {
    const std::string_view action = pod.result ? action_of(*pod.result) : "";
    if (action.empty()) continue;
    const auto told = told_.find(key);
    const bool same_resize = told != told_.end() && told->second.uid == pod.uid &&
                             told->second.generation == pod.generation;
    // For a pod that awaits room, a change of the terminating pods is not a new decision, least of
    // all if those are its own victims.
    const bool same_words =
        action == "Await" || (told != told_.end() && told->second.why == pod.message);
    const bool is_known =
        same_resize && ((told->second.action == action && same_words) ||
                        (told->second.action == "Preempt" && *pod.result == TurnResult::Awaits));
    if (!is_known && !leaves(key)) note(key, pod, std::string(action), {});
  }
}

}  // namespace elbowroom::lab

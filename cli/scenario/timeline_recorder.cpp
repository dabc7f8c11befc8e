#include "cli/scenario/timeline_recorder.h"

#include <algorithm>
#include <utility>

#include "api/codec/decode_pod.h"
#include "api/codec/encode_resize_report.h"
#include "lab/virtual/stored_pod.h"
#include "lab/world/kind.h"
#include "policy/model/charge.h"
#include "policy/model/rejected_pods.h"
#include "policy/model/removal_mark.h"
#include "policy/resize/resize_conditions.h"

namespace elbowroom::cli {
namespace {

using policy::Condition;
using policy::Pod;

const lab::Kind& pod_kind() {
  static const lab::Kind& kind = *lab::find_kind("", "v1", "pods");
  return kind;
}

bool same_amounts(const policy::Resources& a, const policy::Resources& b) {
  return !policy::exceeds_anywhere(a, b) && !policy::exceeds_anywhere(b, a);
}

std::string amount_in(const policy::Resources& of, std::string_view name,
                      const std::string& none = "0") {
  const Value all = api::encode_resources(of);
  const Value* found = all.find(name);
  return found == nullptr ? none : found->text;
}

// "cpu 1 -> 2, memory 1Gi -> 2Gi": the differences.
std::string change_of(const policy::Resources& was, const policy::Resources& is,
                      const std::string& none = "0") {
  std::string words;
  policy::for_each_amount(policy::max_of(was, is), [&](std::string_view name, std::int64_t) {
    if (policy::amount_of(was, name) == policy::amount_of(is, name)) return;
    words += (words.empty() ? "" : ", ") + std::string(name) + " " + amount_in(was, name, none) +
             " -> " + amount_in(is, name, none);
  });
  return words;
}

policy::Resources limits_of(const Pod& pod, bool actual) {
  policy::Resources sum;
  for (const policy::Container& container : pod.containers) {
    policy::add_to(sum, actual ? container.actual_limits.value_or(policy::Resources{})
                               : container.desired.limits);
  }
  return sum;
}

// The same for requests and, if only they differ, limits.
std::string change_of(const policy::Resources& was, const policy::Resources& is,
                      const policy::Resources& was_limits, const policy::Resources& is_limits) {
  std::string words = change_of(was, is);
  if (!words.empty()) return words;
  words = change_of(was_limits, is_limits, "none");
  return words.empty() ? "" : "limits: " + words;
}

bool same_desired(const Pod& a, const Pod& b) {
  if (a.containers.size() != b.containers.size() || a.pod_level.desired != b.pod_level.desired) {
    return false;
  }
  for (std::size_t i = 0; i < a.containers.size(); ++i) {
    if (a.containers[i].desired != b.containers[i].desired) return false;
  }
  return true;
}

const Condition* true_condition(const Pod& pod, std::string_view type) {
  const Condition* found = policy::find_condition(pod.conditions, type);
  return found != nullptr && found->status == "True" ? found : nullptr;
}

bool has_finished(const Pod& was, const Pod& is) {
  return policy::is_finished(is) && !policy::is_finished(was);
}

// A stored pod is decoded already.
Result<Pod> read(const lab::Object& object) {
  if (object.pod() != nullptr) return *object.pod();
  return api::decode_pod_as({.source = api::Source::Server, .terms = api::Terms::Skipped},
                            lab::to_value(object));
}

}  // namespace

TimelineRecorder::TimelineRecorder(const lab::World& world, Agents agents,
                                   std::function<void(const Pod&)> removed)
    : world_(world), agents_(agents), removed_(std::move(removed)) {
  read_all();
}

void TimelineRecorder::read_all() {
  version_ = world_.version();
  for (const lab::Json* object : world_.all_stored_objects(pod_kind())) {
    auto pod = read(lab::stored_pod(world_, *object));
    if (!pod) continue;
    uids_.insert(pod->uid);
    pods_.insert_or_assign(policy::key_of(*pod), std::move(*pod));
  }
}

void TimelineRecorder::write(std::chrono::milliseconds now,
                             const std::optional<std::string>& by_step,
                             std::span<const SchedulerDecision> decisions) {
  now_ = now;
  auto decision = decisions.begin();
  if (world_.version() != version_) {
    const auto changes =
        world_.changes_after({.kind = &pod_kind()}, version_, static_cast<std::size_t>(-1));
    version_ = world_.version();
    if (!changes) return;  // the world's history is larger than one instant
    for (const lab::WatchEvent& change : *changes) {
      for (; decision != decisions.end() && decision->version < change.version; ++decision) {
        write_decision(*decision);
      }
      write_change(change, by_step);
    }
  }
  for (; decision != decisions.end(); ++decision) write_decision(*decision);
}

void TimelineRecorder::write_decision(const SchedulerDecision& decision) {
  events_.push_back({.at = now_,
                     .actor = "scheduler",
                     .action = decision.action,
                     .pod = decision.pod,
                     .node = decision.node,
                     .victims = decision.victims,
                     .why = decision.why});
}

void TimelineRecorder::write_change(const lab::WatchEvent& change,
                                    const std::optional<std::string>& by_step) {
  auto pod = read(change.object);
  if (!pod) return;
  const std::string key = policy::key_of(*pod);
  const auto known = pods_.find(key);
  if (change.type == "DELETED") {
    if (!policy::is_terminating(*pod) ||
        (known != pods_.end() && !policy::is_terminating(known->second))) {
      removed_(*pod);
    }
    say("world", "Deleted", *pod, "");
    pods_.erase(key);
    begun_.erase(key);
  } else if (known == pods_.end()) {
    say("world", "Created", *pod, "");
    if (pod->phase == policy::Phase::Running) say("world", "Running", *pod, "");
    uids_.insert(pod->uid);
    pods_.emplace(key, std::move(*pod));
  } else {
    if (!by_step && known->second.node != pod->node) place("Bind", *pod, pod->node);
    differ(known->second, *pod, by_step);
    if (!by_step) nomination(known->second, *pod);
    known->second = std::move(*pod);
  }
}

void TimelineRecorder::say(std::string actor, std::string action, const Pod& pod, std::string why) {
  events_.push_back({.at = now_,
                     .actor = std::move(actor),
                     .action = std::move(action),
                     .pod = policy::key_of(pod),
                     .node = pod.node,
                     .why = std::move(why)});
}

void TimelineRecorder::place(std::string action, const Pod& pod, std::string node) {
  events_.push_back({.at = now_,
                     .actor = "scheduler",
                     .action = std::move(action),
                     .pod = policy::key_of(pod),
                     .node = std::move(node)});
}

// The agent decides resizes; beside a companion the kubelet does, and the event belongs to the
// world.
void TimelineRecorder::decided(std::string action, const Pod& pod, std::string why) {
  if (agents_ == Agents::Authority) {
    say("agent", std::move(action), pod, std::move(why));
  } else {
    say("world", "Changed", pod, "kubelet: " + action + (why.empty() ? "" : ": " + why));
  }
}

void TimelineRecorder::differ(const Pod& was, const Pod& is,
                              const std::optional<std::string>& by_step) {
  const std::size_t before = events_.size();
  life(was, is);
  if (!by_step) {
    pending(was, is);
    resize(was, is);
    record_policy_condition(was, is);
    return;
  }
  if (!same_desired(was, is)) {
    const auto wanted = change_of(policy::totals_of(was).desired, policy::totals_of(is).desired,
                                  limits_of(was, false), limits_of(is, false));
    say("world", "Resized", is, wanted);
  } else if (events_.size() == before) {
    say("world", "Changed", is, *by_step);
  }
}

void TimelineRecorder::life(const Pod& was, const Pod& is) {
  if (policy::is_terminating(is) && !policy::is_terminating(was)) record_termination(is);
  if (is.phase == policy::Phase::Running && was.phase != policy::Phase::Running) {
    say("world", "Running", is, "");
  }
  // A terminating pod is Deleted; the end of its containers is part of that.
  if (has_finished(was, is) && !policy::is_terminating(is)) {
    say("world", "Exited", is, std::string(policy::to_string(is.phase)));
  }
}

// One removal is one event: all its victims are marked before the first is deleted.
void TimelineRecorder::record_termination(const Pod& pod) {
  const auto mark = policy::removal_mark(pod);
  const Condition* target = true_condition(pod, policy::kDisruptionTarget);
  if (mark && target->reason == policy::kReasonTerminationByKubelet &&
      recorded_sets_
          .insert(mark->uid + "/" + std::to_string(mark->generation) + "/" +
                  std::to_string(now_.count()))
          .second) {
    TimelineEvent event{
        .at = now_, .actor = "agent", .action = "PreemptCritical", .node = pod.node};
    event.why = "room for the resize of a critical pod";
    for (const auto& [key, each] : pods_) {
      if (each.uid == mark->uid) {
        event.pod = key;
        if (policy::has_not_begun(each)) event.why = "room to admit a critical pod";
      }
      const bool is_victim = each.uid == pod.uid ||
                             (policy::removal_mark(each) == mark && !policy::is_terminating(each));
      if (is_victim) event.victims.push_back(key);
    }
    events_.push_back(std::move(event));
  }
  say("world", "Terminating", pod, "");
  removed_(pod);
}

// A binding ends a nomination, too.
void TimelineRecorder::nomination(const Pod& was, const Pod& is) {
  if (was.nominated_node == is.nominated_node || was.node != is.node) return;
  const bool ends = is.nominated_node.empty();
  place(ends ? "ClearNomination" : "Nominate", is, ends ? was.nominated_node : is.nominated_node);
}

void TimelineRecorder::pending(const Pod& was, const Pod& is) {
  const Condition* before = true_condition(was, policy::kPodResizePending);
  const Condition* now = true_condition(is, policy::kPodResizePending);
  if (now == nullptr) return;
  const bool same = before != nullptr && before->reason == now->reason &&
                    before->observed_generation == now->observed_generation;
  if (same) return;
  if (now->reason == policy::kReasonDeferred) decided("Defer", is, now->message);
  if (now->reason == policy::kReasonInfeasible) decided("Infeasible", is, now->message);
}

void TimelineRecorder::resize(const Pod& was, const Pod& is) {
  const policy::Totals before = policy::totals_of(was);
  const policy::Totals now = policy::totals_of(is);
  const Condition* was_going_on = true_condition(was, policy::kPodResizeInProgress);
  const Condition* goes_on = true_condition(is, policy::kPodResizeInProgress);
  // A container's first status is not a decision.
  const bool knew = std::ranges::all_of(was.containers, [](const policy::Container& container) {
    return container.kind == policy::ContainerKind::Init ||
           container.state != policy::RunState::None;
  });
  if (!knew) return;
  const bool begun =
      goes_on != nullptr && (was_going_on == nullptr ||
                             was_going_on->observed_generation != goes_on->observed_generation);
  if (!same_amounts(before.allocated, now.allocated) || begun) {
    decided("Allocate", is, change_of(before.allocated, now.allocated));
  }
  actuation(was, is, begun);
  if (was_going_on != nullptr && goes_on == nullptr) decided("Complete", is, "");
}

// The agent reports a memory request as actuated when it allocates it, because no runtime stores
// one. The event therefore shows the whole change, once a part of it was really actuated.
void TimelineRecorder::actuation(const Pod& was, const Pod& is, bool begun) {
  const std::string key = policy::key_of(is);
  if (begun) {
    begun_.try_emplace(key, was);
    return;
  }
  const auto before = begun_.find(key);
  const Pod& from = before == begun_.end() ? was : before->second;
  const auto words = change_of(policy::totals_of(from).actual, policy::totals_of(is).actual,
                               limits_of(from, true), limits_of(is, true));
  const bool goes_on = true_condition(is, policy::kPodResizeInProgress) != nullptr;
  const bool moved = policy::totals_of(was).actual != policy::totals_of(is).actual ||
                     limits_of(was, true) != limits_of(is, true) || !goes_on;
  if (words.empty() || !moved) return;
  decided("Actuate", is, words);
  if (before != begun_.end()) begun_.erase(before);
}

// A condition that another writer sets is not the agent's statement.
void TimelineRecorder::record_policy_condition(const Pod& was, const Pod& is) {
  const auto said = [](const Pod& pod) {
    const Condition* stands = true_condition(pod, policy::kPodResizePreemptionDisabled);
    return stands != nullptr && policy::says_node_policy(*stands) ? stands : nullptr;
  };
  const Condition* before = said(was);
  const Condition* now = said(is);
  if (now != nullptr && before == nullptr) say("agent", "DisablePreemption", is, now->message);
  if (now == nullptr && before != nullptr) say("agent", "EnablePreemption", is, "");
}

}  // namespace elbowroom::cli

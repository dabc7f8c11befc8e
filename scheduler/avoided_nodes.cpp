#include "scheduler/avoided_nodes.h"

#include <algorithm>

#include "policy/condition.h"

namespace elbowroom::scheduler {
namespace {

constexpr AvoidedNodes::Time kAdvanceEvery{60'000};

// Refused at the door: it has failed, and none of its containers ever began.
bool never_began(const policy::Pod& pod) {
  return std::ranges::all_of(pod.containers, [](const policy::Container& each) {
    return each.state == policy::RunState::None || each.state == policy::RunState::Waiting;
  });
}

}  // namespace

const std::string& AvoidedNodes::owner_of(const policy::Pod& pod) {
  return pod.controller ? pod.controller->uid : pod.uid;
}

std::string AvoidedNodes::turned_out(const policy::Pod& failed) {
  if (failed.phase != policy::Phase::Failed || failed.node.empty()) return "";
  const policy::Condition* target =
      policy::find_condition(failed.conditions, policy::kDisruptionTarget);
  if (target != nullptr && target->status == "True") {
    return target->reason == policy::kReasonTerminationByKubelet
               ? "node(s) had evicted a pod like it lately"
               : "";
  }
  return never_began(failed) ? "node(s) had refused a pod like it lately" : "";
}

void AvoidedNodes::note(const policy::Pod& failed, Time now) {
  std::string why = turned_out(failed);
  if (why.empty()) return;
  Stay& stay = by_owner_[owner_of(failed)][failed.node];
  if (stay.uid == failed.uid) return;
  const Time wait = std::min(kFirst * (1U << std::min(stay.times++, 5U)), kLongest);
  stay.why = std::move(why);
  stay.uid = failed.uid;
  stay.until = now + wait;
  stay.forget = stay.until + kLongest;
}

AvoidedNodes::Reasons AvoidedNodes::avoided_by(const policy::Pod& pod, Time now) const {
  Reasons reasons;
  const auto nodes = by_owner_.find(owner_of(pod));
  if (nodes == by_owner_.end()) return reasons;
  for (const auto& [node, stay] : nodes->second) {
    if (stay.until > now) reasons.emplace(node, stay.why);
  }
  return reasons;
}

std::optional<AvoidedNodes::Time> AvoidedNodes::next(const policy::Pod& pod, Time now) const {
  std::optional<Time> next;
  const auto nodes = by_owner_.find(owner_of(pod));
  if (nodes == by_owner_.end()) return next;
  for (const auto& [node, stay] : nodes->second) {
    if (stay.until > now) next = std::min(next.value_or(stay.until), stay.until);
  }
  return next;
}

void AvoidedNodes::advance(Time now) {
  if (now < advanced_ + kAdvanceEvery) return;
  advanced_ = now;
  for (auto& [owner, nodes] : by_owner_) {
    std::erase_if(nodes, [&](const auto& each) { return each.second.forget <= now; });
  }
  std::erase_if(by_owner_, [](const auto& each) { return each.second.empty(); });
}

}  // namespace elbowroom::scheduler

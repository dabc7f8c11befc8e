#include "scheduler/placing/avoided_nodes.h"

#include <algorithm>

#include "base/backoff.h"
#include "policy/model/condition.h"

namespace elbowroom::scheduler {
namespace {

constexpr AvoidedNodes::Time kAdvanceEvery{60'000};

// True if the kubelet rejected the pod: it has failed, and none of its containers ever started.
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

// The kubelet that rejects a pod is the first one to set its start time.
std::optional<policy::Time> AvoidedNodes::turned_out_at(const policy::Pod& failed) {
  const policy::Condition* target =
      policy::find_condition(failed.conditions, policy::kDisruptionTarget);
  if (target != nullptr && target->last_transition) return target->last_transition;
  return failed.started ? failed.started : failed.created;
}

AvoidedNodes::Time AvoidedNodes::Stay::until() const {
  return latest + backoff_delay(kFirst, kLongest, times - 1);
}

void AvoidedNodes::note(const policy::Pod& failed, Time at, Time now) {
  std::string why = turned_out(failed);
  if (why.empty() || at + kLongest + kLongest <= now) return;
  auto& nodes = by_owner_[owner_of(failed)];
  const auto [stay, is_new] = nodes.try_emplace(failed.node, Stay{.latest = at});
  std::deque<std::string>& uids = stay->second.uids;
  if (std::ranges::find(uids, failed.uid) != uids.end()) return;
  uids.push_back(failed.uid);
  if (uids.size() > kMostKnown) uids.pop_front();
  stay->second.times = std::min(stay->second.times + 1, kMostTimes);
  if (!is_new && at < stay->second.latest) return;
  stay->second.latest = at;
  stay->second.why = std::move(why);
}

AvoidedNodes::Reasons AvoidedNodes::avoided_by(const policy::Pod& pod, Time now) const {
  Reasons reasons;
  const auto nodes = by_owner_.find(owner_of(pod));
  if (nodes == by_owner_.end()) return reasons;
  for (const auto& [node, stay] : nodes->second) {
    if (stay.until() > now) reasons.emplace(node, stay.why);
  }
  return reasons;
}

std::optional<AvoidedNodes::Time> AvoidedNodes::next(const policy::Pod& pod, Time now) const {
  std::optional<Time> next;
  const auto nodes = by_owner_.find(owner_of(pod));
  if (nodes == by_owner_.end()) return next;
  for (const auto& [node, stay] : nodes->second) {
    if (stay.until() > now) next = std::min(next.value_or(stay.until()), stay.until());
  }
  return next;
}

void AvoidedNodes::advance(Time now) {
  if (now < advanced_ + kAdvanceEvery) return;
  advanced_ = now;
  for (auto& [owner, nodes] : by_owner_) {
    std::erase_if(nodes, [&](const auto& each) { return each.second.forget() <= now; });
  }
  std::erase_if(by_owner_, [](const auto& each) { return each.second.empty(); });
}

}  // namespace elbowroom::scheduler

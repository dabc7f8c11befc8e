#include "scheduler/removal/victim_events.h"

#include <utility>

#include "policy/model/charge.h"
#include "policy/model/condition.h"
#include "policy/model/removal_mark.h"
#include "scheduler/removal/set_removal.h"

namespace elbowroom::scheduler {

std::optional<PreemptedFor> marked_for(const policy::Pod& pod) {
  const auto mark = policy::removal_mark(pod);
  if (!mark) return std::nullopt;
  const policy::Condition& target =
      *policy::find_condition(pod.conditions, policy::kDisruptionTarget);
  if (target.reason != policy::kReasonPreemptionByScheduler) return std::nullopt;
  return PreemptedFor{.uid = mark->uid,
                      .node = pod.node,
                      .is_pending = is_for_pending(target),
                      .is_group = is_for_group(target)};
}

bool VictimEvents::accepted(const VictimEvent& event) {
  Entry& entry = entries_[event.victim.uid];
  entry.event = event;
  inherited_.erase(event.victim.uid);
  return !std::exchange(entry.is_written, true);
}

bool VictimEvents::unanswered(const VictimEvent& event) {
  Entry& entry = entries_[event.victim.uid];
  if (entry.is_written) return false;
  entry.event = event;
  entry.is_unanswered = true;
  entry.is_written = entry.is_terminating;
  return entry.is_written;
}

bool VictimEvents::is_unanswered(std::string_view uid) const {
  const auto at = entries_.find(uid);
  return at != entries_.end() && at->second.is_unanswered && !at->second.is_written;
}

std::optional<VictimEvent> VictimEvents::saw(const policy::Pod* before, const policy::Pod* after) {
  std::optional<VictimEvent> due;
  const bool is_same = before != nullptr && after != nullptr && before->uid == after->uid;
  if (before != nullptr && !is_same) {
    if (const auto at = entries_.find(before->uid); at != entries_.end()) {
      if (is_unanswered(before->uid)) due = std::move(at->second.event);
      entries_.erase(at);
      inherited_.erase(before->uid);
    }
  }
  if (after == nullptr) return due;
  const auto at = entries_.find(after->uid);
  if (!policy::is_terminating(*after)) {
    // Its mark was taken back: what ends it later is no removal of ours.
    if (at != entries_.end() && !at->second.is_written && !marked_for(*after)) entries_.erase(at);
    return due;
  }
  if (at != entries_.end()) {
    at->second.is_terminating = true;
    if (is_unanswered(after->uid)) due = at->second.event;
    at->second.is_written = at->second.is_written || at->second.is_unanswered;
  } else if (auto preemptor = marked_for(*after)) {
    entries_[after->uid] = {.event = {victim_of(*after), *std::move(preemptor)},
                            .is_terminating = true};
    if (!is_same) inherited_.insert(after->uid);
  }
  return due;
}

void VictimEvents::begin_to_lead() {
  for (const auto& [uid, entry] : entries_) {
    if (entry.is_terminating && !entry.is_written) inherited_.insert(uid);
  }
}

std::vector<VictimEvent> VictimEvents::take_inherited() {
  std::vector<VictimEvent> events;
  for (const std::string& uid : std::exchange(inherited_, {})) {
    Entry& entry = entries_.find(uid)->second;
    entry.is_written = true;
    events.push_back(entry.event);
  }
  return events;
}

policy::PodText text_of(const PreemptedFor& preemptor) {
  if (preemptor.is_group) return "Preempted by pod group " + preemptor.uid;
  return "Preempted by pod " + preemptor.uid + " on node " + preemptor.node +
         (preemptor.is_pending ? "" : ": its resize was Deferred");
}

}  // namespace elbowroom::scheduler

#include "scheduler/removal/repeat_cause.h"

#include <algorithm>

#include "policy/model/charge.h"
#include "policy/preemption/preemption_messages.h"
#include "policy/resize/retry_order.h"

namespace elbowroom::scheduler {
namespace {

using policy::Pod;
using policy::PodText;

// A longer list helps no reader.
constexpr std::size_t kNamed = 3;

// Returns what the pod holds now and did not hold then.
PodText change_of(const SetRecord& before, const Pod& pod, const Pod& reader) {
  const PodText name = PodText("pod ") + policy::name_for_reader(reader.ns, pod);
  const bool goes = policy::is_terminating(pod);
  if (before.asked.contains(pod.uid)) return goes ? PodText() : name + ", which was to go, stayed";
  if (before.leaving.contains(pod.uid)) return goes ? PodText() : name + " does not leave any more";
  const policy::Resources held = policy::held_charge(pod);
  const auto then = before.held.find(pod.uid);
  if (then == before.held.end()) {
    return goes || policy::is_zero(held) ? PodText()
                                         : name + " came and holds " + policy::in_words(held);
  }
  if (!policy::exceeds_anywhere(held, then->second)) return {};
  return name + " grew and holds " + policy::in_words(held);
}

// Deferred resizes that the node retries before this one.
std::vector<const Pod*> earlier_resizes(const cluster::NodeView& now, const Pod& preemptor) {
  std::vector<const Pod*> earlier;
  const auto key = policy::retry_key(preemptor, 0);
  for (const Pod& each : now.pods) {
    const bool waits = each.uid != preemptor.uid && policy::is_deferred(each) &&
                       !policy::is_terminating(each) && policy::retry_key(each, 0) < key;
    if (waits) earlier.push_back(&each);
  }
  return earlier;
}

PodText comes_first(const Pod& resized, const Pod& reader) {
  return PodText("the resize of pod ") + policy::name_for_reader(reader.ns, resized) +
         " comes first";
}

// Returns resizes that the node retries before this one only since then, and pods that were
// nominated to it since.
std::vector<PodText> who_comes_first(const SetRecord& before, const cluster::NodeView& now,
                                     const Pod& preemptor) {
  std::vector<PodText> first;
  for (const Pod* each : earlier_resizes(now, preemptor)) {
    if (before.deferred.contains({each->uid, each->generation})) continue;
    first.push_back(comes_first(*each, preemptor));
  }
  for (const Pod& each : now.nominated) {
    if (before.nominated.contains(each.uid)) continue;
    first.push_back(PodText("pod ") + policy::name_for_reader(preemptor.ns, each) +
                    " was nominated to the node");
  }
  return first;
}

// Nothing got worse, and yet the Pods that were removed are not enough. A shrink that did not
// happen, or that its user took back, leaves no other trace. Otherwise an earlier resize, which was
// Deferred at the time, got what they left.
std::vector<PodText> unseen_causes(const SetRecord& before, const cluster::NodeView& now,
                                   const Pod& preemptor) {
  std::vector<PodText> causes;
  for (const Pod& each : now.pods) {
    const auto then = before.held.find(each.uid);
    const bool holds_it_still = before.shrinking.contains(each.uid) && then != before.held.end() &&
                                policy::held_charge(each) == then->second;
    if (!holds_it_still) continue;
    causes.push_back(PodText("pod ") + policy::name_for_reader(preemptor.ns, each) +
                     " was not resized down");
  }
  if (!causes.empty()) return causes;
  for (const Pod* each : earlier_resizes(now, preemptor)) {
    causes.push_back(comes_first(*each, preemptor));
  }
  return causes;
}

}  // namespace

SetRecord record_of(const cluster::NodeView& view, const Pod& preemptor, SetRecord::Uids asked) {
  SetRecord record{.generation = preemptor.generation,
                   .desired = policy::totals_of(preemptor).desired,
                   .allocatable = view.node.allocatable,
                   .asked = std::move(asked)};
  for (const Pod& each : view.pods) {
    if (!policy::holds_room(each)) continue;
    record.held[each.uid] = policy::held_charge(each);
    if (policy::is_terminating(each)) record.leaving.insert(each.uid);
    const policy::Totals totals = policy::totals_of(each);
    if (policy::exceeds_anywhere(policy::held_charge(totals), totals.desired)) {
      record.shrinking.insert(each.uid);
    }
    if (policy::is_deferred(each)) record.deferred.emplace(each.uid, each.generation);
  }
  for (const Pod& each : view.nominated) record.nominated.insert(each.uid);
  return record;
}

policy::PodText cause_since(const SetRecord& before, const cluster::NodeView& now,
                            const Pod& preemptor) {
  std::vector<PodText> causes;
  const policy::Resources desired = policy::totals_of(preemptor).desired;
  if (policy::exceeds_anywhere(desired, before.desired)) {
    causes.emplace_back("the request was raised from " + policy::in_words(before.desired) + " to " +
                        policy::in_words(desired));
  } else if (preemptor.generation != before.generation) {
    causes.emplace_back("another size was asked for");
  }
  if (policy::exceeds_anywhere(before.allocatable, now.node.allocatable)) {
    causes.emplace_back("allocatable of node " + now.node.name + " fell from " +
                        policy::in_words(before.allocatable) + " to " +
                        policy::in_words(now.node.allocatable));
  }
  for (const Pod& each : now.pods) {
    if (each.uid == preemptor.uid || !policy::holds_room(each)) continue;
    if (PodText change = change_of(before, each, preemptor); !change.empty()) {
      causes.push_back(std::move(change));
    }
  }
  std::ranges::move(who_comes_first(before, now, preemptor), std::back_inserter(causes));
  if (causes.empty()) causes = unseen_causes(before, now, preemptor);
  if (causes.empty()) return "resources that were expected were not freed";
  if (causes.size() > kNamed) causes.resize(kNamed);
  return policy::listed_pods(causes);
}

}  // namespace elbowroom::scheduler

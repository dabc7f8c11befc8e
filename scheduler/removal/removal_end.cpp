#include "scheduler/removal/removal_end.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "base/backoff.h"
#include "policy/model/charge.h"

namespace elbowroom::scheduler {
namespace {

using policy::Pod;
using policy::PodText;

// After a set was removed its preemptor is looked at again by then, whatever the watch shows.
constexpr ReactorState::Time kShownWithin{30'000};

// Other pods may be removed instead; but not one after the other without a pause.
constexpr ReactorState::Time kLongestAfterRefusal{60'000};

}  // namespace

void RemovalEnd::end(std::uint64_t number) {
  Removal* ended = state_.removals.find(number);
  const SetRemoval set = std::move(ended->set);
  if (!set.has_begun()) {
    for (const auto& [node, counted] : ended->counted_as) state_.breaker_store.take_back(counted);
  }
  if (set.has_begun()) {
    state_.debits.forget(number);
  } else {
    state_.debits.take_back(number);
  }
  state_.removals.erase(number);
  const std::set<std::string> nodes = Removals::nodes_of(set);
  for (const std::string& node : nodes) state_.marks.doubt_on(node);
  const Preemptor& preemptor = set.preemptor();
  // No pod is removed: the nomination there is void.
  if (preemptor.is_pending && !set.has_begun()) nominations_.take_back(preemptor);
  Waiting* pod = state_.waiting.find(preemptor.key, preemptor.uid, preemptor.generation);
  if (pod != nullptr) settle(set, *pod);
  for (const std::string& node : nodes) state_.wake({node, cluster::Change::RemovalEnded});
}

bool RemovalEnd::have_left(const std::vector<Pod>& pods) const {
  return std::ranges::none_of(pods, [this](const Pod& each) {
    const auto known = state_.cluster.snapshot().pod(policy::key_of(each));
    return known && known->uid == each.uid && policy::holds_room(*known);
  });
}

void RemovalEnd::settle(const SetRemoval& set, Waiting& pod) {
  const std::string& key = set.preemptor().key;
  const Time now = state_.time();
  const PodText why = PodText("nobody was removed: ") + set.trouble();
  switch (set.outcome()) {
    case SetRemoval::Outcome::Removed:
      pod.outdated = pod.refused = pod.unconfirmed = 0;
      turns_.rest(key, pod, TurnResult::Preempts, now + kShownWithin);
      // The queue learns its node only now: that the victims are already gone is nothing new there.
      if (pod.is_pending && have_left(set.victims())) {
        state_.waiting.queue().wake_one(key, cluster::Change::PodLeft, now);
      }
      return;
    case SetRemoval::Outcome::Incomplete:
      turns_.count(TurnResult::Failed, pod);
      pod.result = TurnResult::Failed;
      pod.message = "not all could be removed: " + set.trouble().full();
      state_.waiting.queue().retry(key, pod.uid, set.retry_after(), now);
      return;
    case SetRemoval::Outcome::Refused:
      return settle_refused(set, pod, why);
    case SetRemoval::Outcome::Outdated: {
      // The watch is to show it; until then every try would end the same.
      const Time wait = backoff_delay(Queue::kFirstBackoff, Queue::kLongestBackoff, pod.outdated++);
      pod.said = {};
      turns_.park(key, pod, TurnResult::Outdated, why.full(), now + wait);
      return;
    }
    case SetRemoval::Outcome::Overtaken:
      pod.said = {};
      turns_.park(key, pod, TurnResult::Overtaken, why.full(), now + Queue::kFirstBackoff);
      return;
  }
}

void RemovalEnd::settle_refused(const SetRemoval& set, Waiting& pod, const PodText& why) {
  ++state_.counts.refused;
  const std::string& key = set.preemptor().key;
  const Time wait = set.is_unconfirmed()
                        ? RefusedRemovals::wait_after(++pod.unconfirmed)
                        : backoff_delay(Queue::kFirstBackoff, kLongestAfterRefusal, pod.refused++);
  OwnerEvent note = note_of(TurnResult::Refused, why, "");
  if (pod.is_pending) {
    note.words = PodText("No room is made for the pod") + (pod.is_group ? " group: " : ": ") + why;
  }
  note.time = state_.wall_of(state_.time() + wait);
  turns_.tell(key, pod, note);
  turns_.park(key, pod, TurnResult::Refused, why.full(), state_.time() + wait);
}

}  // namespace elbowroom::scheduler

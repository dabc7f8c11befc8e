#include "test/simulation/removal_sets.h"

#include <algorithm>
#include <tuple>

#include "policy/model/charge.h"
#include "policy/model/removal_mark.h"
#include "policy/resize/retry_order.h"

namespace elbowroom::test {
namespace {

bool has_more(const policy::Resources& a, const policy::Resources& b) {
  bool any = false;
  policy::for_each_amount(a, [&](std::string_view name, std::int64_t amount) {
    any = any || amount > policy::amount_of(b, name);
  });
  return any;
}

// Its charge in a plan: nothing once it is terminating.
policy::Resources counted_charge(const policy::Pod& pod, const policy::OverduePods& lapsed) {
  if (!policy::holds_room(pod) || policy::is_leaving(pod, lapsed)) return {};
  return policy::charge_after_shrinks(pod, policy::totals_of(pod), lapsed);
}

// Whether `a` is not after `b` in retry order; among equals it is not known which waits for longer.
bool is_no_less_important(const policy::Pod& a, const policy::Pod& b) {
  const auto key = [](const policy::Pod& pod) {
    return std::tuple(-std::int64_t{policy::priority_of(pod)},
                      policy::qos_of(pod) != policy::Qos::Guaranteed);
  };
  return key(a) <= key(b);
}

const policy::Pod* find(const KnownNode& known, std::string_view uid) {
  const auto at = std::ranges::find(known.pods, uid, &policy::Pod::uid);
  return at == known.pods.end() ? nullptr : &*at;
}

bool same_resize(const agent::RemovalIntent& a, const agent::RemovalIntent& b) {
  return a.preemptor_uid == b.preemptor_uid && a.generation == b.generation;
}

std::string in_words(const std::vector<agent::Victim>& victims) {
  std::string words;
  for (const agent::Victim& each : victims) words += " " + each.name;
  return words;
}

bool goes(const agent::RemovalIntent& intent, const std::string& uid) {
  return std::ranges::find(intent.victims, uid, &agent::Victim::uid) != intent.victims.end();
}

}  // namespace

RemovalSets::Set RemovalSets::count(const agent::RemovalIntent& intent, const KnownNode& known) {
  Set made{.intent = intent, .allocatable = known.node.allocatable};
  for (const policy::Pod& pod : known.pods) {
    if (pod.uid == intent.preemptor_uid) {
      made.held = policy::held_charge(pod);
      continue;
    }
    const policy::Totals totals = policy::totals_of(pod);
    made.others[pod.uid] = {.charge = counted_charge(pod, known.lapsed),
                            .allocated = totals.allocated,
                            .held = policy::held_charge(totals),
                            .waits = policy::is_deferred(pod) && !policy::is_terminating(pod),
                            .awaits = known.awaiting.contains(pod.uid)};
  }
  return made;
}

// "": none. `taken` names the pod that took room without being important enough for that.
std::string RemovalSets::cause_of(const Set& before, const Set& now, const KnownNode& known,
                                  std::string& taken) {
  const policy::Pod* preemptor = find(known, now.intent.preemptor_uid);
  if (preemptor == nullptr) return "";
  if (has_more(before.allocatable, now.allocatable)) return "allocatable fell";
  if (has_more(before.held, now.held)) return "the resize raises more than before";
  for (const auto& [uid, is] : now.others) {
    const policy::Pod& pod = *find(known, uid);
    const auto was = before.others.find(uid);
    if (was == before.others.end()) {
      if (has_more(is.charge, {})) return "a pod was bound";
      continue;
    }
    if (goes(before.intent, uid)) {
      if (has_more(is.charge, {})) return "a victim stands still";
      continue;
    }
    if (was->second.awaits && !is.awaits && !known.admitted.contains(uid)) {
      return "its pod runner started a pod";
    }
    const bool comes_first = is_no_less_important(pod, *preemptor);
    if (has_more(is.charge, was->second.charge)) {
      const bool took =
          has_more(is.allocated, was->second.allocated) && has_more(is.held, was->second.held);
      if (!took) return "room on its way did not come";
      if (comes_first) return "a more important pod took room";
      taken += " " + pod.name;
    }
    // Room on its way is allotted in retry order: this pod has the first share of what is freed.
    if (is.waits && comes_first) return "a more important pod waits too";
  }
  return "";
}

std::string RemovalSets::begin(const agent::RemovalIntent& intent, const KnownNode& known) {
  Set now = count(intent, known);
  const auto before = std::find_if(sets_.rbegin(), sets_.rend(), [&](const Set& each) {
    return same_resize(each.intent, intent);
  });
  std::string wrong;
  if (before != sets_.rend()) {
    std::string taken;
    const std::string cause = cause_of(*before, now, known, taken);
    ++causes_[cause];
    if (cause.empty()) {
      wrong = "a second set of victims for " + intent.preemptor_uid + " generation " +
              std::to_string(intent.generation) +
              " without a cause:" + in_words(before->intent.victims) + ", then" +
              in_words(intent.victims);
      if (!taken.empty()) wrong += "; less important pods took room:" + taken;
    }
  }
  sets_.push_back(std::move(now));
  return wrong;
}

std::vector<RemovalSets::Set>::const_reverse_iterator RemovalSets::latest(
    const agent::MarkVictim& mark) const {
  policy::Pod marked;
  marked.conditions = {mark.condition};
  const auto preemptor = policy::removal_mark(marked);
  return std::find_if(sets_.rbegin(), sets_.rend(), [&](const Set& each) {
    return preemptor && each.intent.preemptor_uid == preemptor->uid &&
           each.intent.generation == preemptor->generation && goes(each.intent, mark.victim.uid);
  });
}

std::optional<agent::RemovalIntent> RemovalSets::set_of(const agent::MarkVictim& mark) const {
  const auto set = latest(mark);
  return set == sets_.rend() ? std::nullopt : std::optional(set->intent);
}

bool RemovalSets::mark(const agent::MarkVictim& mark) {
  const auto set = latest(mark);
  if (set == sets_.rend()) return true;
  const auto index = static_cast<std::size_t>(sets_.rend() - set) - 1;
  return sets_[index].marked.insert(mark.victim.uid).second;
}

}  // namespace elbowroom::test

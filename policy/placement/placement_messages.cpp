#include "policy/placement/placement_messages.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>

#include "policy/model/charge.h"
#include "policy/preemption/fit.h"
#include "policy/preemption/preemption_messages.h"

namespace elbowroom::policy {
namespace {

using Counts = std::map<std::string, std::size_t, std::less<>>;

std::string counted(std::size_t nodes, const Counts& counts) {
  std::vector<std::string> texts;
  for (const auto& [reason, count] : counts) texts.push_back(std::to_string(count) + " " + reason);
  std::ranges::sort(texts);
  std::string text = "0/" + std::to_string(nodes) + " nodes are available: ";
  for (std::size_t i = 0; i < texts.size(); ++i) text += (i == 0 ? "" : ", ") + texts[i];
  return text + ".";
}

// What the node lacks, beside the pods that are not leaving.
Resources needed(const NodeFilter& filter, const NodePreemption& chosen) {
  Fit fit{.capacity = filter.room().nodes()[chosen.node].node.allocatable,
          .charge = filter.request()};
  for_each_amount(filter.request(),
                  [&](std::string_view name, std::int64_t) { fit.checked.emplace_back(name); });
  return lacking(fit, filter.used_now(chosen.node));
}

// The parts of a pod that the messages use.
Pod sketch_of(const RoomHolding& holding) {
  Pod pod;
  const std::size_t slash = holding.key.find('/');
  pod.ns = holding.key.substr(0, slash);
  pod.name = holding.key.substr(slash + 1);
  pod.uid = holding.uid;
  pod.priority = priority_of(holding);
  pod.qos_in_status = holding.qos;
  if (holding.is_grouped) pod.scheduling_group = "a group";  // which one plays no part in words
  pod.started = holding.started;
  return pod;
}

// The rated units in the form that messages take, and all that they refer to.
class Sketches {
 public:
  explicit Sketches(const std::vector<RatedUnit>& rated) {
    std::size_t count = 0;
    for (const RatedUnit& each : rated) count += members_of(each.unit);
    pods_.reserve(count);  // so that no pod, no list and no group moves
    members_.reserve(count);
    groups_.reserve(rated.size());
    for (const RatedUnit& each : rated) add(each);
  }
  Sketches(const Sketches&) = delete;
  Sketches& operator=(const Sketches&) = delete;

  [[nodiscard]] const std::vector<Rated>& rated() const { return rated_; }

 private:
  void add(const RatedUnit& of) {
    Rated& made = rated_.emplace_back();
    made.violating = of.violating;
    made.goes = of.goes;
    ChargeSum charge;
    for (const RoomHolding* pod : pods_here(of.unit)) charge.add(pod->charge, pod->claims);
    made.charge = charge.total();
    if (of.unit.group == nullptr) {
      made.unit = Unit<Pod>(sketch(of.unit.pod));
    } else {
      const GroupUnit<RoomHolding>& group = *of.unit.group;
      groups_.push_back({.uid = group.uid,
                         .key = group.key,
                         .priority = group.priority,
                         .here = sketches(group.here),
                         .before = sketches(group.before),
                         .after = sketches(group.after)});
      made.unit = Unit<Pod>(groups_.back());
    }
  }
  const Pod* sketch(const RoomHolding* of) {
    pods_.push_back(sketch_of(*of));
    return &pods_.back();
  }
  std::span<const Pod* const> sketches(std::span<const RoomHolding* const> of) {
    const std::size_t first = members_.size();
    for (const RoomHolding* each : of) members_.push_back(sketch(each));
    return std::span(members_).subspan(first);
  }

  std::vector<Pod> pods_{};
  std::vector<const Pod*> members_{};
  std::vector<GroupUnit<Pod>> groups_{};
  std::vector<Rated> rated_{};
};

bool frees_any(const Resources& charge, const Resources& needs) {
  bool frees = false;
  for_each_amount(needs, [&](std::string_view name, std::int64_t) {
    frees = frees || amount_of(charge, name) > 0;
  });
  return frees;
}

}  // namespace

std::string unavailable(const NodeFilter& filter, std::span<const RefusedNode> refused) {
  // What speaks against all nodes is told once, as upstream does.
  if (!refused.empty() && refused.front().refusal.has(Reason::VolumeClaims)) {
    const RefusedNode& first = refused.front();
    return "0/" + std::to_string(refused.size()) +
           " nodes are available: " + filter.reasons(first.node, first.refusal, {}).front() + ".";
  }
  Counts counts;
  std::map<std::uint32_t, std::size_t> alike;  // by the reasons' bits, if these suffice
  std::map<std::uint32_t, std::uint32_t> first;
  const auto tells_all = [](const Refusal& refusal) {
    return !refusal.has(Reason::OtherResource) && !refusal.has(Reason::Avoided);
  };
  const auto tell = [&](std::uint32_t node, const Refusal& refusal, std::size_t times) {
    for (std::string& reason : filter.reasons(node, refusal, filter.used_now(node))) {
      counts[std::move(reason)] += times;
    }
  };
  for (const RefusedNode& each : refused) {
    if (!tells_all(each.refusal)) {
      tell(each.node, each.refusal, 1);
    } else {
      ++alike[each.refusal.reasons];
      first.emplace(each.refusal.reasons, each.node);
    }
  }
  for (const auto& [reasons, times] : alike) tell(first[reasons], {.reasons = reasons}, times);
  return counted(refused.size(), counts);
}

std::string in_vain(const NodeFilter& filter, std::span<const RefusedNode> refused,
                    std::span<const NodePreemption> tried) {
  Counts counts;
  if (refused.size() > tried.size()) {
    counts["Preemption is not helpful for scheduling"] = refused.size() - tried.size();
  }
  for (const NodePreemption& each : tried) {
    if (each.rated.empty() || each.still.code == NodeCode::Success) {
      ++counts["No preemption victims found for incoming pod"];
      continue;
    }
    for (std::string& reason : filter.reasons(each.node, each.still, each.still_used)) {
      ++counts[std::move(reason)];
    }
  }
  return " preemption: " + counted(refused.size(), counts);
}

std::vector<VictimReport> described_victims(const NodeFilter& filter,
                                            const NodePreemption& chosen) {
  const Resources needs = needed(filter, chosen);
  const Sketches sketches(chosen.rated);
  std::vector<VictimReport> victims;
  const auto go = static_cast<std::size_t>(std::ranges::count_if(chosen.rated, &RatedUnit::goes));
  std::size_t reasons = 0;
  for (std::size_t i = 0; i < chosen.rated.size(); ++i) {
    const RatedUnit& each = chosen.rated[i];
    if (!each.goes) continue;
    std::string why;
    if (each.is_marked) {
      why = "was marked to make room for this pod already";
    } else if (++reasons > kMostReasons) {
      why = one_of_many(go);
    } else if (frees_any(sketches.rated()[i].charge, needs)) {
      why = victim_reason(sketches.rated(), i, needs, filter.room().rules());
    } else {
      why = "priority " + std::to_string(priority_of(each.unit));
      const auto refusals = filter.reasons(chosen.node, each.without_it_gone, {});
      if (!refusals.empty()) why += "; with it there: " + listed(refusals);
    }
    for_each_pod(each.unit, [&](const RoomHolding& pod) {
      victims.push_back(
          {.pod = pod.key,
           .uid = pod.uid,
           .priority = priority_of(each.unit),
           .violates_budget = each.breaks_budget(),
           .why = why,
           .unit = each.unit.group == nullptr ? pod.key : std::string(each.unit.group->key)});
    });
  }
  return victims;
}

}  // namespace elbowroom::policy

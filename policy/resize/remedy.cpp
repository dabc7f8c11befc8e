#include "policy/resize/remedy.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "policy/model/importance.h"
#include "policy/preemption/preemption_messages.h"

namespace elbowroom::policy {
namespace {

constexpr std::size_t kPrioritiesTried = 32;
constexpr std::size_t kMostInGroup = 10;  // pods that would have to be removed together

class Search {
 public:
  Search(const ResizeQuestion& question, const ResizeReport& report)
      : question_(question), report_(report) {}

  std::vector<Remedy> run() {
    if (report_.decision.verdict == Verdict::Infeasible) {
      infeasible();
    } else if (report_.decision.verdict == Verdict::Deferred) {
      request_less();
      holders_ = holders();
      // Nothing else has to go while enough room is on its way.
      const bool waits = report_.preemption.outcome == PreemptionOutcome::AwaitingVictims;
      if (!waits) remove_one_holder();
      preemption();
    }
    return std::move(found_);
  }

 private:
  void add(RemedyKind kind, std::string text, std::vector<std::string> pods = {}) {
    found_.push_back({kind, std::move(text), std::move(pods)});
  }

  Verdict verdict(const Pod& pod, const Resources& others) const {
    return decide_resize(question_.node, pod, others, question_.managers).verdict;
  }
  bool fits(const Resources& others) const {
    return verdict(question_.pod, others) == Verdict::Allocated;
  }

  // ---- a smaller request ----

  // The most that the pod can request, per resource that is too much.
  Resources most() const {
    Resources at_most;
    for (const Shortage& each : report_.decision.shortages) {
      set_amount(at_most, each.resource, std::max<std::int64_t>(each.capacity - each.used, 0));
    }
    return at_most;
  }

  // The pod with its request reduced by `excess`, where one container alone can give up all of it.
  std::optional<std::pair<Pod, std::string>> less_by_one(std::string_view resource,
                                                         std::int64_t excess, Pod pod) const {
    if (amount_of(pod.pod_level.desired.requests, resource) != 0) return std::nullopt;
    Container* raising = nullptr;
    for (Container& each : pod.containers) {
      if (each.kind == ContainerKind::Init) continue;
      const Resources& before = allocated_or_fallback(pod, each);
      if (amount_of(each.desired.requests, resource) <= amount_of(before, resource)) continue;
      if (raising != nullptr) return std::nullopt;
      raising = &each;
    }
    if (raising == nullptr) return std::nullopt;
    const std::int64_t left = amount_of(raising->desired.requests, resource) - excess;
    if (left < amount_of(allocated_or_fallback(pod, *raising), resource)) return std::nullopt;
    set_amount(raising->desired.requests, resource, left);
    Resources shown;
    set_amount(shown, resource, left);
    std::string words = "requests." + std::string(resource) + " of container " + raising->name +
                        " is at most " + in_words(shown);
    words.erase(words.size() - resource.size() - 1);  // the resource is already named
    return std::pair(std::move(pod), std::move(words));
  }

  void request_less() {
    const std::vector<Shortage>& shortages = report_.decision.shortages;
    if (shortages.empty()) return;
    Pod smaller = question_.pod;
    std::string words;
    for (const Shortage& each : shortages) {
      auto less = less_by_one(each.resource, each.lacking, std::move(smaller));
      if (!less) return ask_for_less_in_total();
      smaller = std::move(less->first);
      words += (words.empty() ? "" : " and ") + less->second;
    }
    const Verdict then = verdict(smaller, report_.others);
    if (then == Verdict::Allocated) {
      add(RemedyKind::AskForLess, "it fits now if " + words);
    } else if (then == Verdict::Unchanged) {
      nothing_more_fits();
    } else {
      ask_for_less_in_total();
    }
  }

  void nothing_more_fits() {
    std::vector<std::string> names;
    for (const Shortage& each : report_.decision.shortages) names.push_back(each.resource);
    add(RemedyKind::AskForLess,
        "asking for less helps only if it is no more " + listed(names) + " than the pod has now");
  }

  void ask_for_less_in_total() {
    const Resources at_most = most();
    const Resources held = held_charge(report_.totals);
    bool more_than_now = true;
    for (const Shortage& each : report_.decision.shortages) {
      more_than_now =
          more_than_now && amount_of(at_most, each.resource) > amount_of(held, each.resource);
    }
    if (!more_than_now) return nothing_more_fits();
    add(RemedyKind::AskForLess,
        "it fits now if the pod as a whole requests at most " + in_words(at_most));
  }

  // ---- other pods removed ----

  // The pods that hold room, least important first.
  std::vector<const Pod*> holders() const {
    std::vector<const Pod*> pods;
    for (const Pod& each : question_.pods) {
      if (each.uid != question_.pod.uid && holds_room(each)) pods.push_back(&each);
    }
    std::ranges::sort(pods, [&](const Pod* a, const Pod* b) {
      return importance_of(*b, question_.rules) < importance_of(*a, question_.rules);
    });
    return pods;
  }

  Resources others_without(const std::set<std::string_view>& gone) const {
    ChargeSum others;
    others.leave_out(shareable_claims(question_.pod));
    for (const Pod* each : holders_) {
      if (!gone.contains(each->uid)) others.add(*each, held_charge(*each));
    }
    return others.total();
  }

  void remove_one_holder() {
    std::vector<std::string> alone;
    for (const Pod* each : holders_) {
      if (fits(others_without({each->uid}))) alone.push_back(key_of(*each));
    }
    if (!alone.empty()) {
      std::string words = alone.size() == 1 ? "it fits if " : "it fits if one of these goes: ";
      words += listed(alone, "or");
      add(RemedyKind::Removal, alone.size() == 1 ? words + " goes" : words, alone);
      return;
    }
    remove_several_holders();
  }

  // Removes the leaving pods first, then the largest holders of what is lacking, until the resize
  // fits. Then it puts back every pod that was not needed.
  void remove_several_holders() {
    if (report_.decision.shortages.empty()) return;
    std::vector<const Pod*> order = holders_;
    const std::string& lacking = report_.decision.shortages.front().resource;
    std::ranges::stable_sort(order, {}, [&](const Pod* each) {
      return std::pair(!is_leaving(*each, question_.lapsed),
                       -amount_of(held_charge(*each), lacking));
    });
    std::set<std::string_view> gone;
    for (const Pod* each : order) {
      gone.insert(each->uid);
      if (fits(others_without(gone))) break;
    }
    if (!fits(others_without(gone))) return;
    for (auto each = order.rbegin(); each != order.rend(); ++each) {
      if (gone.erase((*each)->uid) > 0 && !fits(others_without(gone))) gone.insert((*each)->uid);
    }
    if (gone.size() > kMostInGroup) return;
    std::vector<std::string> names;
    for (const Pod* each : order) {
      if (gone.contains(each->uid)) names.push_back(key_of(*each));
    }
    add(RemedyKind::Removal, "no single pod is enough; it fits if " + listed(names) + " go", names);
  }

  // ---- preemption ----

  // A hypothetical state to plan on.
  struct World {
    Node node;
    Pod pod;
    Budgets budgets;
  };
  World world() const { return {question_.node, question_.pod, question_.budgets}; }

  PreemptionReport plan(const World& in) const {
    std::vector<Pod> pods = question_.pods;
    for (Pod& each : pods) {
      if (each.uid == in.pod.uid) each = in.pod;
    }
    return report_resize({.node = in.node,
                          .pods = pods,
                          .pod = in.pod,
                          .nominated = question_.nominated,
                          .budgets = in.budgets,
                          .lapsed = question_.lapsed,
                          .managers = question_.managers,
                          .rules = question_.rules,
                          .now = question_.now,
                          .elsewhere = question_.elsewhere,
                          .unremovable = question_.unremovable,
                          .lacks = question_.lacks})
        .preemption;
  }

  // "the scheduler would remove a and b"; otherwise what else would happen.
  static std::string consequence(const PreemptionReport& planned, std::vector<std::string>& pods) {
    for (const VictimReport& each : planned.victims) pods.push_back(each.pod);
    if (planned.outcome == PreemptionOutcome::Preempt && pods.empty()) return planned.message;
    if (planned.outcome == PreemptionOutcome::Preempt) {
      return "the " + std::string(to_string(planned.by)) + " would remove " + listed(pods);
    }
    if (planned.outcome == PreemptionOutcome::AwaitingVictims) return planned.message;
    return "no pod would be removed all the same: " + planned.message;
  }

  void counterfactual(RemedyKind kind, const std::string& words, const World& in) {
    std::vector<std::string> pods;
    const std::string then = consequence(plan(in), pods);
    add(kind, words + ": " + then, std::move(pods));
  }

  void preemption() {
    switch (report_.preemption.outcome) {
      case PreemptionOutcome::Disabled:
        return allowed_again();
      case PreemptionOutcome::PolicyNever: {
        World in = world();
        in.pod.preemption_policy = PreemptionPolicy::PreemptLowerPriority;
        if (in.pod.group) in.pod.group->preemption_policy = in.pod.preemption_policy;
        return counterfactual(RemedyKind::MayPreempt,
                              "with a priority class whose preemptionPolicy is not Never", in);
      }
      case PreemptionOutcome::NoVictims:
        return victims_after_all();
      case PreemptionOutcome::NotNeeded:
      case PreemptionOutcome::Preempt:
      case PreemptionOutcome::AwaitingVictims:
        return;
    }
  }

  void allowed_again() {
    World in = world();
    in.node.resize_preemption_owners.clear();
    in.node.malformed_owners.clear();
    std::erase_if(in.pod.conditions,
                  [](const Condition& each) { return each.type == kPodResizePreemptionDisabled; });
    if (disables_resize_preemption(question_.node)) {
      const std::vector<std::string>& owners = question_.node.resize_preemption_owners;
      return counterfactual(RemedyKind::NodePolicy,
                            "if " + owners_in_words(question_.node) +
                                (owners.size() == 1 ? " leaves" : " leave") +
                                " the policy of node " + question_.node.name +
                                " (spec.podPreemptionPolicy, or its annotation)",
                            in);
    }
    counterfactual(
        RemedyKind::PodCondition,
        "if the pod's condition PodResizePreemptionDisabled is removed by the program that set it",
        in);
  }

  void victims_after_all() {
    const NodeReady ready = question_.node.ready;
    if (ready == NodeReady::False || ready == NodeReady::Unknown) {
      World in = world();
      in.node.ready = NodeReady::True;
      return counterfactual(RemedyKind::NodeReady,
                            "once node " + question_.node.name + " is Ready again", in);
    }
    World soft = world();
    for (DisruptionBudget& each : soft.budgets.ours) each.hard = false;
    if (soft.budgets.ours != question_.budgets.ours &&
        plan(soft).outcome == PreemptionOutcome::Preempt) {
      counterfactual(RemedyKind::Budget, "if the hard disruption budgets allowed more", soft);
    }
    higher_priority();
  }

  // The lowest priority at which a pod would be removed.
  void higher_priority() {
    if (is_terminating(question_.pod)) return;
    const std::int32_t own = priority_of(question_.pod);
    std::set<std::int32_t> above;
    for (const Pod* each : holders_) {
      const std::int32_t other = priority_of(*each);
      if (other >= own && other < std::numeric_limits<std::int32_t>::max()) above.insert(other + 1);
    }
    std::size_t tried = 0;
    for (const std::int32_t priority : above) {
      if (++tried > kPrioritiesTried) return;
      World in = world();
      in.pod.priority = priority;
      if (in.pod.group) in.pod.group->priority = priority;
      const PreemptionReport planned = plan(in);
      if (planned.outcome != PreemptionOutcome::Preempt) continue;
      return counterfactual(RemedyKind::Priority,
                            "with a priority of at least " + std::to_string(priority) +
                                " (it has " + std::to_string(own) + ")",
                            in);
    }
  }

  // ---- what waiting cannot change ----

  void infeasible() {
    const std::string& detail = report_.decision.detail;
    if (detail == "insufficient_node_allocatable") {
      Resources most_here;
      for (const std::string_view name : raised_resources(question_.node, report_.totals)) {
        const std::int64_t capacity = amount_of(question_.node.allocatable, name);
        if (amount_of(report_.totals.desired, name) > capacity) {
          set_amount(most_here, name, capacity);
        }
      }
      add(RemedyKind::AskForLess, "it can be judged again if the pod as a whole requests at most " +
                                      in_words(most_here) + ", all that the node has");
      add(RemedyKind::Recreation,
          "a pod of that size needs a larger node: resizing never moves a pod, creating it anew "
          "does");
    } else if (detail == "static_pod") {
      add(RemedyKind::Recreation, "change the static pod's manifest on node " +
                                      question_.node.name + ": the kubelet then starts it anew");
    } else if (detail == "swap_limitation") {
      add(RemedyKind::Recreation,
          "a resizePolicy RestartContainer for memory allows it, in a pod that is created anew");
    } else if (detail.starts_with("guaranteed_pod_")) {
      add(RemedyKind::NodeManager,
          "the node pins what Guaranteed pods get: a pod created anew starts with the new size");
    }
  }

  const ResizeQuestion& question_;
  const ResizeReport& report_;
  std::vector<const Pod*> holders_;  // least important first
  std::vector<Remedy> found_;
};

}  // namespace

std::vector<Remedy> remedies(const ResizeQuestion& question, const ResizeReport& report) {
  return Search(question, report).run();
}

std::string_view to_string(RemedyKind kind) {
  switch (kind) {
    case RemedyKind::AskForLess:
      return "AskForLess";
    case RemedyKind::Removal:
      return "Removal";
    case RemedyKind::NodePolicy:
      return "NodePolicy";
    case RemedyKind::PodCondition:
      return "PodCondition";
    case RemedyKind::MayPreempt:
      return "MayPreempt";
    case RemedyKind::Priority:
      return "Priority";
    case RemedyKind::Budget:
      return "Budget";
    case RemedyKind::NodeReady:
      return "NodeReady";
    case RemedyKind::NodeManager:
      return "NodeManager";
    case RemedyKind::Recreation:
      return "Recreation";
  }
  return "AskForLess";
}

}  // namespace elbowroom::policy

#include "agent/judge.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "policy/model/rejected_pods.h"
#include "policy/model/wide_sum.h"
#include "policy/resize/retry_order.h"

namespace elbowroom::agent {
namespace {

using policy::ResizeDecision;
using policy::Resources;
using policy::Verdict;

// a - b for each resource, at least zero.
Resources less(const Resources& a, const Resources& b) {
  Resources rest = a;
  policy::for_each_amount(b, [&](std::string_view name, std::int64_t amount) {
    policy::set_amount(rest, name,
                       std::max<std::int64_t>(policy::amount_of(rest, name) - amount, 0));
  });
  return rest;
}

constexpr std::string_view kUnreadablePod = "UnreadablePod";

// Of an unreadable pod only the key is known, no uid.
policy::PodText unreadable_words(std::string_view reader, const std::string& unreadable) {
  const policy::PodText named = policy::name_for_reader(reader, unreadable, "");
  const policy::PodText subject = named.on_pod() == named.full()
                                      ? policy::PodText("Pod ") + named
                                      : policy::PodText("Pod " + named.full(), "A pod");
  return subject + " on this node cannot be read: nothing grows until it can";
}

// Room that victims make for one Deferred pod: what it still needs, what the victims still hold.
struct Reservation {
  Resources needed;
  Resources held_by_victims;
};

class Pass {
 public:
  Pass(const policy::Node& node, const std::vector<Judged>& pods,
       const policy::ManagerPolicies& managers, const std::string& unreadable)
      : node_(node), pods_(pods), managers_(managers), unreadable_(unreadable) {
    held_.reserve(pods.size());
    for (const Judged& each : pods) {
      const bool holds = policy::holds_room(*each.pod) && !policy::never_fits(node, *each.pod);
      held_.push_back(holds ? policy::held_charge(*each.pod) : Resources{});
      sum_.add(held_.back());
      if (holds && !each.is_new) ++slots_taken_;
      shares_claims_ = shares_claims_ || !policy::shareable_claims(*each.pod).empty();
    }
  }

  Judgements run() {
    Judgements all;
    for (const Judged& each : pods_) {
      if (each.judgeable) all.emplace(each.pod->uid, ResizeDecision{});
    }
    for (const std::size_t index : retry_order()) {
      const policy::Pod& pod = *pods_[index].pod;
      ResizeDecision decision = judge(index);
      const bool is_allocated = decision.verdict == Verdict::Allocated;
      if (is_allocated) hold_desired(index);
      const bool is_reserved = decision.verdict == Verdict::Deferred && reserve(index);
      if (pods_[index].is_new && (is_allocated || is_reserved)) ++slots_taken_;
      all.insert_or_assign(pod.uid, std::move(decision));
    }
    return all;
  }

 private:
  std::vector<std::size_t> retry_order() const {
    std::vector<std::pair<policy::RetryKey, std::size_t>> keyed;
    for (std::size_t i = 0; i < pods_.size(); ++i) {
      const bool asks = pods_[i].is_new || policy::resize_is_pending(*pods_[i].pod);
      if (pods_[i].judgeable && asks)
        keyed.emplace_back(policy::retry_key(*pods_[i].pod, pods_[i].arrival), i);
    }
    std::ranges::sort(keyed);
    std::vector<std::size_t> order;
    for (const auto& [key, index] : keyed) order.push_back(index);
    return order;
  }

  Resources held_by_others(std::size_t index) const {
    if (shares_claims_) return held_once_by_others(index);
    policy::WideSum others = sum_;
    others.take(held_[index]);
    return others.total();
  }

  // A claim that several pods share counts once, and not where it counts with the pod itself.
  Resources held_once_by_others(std::size_t index) const {
    policy::ChargeSum others;
    others.leave_out(policy::shareable_claims(*pods_[index].pod));
    for (std::size_t i = 0; i < pods_.size(); ++i) {
      if (i != index) others.add(*pods_[i].pod, held_[i]);
    }
    return others.total();
  }

  ResizeDecision judge(std::size_t index) const {
    const policy::Pod& pod = *pods_[index].pod;
    const Resources others = held_by_others(index);
    static const policy::ManagerPolicies any;
    const policy::ManagerPolicies& managers = pods_[index].is_new ? any : managers_;
    ResizeDecision decision = policy::decide_resize(node_, pod, others, managers);
    if (pods_[index].is_new && decision.verdict != Verdict::Infeasible) {
      if (slots_taken_ >= node_.allowed_pods) return out_of_pods();
      if (decision.verdict == Verdict::Unchanged) decision.verdict = Verdict::Allocated;
    }
    if (decision.verdict != Verdict::Allocated || !policy::raises_any(policy::totals_of(pod))) {
      return decision;
    }
    if (!unreadable_.empty()) {
      return {Verdict::Deferred,
              std::string(kUnreadablePod),
              "",
              unreadable_words(pod.ns, unreadable_).on_pod(),
              {}};
    }
    return policy::decide_resize(node_, pod, with_reservations(others), managers);
  }

  // A new pod is one more pod, whatever it requests.
  ResizeDecision out_of_pods() const {
    const std::int64_t most = node_.allowed_pods;
    return {Verdict::Deferred,
            "OutOfpods",
            "",
            "Node didn't have enough resource: pods, requested: 1, used: " +
                std::to_string(slots_taken_) + ", capacity: " + std::to_string(most),
            {{"pods", 1, slots_taken_, most, slots_taken_ - most + 1}}};
  }

  // Returns what the others will hold after the reserved resizes, without the victims, if that is
  // more than they hold now.
  Resources with_reservations(const Resources& others) const {
    Resources later = others;
    for (const Reservation& each : reservations_) policy::add_to(later, each.needed);
    for (const Reservation& each : reservations_) later = less(later, each.held_by_victims);
    return policy::max_of(others, later);
  }

  void hold_desired(std::size_t index) {
    const policy::Totals totals = policy::totals_of(*pods_[index].pod);
    sum_.take(held_[index]);
    held_[index] = policy::max_of(totals.desired, totals.actual);
    sum_.add(held_[index]);
  }

  // Returns whether room is being made for it.
  bool reserve(std::size_t index) {
    const policy::Pod& pod = *pods_[index].pod;
    Reservation made;
    bool any = pods_[index].room_is_made;
    for (std::size_t i = 0; i < pods_.size(); ++i) {
      const auto& mark = pods_[i].makes_room_for;
      if (!mark || mark->uid != pod.uid || mark->generation != pod.generation) continue;
      any = true;
      policy::add_to(made.held_by_victims, held_[i]);
    }
    if (!any) return false;
    made.needed = less(policy::resizing_charge(pod), held_[index]);
    reservations_.push_back(std::move(made));
    return true;
  }

  const policy::Node& node_;
  const std::vector<Judged>& pods_;
  const policy::ManagerPolicies& managers_;
  const std::string& unreadable_;
  std::vector<Resources> held_;   // parallel to pods_; zero if no room is reserved
  policy::WideSum sum_{};         // of all that is held
  std::int64_t slots_taken_ = 0;  // of the pods that the node may run
  bool shares_claims_ = false;    // some pod has claims that others may share
  std::vector<Reservation> reservations_;
};

}  // namespace

Judgements judge_pass(const policy::Node& node, const std::vector<Judged>& pods,
                      const policy::ManagerPolicies& managers, const std::string& unreadable) {
  return Pass(node, pods, managers, unreadable).run();
}

policy::PodText message_of(const ResizeDecision& decision, std::string_view reader,
                           const std::string& unreadable) {
  const bool names_it = decision.reason == kUnreadablePod && !unreadable.empty();
  if (names_it) return unreadable_words(reader, unreadable);
  return policy::PodText(decision.message);
}

}  // namespace elbowroom::agent

#include "page/growing_view.h"

#include <algorithm>
#include <iterator>

#include "policy/model/charge.h"
#include "policy/model/condition.h"
#include "policy/preemption/room_on_its_way.h"
#include "policy/resize/resize.h"

namespace elbowroom::page {
namespace {

using policy::Pod;

constexpr std::size_t kMostCounted = 20'000;         // pods that budgets may cover
constexpr std::size_t kMostComparisons = 2'000'000;  // of a budget with a pod
constexpr std::size_t kMostTold = 2'000;             // resizes with their texts

// In thousandths of the node, of the resource of which the pod holds most.
std::int64_t share_of(const Holder& holder, const policy::Node& node) {
  constexpr std::int64_t kWhole = 1'000'000;
  std::int64_t most = 0;
  policy::for_each_amount(holder.held, [&](std::string_view name, std::int64_t amount) {
    const std::int64_t whole = policy::amount_of(node.allocatable, name);
    const std::int64_t scaled = amount > policy::kMaxAmount / kWhole
                                    ? kWhole
                                    : amount * kWhole / std::max<std::int64_t>(whole, 1);
    most = std::max(most, scaled);
  });
  return most;
}

// What a budget's count takes.
Pod slim(const Pod& pod) {
  Pod kept;
  kept.ns = pod.ns;
  kept.name = pod.name;
  kept.uid = pod.uid;
  kept.labels = pod.labels;
  kept.controller = pod.controller;
  kept.node = pod.node;
  kept.phase = pod.phase;
  kept.deletion = pod.deletion;
  kept.conditions = pod.conditions;
  return kept;
}

template <class T>
void append(std::vector<T>& to, std::vector<T>&& more) {
  std::ranges::move(more, std::back_inserter(to));
}

}  // namespace

bool has_waiting(const std::vector<Pod>& pods) {
  return std::ranges::any_of(pods, [](const Pod& pod) {
    return policy::find_condition(pod.conditions, policy::kPodResizePending) != nullptr ||
           policy::find_condition(pod.conditions, policy::kPodResizeInProgress) != nullptr ||
           policy::resize_is_pending(pod);
  });
}

void GrowingView::add(policy::Budgets budgets) {
  for (const auto& each : budgets.upstream) counted_namespaces_.insert(each.ns);
  for (const auto& each : budgets.ours) counted_namespaces_.insert(each.ns);
  append(budgets_.upstream, std::move(budgets.upstream));
  append(budgets_.ours, std::move(budgets.ours));
}

void GrowingView::add_counted(const std::vector<Pod>& pods) {
  for (const Pod& each : pods) {
    if (too_many_ || !counted_namespaces_.contains(each.ns)) continue;
    budgets_.cluster_pods.push_back(slim(each));
    const std::size_t budgets = budgets_.upstream.size() + budgets_.ours.size();
    const std::size_t counted = budgets_.cluster_pods.size();
    too_many_ = counted > kMostCounted || counted * budgets > kMostComparisons;
  }
  if (too_many_) budgets_.cluster_pods = {};
}

void GrowingView::add_holders(const NodeCopy& copy) {
  std::vector<Holder>& kept = view_.holders[copy.node.name];
  for (const Pod& each : copy.pods) {
    if (!policy::holds_room(each)) continue;
    kept.push_back({.pod = policy::key_of(each),
                    .priority = policy::priority_of(each),
                    .leaves = policy::is_terminating(each),
                    .held = policy::held_charge(each)});
  }
  std::vector<std::pair<std::int64_t, std::size_t>> order;
  for (std::size_t at = 0; at < kept.size(); ++at)
    order.emplace_back(-share_of(kept[at], copy.node), at);
  std::ranges::sort(order);
  if (order.size() > most_holders_) order.resize(most_holders_);
  std::vector<Holder> largest;
  for (const auto& [share, at] : order) largest.push_back(std::move(kept[at]));
  kept = std::move(largest);
}

void GrowingView::add(const NodeCopy& copy) {
  const policy::OverduePods lapsed = policy::overdue_pods_at(copy.pods, view_.of.now);
  policy::NodePart part = policy::overview_of_node({.node = copy.node,
                                                    .pods = copy.pods,
                                                    .nominated = copy.nominated,
                                                    .budgets = copy.budgets,
                                                    .lapsed = lapsed,
                                                    .rules = copy.rules,
                                                    .now = view_.of.now,
                                                    .elsewhere = copy.elsewhere,
                                                    .lacks = copy.lacks});
  for (const auto& [pod, next] : copy.decided) view_.explained.insert(pod);
  for (policy::WaitingResize& each : part.waiting) {
    if (copy.explains_all) view_.explained.insert(each.pod);
    const auto decided = copy.decided.find(each.pod);
    if (decided != copy.decided.end() && !decided->second.empty()) each.next = decided->second;
    if (view_.of.waiting.size() >= kMostTold) {
      each.why = each.next = {};
      each.victims = {};
    }
    view_.of.waiting.push_back(std::move(each));
  }
  for (const policy::LeavingPod& each : part.leaving) {
    if (copy.explains_all) view_.explained.insert(each.pod);
  }
  view_.of.nodes.push_back(std::move(part.node));
  append(view_.of.leaving, std::move(part.leaving));
  add_holders(copy);
  add_counted(copy.pods);
}

View GrowingView::finished() && {
  view_.uncounted_budgets = too_many_ ? budgets_.upstream.size() + budgets_.ours.size() : 0;
  if (!too_many_) view_.of.budgets = policy::overview_of_budgets(budgets_, view_.of.now);
  view_.of.removals = policy::recent_removals(budgets_, view_.of.now);
  return std::move(view_);
}

}  // namespace elbowroom::page

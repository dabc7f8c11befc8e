#include "policy/placement/cluster_room.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "policy/model/charge.h"
#include "policy/model/condition.h"
#include "policy/preemption/budget_charge.h"
#include "policy/preemption/budget_coverage.h"

namespace elbowroom::policy {
namespace {

// What a pod that requests nothing counts as in scores, so that such pods also spread. Source:
// kube-scheduler util/pod_resources.go.
constexpr std::int64_t kScoredCpu = 100;
constexpr std::int64_t kScoredMemory = std::int64_t{200} << 20;

constexpr std::string_view kNamespaceName = "kubernetes.io/metadata.name";

bool was_preempted_by_scheduler(const Pod& pod) {
  const Condition* target = find_condition(pod.conditions, kDisruptionTarget);
  return target != nullptr && target->status == "True" &&
         target->reason == kReasonPreemptionByScheduler;
}

RoomHolding made_of(const Pod& pod, std::uint32_t kind, std::uint32_t terms, std::uint32_t group) {
  std::vector<ClaimedResources> claims;
  if (!pod.node.empty() && !pod.claimed.empty()) claims = shareable_claims(pod);
  return {.charge = without(cluster_charge(pod), claims),
          .priority = priority_of(pod),
          .kind = kind,
          .terms = terms,
          .deletion = pod.deletion,
          .is_fixed = pod.is_static || pod.is_mirror,
          .is_grouped = is_grouped(pod),
          .group = group,
          .qos = qos_of(pod),
          .own_priority = own_priority_of(pod),
          .started = pod.started,
          .key = key_of(pod),
          .uid = pod.uid,
          .preempted_by_scheduler = was_preempted_by_scheduler(pod),
          .mark = removal_mark(pod),
          .is_unhealthy = is_unhealthy(pod),
          .claims = std::move(claims)};
}

// Where a pod is counted; "": nowhere.
struct Seat {
  std::string_view node{};
  bool is_nominated = false;
};

Seat seat_of(const Pod& pod, RuleSet rules) {
  if (!pod.node.empty()) {
    const bool counts = rules == RuleSet::Upstream ? !is_finished(pod) : holds_room(pod);
    return counts ? Seat{.node = pod.node} : Seat{};
  }
  if (pod.nominated_node.empty() || is_terminating(pod) || is_finished(pod)) return {};
  return {.node = pod.nominated_node, .is_nominated = true};
}

auto budget_order(bool is_ours, std::string_view ns, std::string_view name) {
  return std::tuple(is_ours, ns, name);
}
auto budget_order(const BudgetRoom& budget) {
  return budget_order(budget.is_ours, budget.ns, budget.name);
}

void set_value(LabelColumn& column, std::uint32_t node, const Labels& labels,
               std::string_view label) {
  const auto found = labels.find(label);
  if (column.value_of_node.size() <= node) column.value_of_node.resize(node + 1, 0);
  if (found == labels.end()) {
    column.value_of_node[node] = 0;
    return;
  }
  const auto next = static_cast<std::uint32_t>(column.values.size());
  const auto [at, added] = column.numbers.emplace(found->second, next);
  if (added) column.values.push_back(found->second);
  column.value_of_node[node] = at->second;
}

}  // namespace

UnitRank rank_of(const RoomHolding& holding) {
  return {.priority = priority_of(holding),
          .is_grouped = holding.is_grouped,
          .qos = holding.qos,
          .started = holding.started,
          .uid = holding.uid};
}

Importance importance_of(const RoomHolding& holding, RuleSet rules) {
  return importance_of(rank_of(holding), rules);
}

Resources scored_charge(const Resources& charge) {
  Resources scored;
  scored.cpu.value = charge.cpu.value == 0 ? kScoredCpu : charge.cpu.value;
  scored.memory.value = charge.memory.value == 0 ? kScoredMemory : charge.memory.value;
  return scored;
}

// ---- nodes ----

std::uint32_t ClusterRoom::node_number(std::string_view name) {
  if (const auto known = node_numbers_.find(name); known != node_numbers_.end()) {
    return known->second;
  }
  std::uint32_t number = 0;
  if (free_nodes_.empty()) {
    number = static_cast<std::uint32_t>(nodes_.size());
    nodes_.emplace_back();
    figures_.emplace_back();
    for (auto& [label, column] : columns_) column.value_of_node.push_back(0);
    for (auto& [resource, column] : resource_columns_) {
      column.allocatable.push_back(0);
      column.used.push_back(0);
    }
  } else {
    number = free_nodes_.back();
    free_nodes_.pop_back();
  }
  nodes_[number].name = name;
  node_numbers_.emplace(name, number);
  return number;
}

std::optional<std::uint32_t> ClusterRoom::find_node(std::string_view name) const {
  const auto known = node_numbers_.find(name);
  if (known == node_numbers_.end() || !figures_[known->second].is_known) return std::nullopt;
  return known->second;
}

std::vector<std::uint32_t> ClusterRoom::node_numbers() const {
  std::vector<std::uint32_t> numbers;
  numbers.reserve(known_nodes_);
  for (const auto& [name, number] : node_numbers_) {
    if (figures_[number].is_known) numbers.push_back(number);
  }
  return numbers;
}

void ClusterRoom::put(const Node& node) {
  const std::uint32_t number = node_number(node.name);
  NodeRoom& room = nodes_[number];
  NodeTotals& figures = figures_[number];
  if (!figures.is_known) ++known_nodes_;
  for (const AvoidedController& each : room.node.avoided_controllers) {
    const auto at = avoided_.find(each.uid);
    if (--at->second == 0) avoided_.erase(at);
  }
  for (const AvoidedController& each : node.avoided_controllers) ++avoided_[each.uid];
  images_.put(number, node.images);
  room.node = node;
  room.node.images = {};
  figures.is_known = true;
  figures.is_unschedulable = node.unschedulable;
  figures.cpu = node.allocatable.cpu.value;
  figures.memory = node.allocatable.memory.value;
  figures.ephemeral_storage = node.allocatable.ephemeral_storage.value;
  figures.allowed_pods = node.allowed_pods;
  taints_.let_go(std::exchange(figures.taints, taints_.hold(node.taints)));
  for (auto& [label, column] : columns_) set_value(column, number, node.labels, label);
  for (auto& [resource, column] : resource_columns_) {
    column.allocatable[number] = amount_of(node.allocatable, resource);
  }
  // Drops the column of a label whose value changes all the time. It is rebuilt on demand.
  std::erase_if(columns_, [this](const auto& each) {
    return each.second.values.size() > 2 * nodes_.size() + 1'000;
  });
}

void ClusterRoom::remove_node(std::string_view name) {
  const auto known = find_node(name);
  if (!known) return;
  Node without;  // labels, taints and controllers
  without.name = name;
  put(without);
  figures_[*known].is_known = false;
  --known_nodes_;
  drop_if_empty(*known);
}

void ClusterRoom::drop_if_empty(std::uint32_t number) {
  const NodeRoom& room = nodes_[number];
  if (figures_[number].is_known || !room.holders.empty() || !room.nominated.empty()) return;
  node_numbers_.erase(room.name);
  nodes_[number] = {};
  figures_[number] = {};
  free_nodes_.push_back(number);
}

const LabelColumn& ClusterRoom::column(std::string_view label) {
  if (const auto known = columns_.find(label); known != columns_.end()) return known->second;
  LabelColumn& made = columns_.emplace(label, LabelColumn{.values = {""}}).first->second;
  made.value_of_node.resize(nodes_.size(), 0);
  for (std::uint32_t number = 0; number < nodes_.size(); ++number) {
    set_value(made, number, nodes_[number].node.labels, label);
  }
  return made;
}

const ResourceColumn& ClusterRoom::resource_column(std::string_view resource) {
  const auto [at, added] = resource_columns_.try_emplace(std::string(resource));
  if (!added) return at->second;
  for (const NodeRoom& each : nodes_) {
    at->second.allocatable.push_back(amount_of(each.node.allocatable, resource));
    at->second.used.push_back(amount_of(each.used, resource));
  }
  return at->second;
}

void ClusterRoom::forget_columns(std::size_t above) {
  if (columns_.size() > above) columns_.clear();
  if (resource_columns_.size() > above) resource_columns_.clear();
  taints_.forget(above);
}

bool ClusterRoom::is_avoided_somewhere(std::string_view controller) const {
  return avoided_.contains(controller);
}

// ---- pods ----

std::uint32_t ClusterRoom::hold_kind(const Pod& pod) {
  const auto [kind, is_new] = kinds_.hold(pod);
  if (is_new) match_budgets(kind, pod.ns);
  return kind;
}

RoomHolding ClusterRoom::holding_of(const Pod& pod, std::uint32_t kind) const {
  return made_of(pod, kind, kinds_.all()[kind].terms,
                 pod.group ? find_group(group_key_of(pod)) : 0);
}

std::vector<std::uint32_t> ClusterRoom::kinds_about(const PodTerm& term) const {
  std::vector<std::uint32_t> found;
  if (!term.selector) return found;
  const auto look_in = [&](std::string_view ns) {
    const auto there = kinds_.selected(ns, *term.selector);
    found.insert(found.end(), there.begin(), there.end());
  };
  for (const std::string& ns : term.namespaces) look_in(ns);
  if (term.namespace_selector) {
    for (const auto& [number, ns] : kinds_.namespaces()) {
      if (matches_namespace(*term.namespace_selector, ns)) look_in(ns);
    }
  }
  std::ranges::sort(found);
  const auto repeated = std::ranges::unique(found);
  found.erase(repeated.begin(), repeated.end());
  return found;
}

std::uint32_t ClusterRoom::find_group(std::string_view key) const {
  const auto known = group_numbers_.find(key);
  return known == group_numbers_.end() ? 0 : known->second;
}

// The latest standing counts for all pods of the group.
std::uint32_t ClusterRoom::group_number(const Pod& pod) {
  if (!pod.group) return 0;
  std::string key = group_key_of(pod);
  const auto known = group_numbers_.find(key);
  auto number = static_cast<std::uint32_t>(groups_.size());
  if (known != group_numbers_.end()) {
    number = known->second;
  } else if (free_groups_.empty()) {
    groups_.emplace_back();
  } else {
    number = free_groups_.back();
    free_groups_.pop_back();
  }
  RoomGroup& group = groups_[number];
  group.standing = *pod.group;
  if (known == group_numbers_.end()) {
    group.key = key;
    group_numbers_.emplace(std::move(key), number);
  }
  return number;
}

void ClusterRoom::release_group(std::uint32_t number) {
  if (number == 0 || --groups_[number].pods > 0) return;
  group_numbers_.erase(groups_[number].key);
  groups_[number] = {};
  free_groups_.push_back(number);
}

void ClusterRoom::add(const Pod& pod) {
  const Seat seat = seat_of(pod, rules_);
  if (seat.node.empty()) return;
  const std::uint32_t number = node_number(seat.node);
  const std::uint32_t kind = hold_kind(pod);
  NodeRoom& room = nodes_[number];
  RoomHolding holding = made_of(pod, kind, kinds_.all()[kind].terms, group_number(pod));
  if (holding.group != 0) ++groups_[holding.group].pods;
  if (!seat.is_nominated) count(number, holding, true);
  Blocks<RoomHolding>& among = seat.is_nominated ? room.nominated : room.holders;
  among.insert(std::move(holding),
               [this](const RoomHolding& each) { return importance_of(each, rules_); });
  if (!pod.placement.claims.empty()) volumes_.add(pod, seat.node, seat.is_nominated);
  show(number);
}

void ClusterRoom::remove(const Pod& pod) {
  const Seat seat = seat_of(pod, rules_);
  const auto known = node_numbers_.find(seat.node);
  if (seat.node.empty() || known == node_numbers_.end()) return;
  const std::uint32_t number = known->second;
  NodeRoom& room = nodes_[number];
  Blocks<RoomHolding>& among = seat.is_nominated ? room.nominated : room.holders;
  // Two contradicting pods share one uid, and each holds its own room.
  const std::string key = key_of(pod);
  const auto at = among.find(
      importance_of(made_of(pod, 0, 0, 0), rules_),
      [this](const RoomHolding& each) { return importance_of(each, rules_); },
      [&](const RoomHolding& each) { return each.uid == pod.uid && each.key == key; });
  if (at == among.end()) return;
  const std::uint32_t kind = at->kind;
  const std::uint32_t group = at->group;
  if (!seat.is_nominated) count(number, *at, false);
  among.erase(at);
  kinds_.let_go(kind);
  release_group(group);
  if (!pod.placement.claims.empty()) volumes_.remove(pod);
  show(number);
  drop_if_empty(number);
}

void ClusterRoom::count(std::uint32_t number, const RoomHolding& holder, bool comes) {
  NodeRoom& room = nodes_[number];
  const Resources scored = scored_charge(holder.charge);
  if (comes) {
    room.sum.add(holder.charge);
    room.scored.add(scored);
  } else {
    room.sum.take(holder.charge);
    room.scored.take(scored);
  }
  const auto tally = [comes](std::size_t& of, bool counts) {
    if (!counts) return;
    if (comes) {
      ++of;
    } else {
      --of;
    }
  };
  for (const ClaimedResources& each : holder.claims) {
    std::vector<Resources>& amounts = room.claims[each.claim];
    if (comes) {
      amounts.push_back(each.amounts);
    } else {
      amounts.erase(std::ranges::find(amounts, each.amounts));
      if (amounts.empty()) room.claims.erase(each.claim);
    }
  }
  kinds_.count(holder.kind, number, holder.is_terminating(), comes);
  tally(room.with_host_ports, !kinds_.all()[holder.kind].host_ports.empty());
  tally(room.terminating, holder.is_terminating());
  tally(room.marked, holder.mark.has_value());
  if (holder.group == 0) return;
  RoomGroup& group = groups_[holder.group];
  if (comes) {
    group.members.emplace(holder.key, number);
  } else {
    group.members.erase(holder.key);
  }
  tally(room.of_whole_groups, group.is_whole());
}

void ClusterRoom::show(std::uint32_t number) {
  NodeRoom& room = nodes_[number];
  NodeTotals& figures = figures_[number];
  room.used = room.sum.total();
  Resources scored = room.scored.total();
  for (const auto& [claim, amounts] : room.claims) {
    Resources once;
    for (const Resources& each : amounts) once = max_of(once, each);
    add_to(room.used, once);
    add_to(scored, once);
  }
  figures.has_claims = !room.claims.empty();
  figures.scored_cpu = scored.cpu.value;
  figures.scored_memory = scored.memory.value;
  figures.has_host_ports = room.with_host_ports > 0;
  figures.has_terminating = room.terminating > 0;
  figures.has_marked = room.marked > 0;
  figures.has_whole_groups = room.of_whole_groups > 0;
  figures.used_cpu = room.used.cpu.value;
  figures.used_memory = room.used.memory.value;
  figures.used_ephemeral_storage = room.used.ephemeral_storage.value;
  figures.pods = static_cast<std::int64_t>(room.holders.size());
  figures.has_nominated = !room.nominated.empty();
  for (auto& [resource, column] : resource_columns_) {
    column.used[number] = amount_of(room.used, resource);
  }
}

// ---- budgets and namespaces ----

bool ClusterRoom::comes_first(std::uint32_t a, std::uint32_t b) const {
  return budget_order(budgets_[a]) < budget_order(budgets_[b]);
}

void ClusterRoom::match_budgets(std::uint32_t kind, std::string_view ns) {
  const auto there = budgets_in_.find(ns);
  if (there == budgets_in_.end()) return;
  std::vector<std::uint32_t> covering;
  for (const std::uint32_t number : there->second) {
    const auto& selector = budgets_[number].selector;
    if (selector && kinds_.selects(*selector, ns, kind)) covering.push_back(number);
  }
  if (!covering.empty()) kinds_.set_budgets(kind, covering);
}

void ClusterRoom::cover(std::uint32_t budget, bool covers) {
  const BudgetRoom& of = budgets_[budget];
  if (!of.selector) return;
  for (const std::uint32_t kind : kinds_.selected(of.ns, *of.selector)) {
    std::vector<std::uint32_t> covering = kinds_.budgets_of(kind);
    if (covers) {
      const auto behind = std::ranges::lower_bound(
          covering, budget, [this](auto a, auto b) { return comes_first(a, b); });
      covering.insert(behind, budget);
    } else {
      std::erase(covering, budget);
    }
    kinds_.set_budgets(kind, covering);
  }
}

void ClusterRoom::put_budget(BudgetRoom budget) {
  std::vector<std::uint32_t>& there = budgets_in_[budget.ns];
  const auto order = [this](std::uint32_t each) { return budget_order(budgets_[each]); };
  const auto at = std::ranges::lower_bound(there, budget_order(budget), {}, order);
  if (at != there.end() && order(*at) == budget_order(budget)) {
    const std::uint32_t number = *at;
    const bool covers_the_same = budgets_[number].selector == budget.selector;
    if (!covers_the_same) cover(number, false);
    budgets_[number] = std::move(budget);
    if (!covers_the_same) cover(number, true);
    return;
  }
  auto number = static_cast<std::uint32_t>(budgets_.size());
  const auto behind = at - there.begin();
  if (free_budgets_.empty()) {
    budgets_.emplace_back();
  } else {
    number = free_budgets_.back();
    free_budgets_.pop_back();
  }
  budgets_[number] = std::move(budget);
  there.insert(there.begin() + behind, number);
  cover(number, true);
}

void ClusterRoom::remove_budget(bool is_ours, std::string_view ns, std::string_view name) {
  const auto in = budgets_in_.find(ns);
  if (in == budgets_in_.end()) return;
  std::vector<std::uint32_t>& there = in->second;
  const auto at =
      std::ranges::lower_bound(there, budget_order(is_ours, ns, name), {},
                               [this](std::uint32_t each) { return budget_order(budgets_[each]); });
  if (at == there.end() || budget_order(budgets_[*at]) != budget_order(is_ours, ns, name)) return;
  const std::uint32_t number = *at;
  cover(number, false);
  there.erase(at);
  if (there.empty()) budgets_in_.erase(in);
  budgets_[number] = {};
  free_budgets_.push_back(number);
}

void ClusterRoom::put(const PodDisruptionBudget& budget) {
  put_budget({.ns = budget.ns,
              .name = budget.name,
              .selector = budget.selector,
              .disrupted_pods = budget.disrupted_pods,
              .allowed = budget.disruptions_allowed,
              .spares_unhealthy = rules_ != RuleSet::Upstream && spares_unhealthy(budget)});
}

void ClusterRoom::put(const DisruptionBudget& budget, const Strength& strength, Time now) {
  BudgetRoom room{.ns = budget.ns,
                  .name = budget.name,
                  .is_ours = true,
                  .is_hard = budget.hard,
                  .selector = budget.selector,
                  .allowed = allowed_now(budget, strength, now),
                  .spares_unhealthy = spares_unhealthy(budget, strength)};
  for (const LedgerEntry& each : budget.recent) {
    if (is_charged(budget, each, now)) room.debited.insert(each.uid);
  }
  put_budget(std::move(room));
}

void ClusterRoom::remove_pod_disruption_budget(std::string_view ns, std::string_view name) {
  remove_budget(false, ns, name);
}

void ClusterRoom::remove_disruption_budget(std::string_view ns, std::string_view name) {
  remove_budget(true, ns, name);
}

void ClusterRoom::put_namespace(std::string_view name, Labels labels) {
  labels.insert_or_assign(std::string(kNamespaceName), std::string(name));
  namespaces_.insert_or_assign(std::string(name), std::move(labels));
}

void ClusterRoom::remove_namespace(std::string_view name) {
  const auto at = namespaces_.find(name);
  if (at != namespaces_.end()) namespaces_.erase(at);
}

bool ClusterRoom::matches_namespace(const LabelSelector& selector, std::string_view name) const {
  const auto at = namespaces_.find(name);
  if (at != namespaces_.end()) return matches(selector, at->second);
  return matches(selector, {{std::string(kNamespaceName), std::string(name)}});
}

}  // namespace elbowroom::policy

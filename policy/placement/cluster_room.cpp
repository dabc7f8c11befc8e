#include "policy/placement/cluster_room.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "policy/model/charge.h"
#include "policy/model/condition.h"
#include "policy/preemption/budget_charge.h"

namespace elbowroom::policy {
namespace {

// What a pod that requests nothing counts as in scores, so that such pods also spread. Source:
// kube-scheduler util/pod_resources.go.
constexpr std::int64_t kScoredCpu = 100;
constexpr std::int64_t kScoredMemory = std::int64_t{200} << 20;

constexpr std::string_view kNamespaceName = "kubernetes.io/metadata.name";

// A text that is equal only for equal kinds: each part is prefixed with its length.
class KindText {
 public:
  std::string text{};

  void add(std::string_view part) {
    text += std::to_string(part.size());
    text += ':';
    text += part;
  }
  void add(const Labels& labels) {
    add(std::to_string(labels.size()));
    for (const auto& [key, value] : labels) add(key), add(value);
  }
  void add(const std::vector<std::string>& texts) {
    add(std::to_string(texts.size()));
    for (const std::string& each : texts) add(each);
  }
  void add(const std::optional<LabelSelector>& selector) {
    add(selector ? "yes" : "no");
    if (!selector) return;
    add(selector->match_labels);
    add(std::to_string(selector->expressions.size()));
    for (const LabelExpression& each : selector->expressions) {
      add(each.key);
      add(std::to_string(std::to_underlying(each.op)));
      add(each.values);
    }
  }
  void add(const PodTerm& term) {
    add(term.selector);
    add(term.namespaces);
    add(term.namespace_selector);
    add(term.topology_key);
  }
  void add(const std::vector<PodTerm>& terms) {
    add(std::to_string(terms.size()));
    for (const PodTerm& each : terms) add(each);
  }
  void add(const std::vector<PreferredPods>& terms) {
    add(std::to_string(terms.size()));
    for (const PreferredPods& each : terms) add(std::to_string(each.weight)), add(each.term);
  }
};

std::string kind_text(const Pod& pod) {
  const Placement& placement = pod.placement;
  KindText made;
  made.add(pod.ns);
  made.add(pod.labels);
  made.add(placement.required_affinity);
  made.add(placement.required_anti_affinity);
  made.add(placement.preferred_affinity);
  made.add(placement.preferred_anti_affinity);
  for (const HostPort& port : placement.host_ports) {
    made.add(port.ip);
    made.add(std::to_string(std::to_underlying(port.protocol)));
    made.add(std::to_string(port.port));
  }
  return made.text;
}

bool was_preempted_by_scheduler(const Pod& pod) {
  const Condition* target = find_condition(pod.conditions, kDisruptionTarget);
  return target != nullptr && target->status == "True" &&
         target->reason == kReasonPreemptionByScheduler;
}

RoomHolding made_of(const Pod& pod, std::uint32_t kind, std::uint32_t group) {
  return {.charge = cluster_charge(pod),
          .priority = priority_of(pod),
          .kind = kind,
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
          .mark = removal_mark(pod)};
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

bool covers(const BudgetRoom& budget, const PodKind& kind) {
  return budget.selector && budget.ns == kind.ns && matches(*budget.selector, kind.labels);
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
  room.node = node;
  figures.is_known = true;
  figures.is_unschedulable = node.unschedulable;
  figures.cpu = node.allocatable.cpu.value;
  figures.memory = node.allocatable.memory.value;
  figures.ephemeral_storage = node.allocatable.ephemeral_storage.value;
  figures.allowed_pods = node.allowed_pods;
  figures.taints = taints_number(node.taints);
  for (auto& [label, column] : columns_) set_value(column, number, node.labels, label);
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

// Sets are few and are never dropped. Their number is bounded by the taints ever seen on nodes; the
// taints of node conditions come and go in the same few combinations.
std::uint32_t ClusterRoom::taints_number(const std::vector<Taint>& taints) {
  const auto found = std::ranges::find(taint_sets_, taints);
  if (found != taint_sets_.end()) return static_cast<std::uint32_t>(found - taint_sets_.begin());
  // A set that no node uses any more is replaced.
  for (std::uint32_t number = 1; number < taint_sets_.size(); ++number) {
    const bool is_used = std::ranges::any_of(
        figures_, [&](const NodeTotals& each) { return each.taints == number; });
    if (is_used) continue;
    taint_sets_[number] = taints;
    return number;
  }
  taint_sets_.push_back(taints);
  return static_cast<std::uint32_t>(taint_sets_.size() - 1);
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

void ClusterRoom::forget_columns(std::size_t above) {
  if (columns_.size() > above) columns_.clear();
}

bool ClusterRoom::is_avoided_somewhere(std::string_view controller) const {
  return avoided_.contains(controller);
}

// ---- pods ----

std::uint32_t ClusterRoom::kind_number(const Pod& pod) {
  std::string text = kind_text(pod);
  if (const auto known = kind_numbers_.find(text); known != kind_numbers_.end()) {
    return known->second;
  }
  auto number = static_cast<std::uint32_t>(kinds_.size());
  if (free_kinds_.empty()) {
    kinds_.emplace_back();
  } else {
    number = free_kinds_.back();
    free_kinds_.pop_back();
  }
  PodKind& kind = kinds_[number];
  kind = {.ns = pod.ns,
          .labels = pod.labels,
          .required_affinity = pod.placement.required_affinity,
          .required_anti_affinity = pod.placement.required_anti_affinity,
          .preferred_affinity = pod.placement.preferred_affinity,
          .preferred_anti_affinity = pod.placement.preferred_anti_affinity,
          .host_ports = pod.placement.host_ports};
  match_budgets(kind);
  if (kind.has_terms()) kinds_with_terms_.insert(number);
  kind_numbers_.emplace(std::move(text), number);
  return number;
}

void ClusterRoom::release_kind(const Pod& pod, std::uint32_t number) {
  PodKind& kind = kinds_[number];
  if (--kind.pods > 0) return;
  kind_numbers_.erase(kind_text(pod));
  kinds_with_terms_.erase(number);
  kind = {};
  free_kinds_.push_back(number);
}

std::uint32_t ClusterRoom::hold_kind(const Pod& pod) {
  const std::uint32_t number = kind_number(pod);
  ++kinds_[number].pods;
  return number;
}

RoomHolding ClusterRoom::holding_of(const Pod& pod, std::uint32_t kind) const {
  return made_of(pod, kind, pod.group ? find_group(group_key_of(pod)) : 0);
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
  const std::uint32_t kind = kind_number(pod);
  ++kinds_[kind].pods;
  NodeRoom& room = nodes_[number];
  RoomHolding holding = made_of(pod, kind, group_number(pod));
  if (holding.group != 0) ++groups_[holding.group].pods;
  if (!seat.is_nominated) count(number, holding, true);
  Blocks<RoomHolding>& among = seat.is_nominated ? room.nominated : room.holders;
  among.insert(std::move(holding),
               [this](const RoomHolding& each) { return importance_of(each, rules_); });
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
      importance_of(made_of(pod, 0, 0), rules_),
      [this](const RoomHolding& each) { return importance_of(each, rules_); },
      [&](const RoomHolding& each) { return each.uid == pod.uid && each.key == key; });
  if (at == among.end()) return;
  const std::uint32_t kind = at->kind;
  const std::uint32_t group = at->group;
  if (!seat.is_nominated) count(number, *at, false);
  among.erase(at);
  release_kind(pod, kind);
  release_group(group);
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
  tally(room.with_host_ports, !kinds_[holder.kind].host_ports.empty());
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
  const Resources scored = room.scored.total();
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
}

// ---- budgets and namespaces ----

void ClusterRoom::match_budgets(PodKind& kind) const {
  kind.budgets.clear();
  for (std::uint32_t number = 0; number < budgets_.size(); ++number) {
    if (covers(budgets_[number], kind)) kind.budgets.push_back(number);
  }
}

void ClusterRoom::put_budget(BudgetRoom budget) {
  const auto at =
      std::ranges::lower_bound(budgets_, budget_order(budget), {},
                               [](const BudgetRoom& each) { return budget_order(each); });
  const auto number = static_cast<std::uint32_t>(at - budgets_.begin());
  const bool is_there = at != budgets_.end() && budget_order(*at) == budget_order(budget);
  if (is_there && at->selector == budget.selector) {
    *at = std::move(budget);
    return;
  }
  if (is_there) remove_budget(budget.is_ours, budget.ns, budget.name);
  budgets_.insert(budgets_.begin() + number, std::move(budget));
  const BudgetRoom& made = budgets_[number];
  for (PodKind& kind : kinds_) {
    const auto behind = std::ranges::lower_bound(kind.budgets, number);
    for (auto each = behind; each != kind.budgets.end(); ++each) ++*each;
    if (covers(made, kind)) kind.budgets.insert(behind, number);
  }
}

void ClusterRoom::remove_budget(bool is_ours, std::string_view ns, std::string_view name) {
  const auto wanted = budget_order(is_ours, ns, name);
  const auto at = std::ranges::find_if(
      budgets_, [&](const BudgetRoom& each) { return budget_order(each) == wanted; });
  if (at == budgets_.end()) return;
  const auto number = static_cast<std::uint32_t>(at - budgets_.begin());
  budgets_.erase(at);
  for (PodKind& kind : kinds_) {
    std::erase(kind.budgets, number);
    for (std::uint32_t& each : kind.budgets) each -= each > number ? 1U : 0U;
  }
}

void ClusterRoom::put(const PodDisruptionBudget& budget) {
  put_budget({.ns = budget.ns,
              .name = budget.name,
              .selector = budget.selector,
              .disrupted_pods = budget.disrupted_pods,
              .allowed = budget.disruptions_allowed});
}

void ClusterRoom::put(const DisruptionBudget& budget, std::int64_t allowed, Time now) {
  BudgetRoom room{.ns = budget.ns,
                  .name = budget.name,
                  .is_ours = true,
                  .is_hard = budget.hard,
                  .selector = budget.selector,
                  .allowed = allowed};
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

Labels ClusterRoom::namespace_labels(std::string_view name) const {
  const auto at = namespaces_.find(name);
  if (at != namespaces_.end()) return at->second;
  return {{std::string(kNamespaceName), std::string(name)}};
}

}  // namespace elbowroom::policy

#include "policy/placement/node_affinity.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

#include "policy/placement/node_terms.h"

namespace elbowroom::policy {
namespace {

std::optional<std::int64_t> integer_in(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// For a label that is present.
bool compares(const NodeExpression& expression, std::string_view value) {
  const auto have = integer_in(value);
  const auto bound = expression.values.empty() ? std::nullopt : integer_in(expression.values[0]);
  if (!have || !bound) return false;
  return expression.op == NodeOperator::Gt ? *have > *bound : *have < *bound;
}

bool is_listed(const NodeExpression& expression, std::string_view value) {
  return std::ranges::find(expression.values, value) != expression.values.end();
}

bool holds(const NodeExpression& expression, const Node& node) {
  const auto label = node.labels.find(expression.key);
  const bool is_there = label != node.labels.end();
  switch (expression.op) {
    case NodeOperator::In:
      return is_there && is_listed(expression, label->second);
    case NodeOperator::NotIn:
      return !is_there || !is_listed(expression, label->second);
    case NodeOperator::Exists:
      return is_there;
    case NodeOperator::DoesNotExist:
      return !is_there;
    case NodeOperator::Gt:
    case NodeOperator::Lt:
      return is_there && compares(expression, label->second);
  }
  return false;
}

}  // namespace

bool matches_any(const std::vector<NodeTerm>& terms, const Node& node) {
  return std::ranges::any_of(terms, [&](const NodeTerm& term) {
    if (term.labels.empty() && term.names.empty()) return false;
    return std::ranges::all_of(term.labels, [&](const auto& each) { return holds(each, node); }) &&
           std::ranges::all_of(term.names, [&](const NodeExpression& each) {
             return is_listed(each, node.name) == (each.op != NodeOperator::NotIn);
           });
  });
}

NodeAffinityMatch::Tested NodeAffinityMatch::tested(ClusterRoom& room,
                                                    const NodeExpression& expression) {
  const LabelColumn& column = room.column(expression.key);
  Tested made{.column = &column, .holds = std::vector<bool>(column.values.size(), false)};
  const auto mark_listed = [&](bool to) {
    for (const std::string& value : expression.values) {
      const auto number = column.numbers.find(value);
      if (number != column.numbers.end()) made.holds[number->second] = to;
    }
  };
  switch (expression.op) {
    case NodeOperator::In:
      mark_listed(true);
      break;
    case NodeOperator::NotIn:  // also holds where the label is absent
      made.holds.assign(made.holds.size(), true);
      mark_listed(false);
      break;
    case NodeOperator::Exists:
      made.holds.assign(made.holds.size(), true);
      made.holds[0] = false;
      break;
    case NodeOperator::DoesNotExist:
      made.holds[0] = true;
      break;
    case NodeOperator::Gt:
    case NodeOperator::Lt:
      for (std::size_t i = 1; i < made.holds.size(); ++i) {
        made.holds[i] = compares(expression, column.values[i]);
      }
      break;
  }
  return made;
}

NodeAffinityMatch::Term NodeAffinityMatch::compiled(ClusterRoom& room, const NodeTerm& term) {
  Term made;
  for (const NodeExpression& each : term.labels) made.labels.push_back(tested(room, each));
  for (const NodeExpression& each : term.names) {
    made.names.push_back({.names = {each.values.begin(), each.values.end()},
                          .listed = each.op != NodeOperator::NotIn});
  }
  return made;
}

void NodeAffinityMatch::require(ClusterRoom& room, const std::vector<NodeTerm>& terms) {
  has_required_ = true;
  for (const NodeTerm& each : terms) {
    if (each.labels.empty() && each.names.empty()) continue;  // matches no node
    required_.push_back(compiled(room, each));
  }
}

NodeAffinityMatch::NodeAffinityMatch(ClusterRoom& room, const std::vector<NodeTerm>& required)
    : room_(room) {
  require(room, required);
}

NodeAffinityMatch::NodeAffinityMatch(ClusterRoom& room, const Placement& placement) : room_(room) {
  for (const auto& [key, value] : placement.node_selector) {
    selector_.labels.push_back(
        tested(room, {.key = key, .op = NodeOperator::In, .values = {value}}));
  }
  if (placement.required_nodes) require(room, *placement.required_nodes);
  for (const PreferredNodes& each : placement.preferred_nodes) {
    if (each.term.labels.empty() && each.term.names.empty()) continue;
    preferred_.push_back({.weight = each.weight, .term = compiled(room, each.term)});
  }
}

bool NodeAffinityMatch::matches(const Term& term, std::uint32_t node) const {
  for (const Tested& each : term.labels) {
    if (!each.holds[each.column->value_of_node[node]]) return false;
  }
  return std::ranges::all_of(term.names, [&](const Named& each) {
    return each.names.contains(room_.nodes()[node].name) == each.listed;
  });
}

bool NodeAffinityMatch::is_allowed(std::uint32_t node) const {
  if (!matches(selector_, node)) return false;
  return !has_required_ ||
         std::ranges::any_of(required_, [&](const Term& each) { return matches(each, node); });
}

std::int64_t NodeAffinityMatch::preference(std::uint32_t node) const {
  std::int64_t sum = 0;
  for (const Preferred& each : preferred_) {
    if (matches(each.term, node)) sum += each.weight;
  }
  return sum;
}

}  // namespace elbowroom::policy

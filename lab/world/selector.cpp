#include "lab/world/selector.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace elbowroom::lab {
namespace {

// The name of a field in selectors, and its path.
struct FieldPath {
  std::string_view plural;
  std::string_view field;
  std::array<std::string_view, 2> path;
};

constexpr std::array kFields{
    FieldPath{"", "metadata.name", {"metadata", "name"}},
    FieldPath{"", "metadata.namespace", {"metadata", "namespace"}},
    FieldPath{"pods", "spec.nodeName", {"spec", "nodeName"}},
    FieldPath{"pods", "spec.restartPolicy", {"spec", "restartPolicy"}},
    FieldPath{"pods", "spec.schedulerName", {"spec", "schedulerName"}},
    FieldPath{"pods", "spec.serviceAccountName", {"spec", "serviceAccountName"}},
    FieldPath{"pods", "status.phase", {"status", "phase"}},
    FieldPath{"pods", "status.podIP", {"status", "podIP"}},
    FieldPath{"pods", "status.nominatedNodeName", {"status", "nominatedNodeName"}},
    FieldPath{"namespaces", "status.phase", {"status", "phase"}},
    FieldPath{"nodes", "spec.unschedulable", {"spec", "unschedulable"}},
    FieldPath{"events", "involvedObject.kind", {"involvedObject", "kind"}},
    FieldPath{"events", "involvedObject.namespace", {"involvedObject", "namespace"}},
    FieldPath{"events", "involvedObject.name", {"involvedObject", "name"}},
    FieldPath{"events", "involvedObject.uid", {"involvedObject", "uid"}},
    FieldPath{"events", "involvedObject.apiVersion", {"involvedObject", "apiVersion"}},
    FieldPath{"events", "involvedObject.fieldPath", {"involvedObject", "fieldPath"}},
    FieldPath{"events", "involvedObject.resourceVersion", {"involvedObject", "resourceVersion"}},
    FieldPath{"events", "source", {"source", "component"}},
};
// The fields whose paths do not have two keys.
constexpr std::array kEventFields{std::string_view("reason"), std::string_view("type"),
                                  std::string_view("reportingComponent")};

bool is_field_of(const Kind& kind, std::string_view field) {
  if (kind.plural == "events" && std::ranges::count(kEventFields, field) > 0) return true;
  return std::ranges::any_of(kFields, [&](const FieldPath& known) {
    return known.field == field && (known.plural.empty() || known.plural == kind.plural);
  });
}

// The object's value for that field; "" if absent. Requires a field of the kind.
std::string value_of(const Kind& kind, std::string_view field, const Json& object) {
  if (field == "spec.unschedulable") {
    return truth_at(object, {"spec", "unschedulable"}) ? "true" : "false";
  }
  for (const FieldPath& known : kFields) {
    if (known.field != field || (!known.plural.empty() && known.plural != kind.plural)) continue;
    return text_at(object, {known.path[0], known.path[1]});
  }
  return text_at(object, {field});
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Splits at commas outside parentheses.
std::vector<std::string_view> split_terms(std::string_view text) {
  std::vector<std::string_view> terms;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && depth == 0)) {
      if (const auto term = trim(text.substr(begin, i - begin)); !term.empty()) {
        terms.push_back(term);
      }
      begin = i + 1;
    } else if (text[i] == '(') {
      ++depth;
    } else if (text[i] == ')') {
      --depth;
    }
  }
  return terms;
}

struct Comparison {
  std::string_view key{};
  std::string_view value{};
  bool equal = true;
};

// "a=b", "a==b", "a!=b"; nothing if there is no such operator.
std::optional<Comparison> parse_comparison(std::string_view term) {
  const std::size_t sign = term.find('=');
  if (sign == std::string_view::npos || sign == 0) return std::nullopt;
  const bool negated = term[sign - 1] == '!';
  const std::size_t after = term.substr(sign).starts_with("==") ? sign + 2 : sign + 1;
  return Comparison{.key = trim(term.substr(0, negated ? sign - 1 : sign)),
                    .value = trim(term.substr(after)),
                    .equal = !negated};
}

// "a in (x, y)", "a notin (x)"; nothing if it is no such term.
std::optional<policy::LabelExpression> parse_set(std::string_view term) {
  const std::size_t open = term.find('(');
  if (open == std::string_view::npos || !term.ends_with(')')) return std::nullopt;
  std::string_view head = trim(term.substr(0, open));
  policy::LabelExpression expression;
  if (head.ends_with(" notin")) {
    expression.op = policy::LabelOperator::NotIn;
    head.remove_suffix(6);
  } else if (head.ends_with(" in")) {
    expression.op = policy::LabelOperator::In;
    head.remove_suffix(3);
  } else {
    return std::nullopt;
  }
  expression.key = trim(head);
  for (const std::string_view value : split_terms(term.substr(open + 1, term.size() - open - 2))) {
    expression.values.emplace_back(value);
  }
  return expression;
}

std::optional<policy::LabelExpression> parse_label_term(std::string_view term) {
  if (term.find('(') != std::string_view::npos) return parse_set(term);
  if (const auto comparison = parse_comparison(term)) {
    return policy::LabelExpression{
        .key = std::string(comparison->key),
        .op = comparison->equal ? policy::LabelOperator::In : policy::LabelOperator::NotIn,
        .values = {std::string(comparison->value)}};
  }
  const bool absent = term.starts_with('!');
  if (absent) term = trim(term.substr(1));
  if (term.empty() || term.find(' ') != std::string_view::npos) return std::nullopt;
  return policy::LabelExpression{
      .key = std::string(term),
      .op = absent ? policy::LabelOperator::DoesNotExist : policy::LabelOperator::Exists};
}

}  // namespace

policy::Labels labels_of(const Json& object) {
  policy::Labels labels;
  for (const auto& [key, value] : map_at(object, {"metadata", "labels"}).items()) {
    if (value.is_string()) labels.emplace(key, value.get<std::string>());
  }
  return labels;
}

Answer<Selector> parse_selector(const Kind& kind, std::string_view labels,
                                std::string_view fields) {
  Selector selector;
  for (const std::string_view term : split_terms(labels)) {
    auto expression = parse_label_term(term);
    if (!expression) {
      return std::unexpected(bad_request("unable to parse requirement: " + std::string(term)));
    }
    selector.labels.expressions.push_back(std::move(*expression));
  }
  for (const std::string_view term : split_terms(fields)) {
    const auto comparison = parse_comparison(term);
    if (!comparison) {
      return std::unexpected(bad_request("invalid field selector: " + std::string(term)));
    }
    if (!is_field_of(kind, comparison->key)) {
      return std::unexpected(
          bad_request("field label not supported: " + std::string(comparison->key)));
    }
    selector.fields.push_back({.field = std::string(comparison->key),
                               .value = std::string(comparison->value),
                               .equal = comparison->equal});
  }
  return selector;
}

std::optional<policy::LabelSelector> selector_in(const Json& object, Path path) {
  const Json* from = find_at(object, path);
  if (from == nullptr || !from->is_object()) return std::nullopt;
  policy::LabelSelector selector;
  for (const auto& [key, value] : map_at(*from, {"matchLabels"}).items()) {
    if (value.is_string()) selector.match_labels.emplace(key, value.get<std::string>());
  }
  for (const Json& item : list_at(*from, {"matchExpressions"})) {
    policy::LabelExpression expression{.key = text_at(item, {"key"})};
    const std::string op = text_at(item, {"operator"});
    if (op == "In") expression.op = policy::LabelOperator::In;
    if (op == "NotIn") expression.op = policy::LabelOperator::NotIn;
    if (op == "DoesNotExist") expression.op = policy::LabelOperator::DoesNotExist;
    for (const Json& value : list_at(item, {"values"})) {
      if (value.is_string()) expression.values.push_back(value.get<std::string>());
    }
    selector.expressions.push_back(std::move(expression));
  }
  return selector;
}

bool selects(const Selector& selector, const Kind& kind, const Json& object) {
  const bool asks_labels =
      !selector.labels.match_labels.empty() || !selector.labels.expressions.empty();
  if (asks_labels && !policy::matches(selector.labels, labels_of(object))) return false;
  return std::ranges::all_of(selector.fields, [&](const FieldTerm& term) {
    return (value_of(kind, term.field, object) == term.value) == term.equal;
  });
}

}  // namespace elbowroom::lab

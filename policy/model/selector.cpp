#include "policy/model/selector.h"

#include <algorithm>

#include "policy/model/label_views.h"

namespace elbowroom::policy {
namespace {

// nullptr: there is no such label.
const std::string* value_of(const Labels& labels, const std::string& key) {
  const auto at = labels.find(key);
  return at == labels.end() ? nullptr : &at->second;
}
const std::string_view* value_of(const LabelViews& labels, const std::string& key) {
  const auto at = std::ranges::find(labels, key, &LabelViews::value_type::first);
  return at == labels.end() ? nullptr : &at->second;
}

template <class Any>
bool holds(const LabelExpression& expression, const Any& labels) {
  const auto* value = value_of(labels, expression.key);
  const bool present = value != nullptr;
  const bool listed =
      present && std::ranges::find(expression.values, *value) != expression.values.end();
  switch (expression.op) {
    case LabelOperator::In:
      return listed;
    case LabelOperator::NotIn:
      return !listed;
    case LabelOperator::Exists:
      return present;
    case LabelOperator::DoesNotExist:
      return !present;
  }
  return false;
}

template <class Any>
bool matches_any(const LabelSelector& selector, const Any& labels) {
  const bool all_labels = std::ranges::all_of(selector.match_labels, [&](const auto& wanted) {
    const auto* value = value_of(labels, wanted.first);
    return value != nullptr && *value == wanted.second;
  });
  return all_labels && std::ranges::all_of(selector.expressions,
                                           [&](const auto& each) { return holds(each, labels); });
}

}  // namespace

bool matches(const LabelSelector& selector, const Labels& labels) {
  return matches_any(selector, labels);
}
bool matches(const LabelSelector& selector, const LabelViews& labels) {
  return matches_any(selector, labels);
}

}  // namespace elbowroom::policy

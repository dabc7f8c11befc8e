#include "policy/model/selector.h"

#include <algorithm>

namespace elbowroom::policy {
namespace {

bool holds(const LabelExpression& expression, const Labels& labels) {
  const auto at = labels.find(expression.key);
  const bool present = at != labels.end();
  const bool listed =
      present && std::ranges::find(expression.values, at->second) != expression.values.end();
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

}  // namespace

bool matches(const LabelSelector& selector, const Labels& labels) {
  const bool all_labels = std::ranges::all_of(selector.match_labels, [&](const auto& wanted) {
    const auto at = labels.find(wanted.first);
    return at != labels.end() && at->second == wanted.second;
  });
  return all_labels && std::ranges::all_of(selector.expressions,
                                           [&](const auto& each) { return holds(each, labels); });
}

}  // namespace elbowroom::policy

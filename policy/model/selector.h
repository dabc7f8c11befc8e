// A label selector: matchLabels and matchExpressions, all of which must hold. An empty selector
// matches everything. The absence of a selector matches nothing.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace elbowroom::policy {

using Labels = std::map<std::string, std::string, std::less<>>;

enum class LabelOperator { In, NotIn, Exists, DoesNotExist };

struct LabelExpression {
  std::string key{};
  LabelOperator op = LabelOperator::Exists;
  std::vector<std::string> values{};

  friend bool operator==(const LabelExpression&, const LabelExpression&) = default;
};

struct LabelSelector {
  Labels match_labels{};
  std::vector<LabelExpression> expressions{};

  friend bool operator==(const LabelSelector&, const LabelSelector&) = default;
};

// NotIn also holds where the label is absent. Source: apimachinery pkg/labels.
[[nodiscard]] bool matches(const LabelSelector& selector, const Labels& labels);

}  // namespace elbowroom::policy

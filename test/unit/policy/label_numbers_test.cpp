// A selector of numbers matches the numbers of labels as it matches the labels.
#include "policy/placement/label_numbers.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace elbowroom::policy {
namespace {

TEST(NumberedSelector, MatchesAsItsTextsDo) {
  const std::vector<Labels> sets = {{}, {{"a", "1"}}, {{"a", "2"}, {"b", ""}}, {{"b", "1"}}};
  std::vector<LabelSelector> selectors = {
      {}, {.match_labels = {{"a", "1"}}}, {.match_labels = {{"a", "not held"}}}};
  for (const LabelOperator op : {LabelOperator::In, LabelOperator::NotIn, LabelOperator::Exists,
                                 LabelOperator::DoesNotExist}) {
    for (const std::string key : {"a", "b", "not held"}) {
      for (const std::vector<std::string>& values :
           std::vector<std::vector<std::string>>{{"1"}, {"1", "2"}, {"2", ""}, {"1", "not held"}}) {
        selectors.push_back({.expressions = {{.key = key, .op = op, .values = values}}});
      }
    }
  }
  LabelNumbers numbers;
  (void)numbers.hold("1");  // the first number there is
  for (const Labels& labels : sets) {
    const LabelPairs held = numbers.hold(labels);
    for (std::size_t i = 0; i < selectors.size(); ++i) {
      EXPECT_EQ(NumberedSelector(numbers, selectors[i]).matches(held),
                matches(selectors[i], labels))
          << "selector " << i;
    }
  }
}

}  // namespace
}  // namespace elbowroom::policy

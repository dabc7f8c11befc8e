// A selector matches views of labels as it matches a map of them.
#include "policy/model/label_views.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace elbowroom::policy {
namespace {

TEST(LabelViews, AreMatchedAsLabelsInAMapAre) {
  const std::vector<Labels> sets = {{}, {{"a", "1"}}, {{"a", "2"}, {"b", ""}}, {{"b", "1"}}};
  std::vector<LabelSelector> selectors = {{}, {.match_labels = {{"a", "1"}}}};
  for (const LabelOperator op : {LabelOperator::In, LabelOperator::NotIn, LabelOperator::Exists,
                                 LabelOperator::DoesNotExist}) {
    selectors.push_back({.expressions = {{.key = "b", .op = op, .values = {"1", ""}}}});
    selectors.push_back(
        {.match_labels = {{"a", "2"}}, .expressions = {{.key = "b", .op = op, .values = {"1"}}}});
  }
  int matched = 0;
  for (const Labels& labels : sets) {
    const LabelViews views(labels.begin(), labels.end());
    for (const LabelSelector& each : selectors) {
      EXPECT_EQ(matches(each, views), matches(each, labels));
      matched += matches(each, labels) ? 1 : 0;
    }
  }
  EXPECT_EQ(matched, 15);
}

}  // namespace
}  // namespace elbowroom::policy

#include <gtest/gtest.h>

#include "base/document.h"
#include "cli/output/move_explanation_text.h"

namespace elbowroom::cli {
namespace {

TEST(MoveExplanation, SaysWhyAndUntilWhenTheOwnerRestsAndWhatTheBudgetsAllow) {
  const auto document = parse_json(
      R"({"kind":"BudgetsOfPod","pod":"default/web","budgets":[)"
      R"({"budget":"default/db","disruptionsAllowed":0,"nextAllowedTime":"2026-01-01T00:10:00Z"},)"
      R"({"budget":"default/web","disruptionsAllowed":2,"nextAllowedTime":""}],)"
      R"("move":{"why":"no policy is on","owner":"Deployment default/web",)"
      R"("ownerRestsUntil":"2026-01-01T00:05:00Z"}})");
  ASSERT_TRUE(document);
  ASSERT_TRUE(is_move_explanation(*document));
  EXPECT_EQ(
      move_explanation_text(*document),
      "pod:        default/web\n"
      "move:       no policy is on\n"
      "owner:      Deployment default/web, which rests until 2026-01-01T00:05:00Z\n"
      "budgets:    default/db allows 0 disruptions now, and the next at 2026-01-01T00:10:00Z\n"
      "            default/web allows 2 disruptions now\n");
}

TEST(MoveExplanation, APodWithoutBudgetsAndOwnerIsShort) {
  const auto document = parse_json(
      R"({"kind":"BudgetsOfPod","pod":"default/web","budgets":[],"move":{"why":"it is critical"}})");
  EXPECT_EQ(move_explanation_text(*document),
            "pod:        default/web\nmove:       it is critical\nbudgets:    none\n");
  EXPECT_FALSE(is_move_explanation(*parse_json(R"({"kind":"PodExplanation"})")));
}

}  // namespace
}  // namespace elbowroom::cli

// What is said of verbs, flags and words that do not exist.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "test/unit/cli/command_line.h"

namespace elbowroom::cli {
namespace {

struct UsageRow {
  std::vector<std::string> words{};
  std::string says{};
};

TEST(Usage, NearNamesAreSuggestedAndNothingIsSaidToBeMissingThatWasGiven) {
  const std::vector<UsageRow> rows = {
      {{"simulte", "resize"}, "elbowroom has no verb simulte; did you mean simulate?"},
      {{"simulate", "reszie", "a/b"},
       "elbowroom simulate has no verb reszie; did you mean resize?"},
      {{"simulate", "xyzzy"},
       "elbowroom simulate has no verb xyzzy: it has reschedule, resize, run, schedule"},
      {{"simulate", "resize", "a/b", "--from-clustr"},
       "elbowroom simulate resize has no flag --from-clustr; did you mean --from-cluster?"},
      {{"simulate", "resize", "a/b", "--from-clustr=x"}, "did you mean --from-cluster?"},
      {{"simulate", "resize", "a/b", "c/d", "e/f"},
       "elbowroom simulate resize does not expect \"c/d\""},
      {{"simulate"}, "elbowroom simulate takes a verb: reschedule, resize, run, schedule"},
  };
  for (const UsageRow& each : rows) {
    const Outcome outcome = run(each.words);
    EXPECT_EQ(outcome.status, kExitUsage);
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find(each.says), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.err.find("required"), std::string::npos) << outcome.err;
  }
}

}  // namespace
}  // namespace elbowroom::cli

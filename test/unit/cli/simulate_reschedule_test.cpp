#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "command_line.h"
#include "test/checkout.h"

namespace elbowroom::cli {
namespace {

using testing::HasSubstr;

std::string example() {
  return (std::filesystem::path(test::kData).parent_path() /
          "docs/examples/reschedule/crowded.yaml")
      .string();
}

TEST(SimulateReschedule, SaysWhatWouldMoveAndWhatABudgetKeeps) {
  const Outcome done = run({"simulate", "reschedule", "-f", example(), "-o", "json"});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("\"kind\": \"RescheduleDecision\""));
  EXPECT_THAT(done.out, HasSubstr("\"pod\": \"default/web-1\""));
  EXPECT_THAT(done.out, HasSubstr("\"gain\": 50"));
  EXPECT_THAT(done.out, HasSubstr("\"by\": \"budget default/db: it allows no disruption now\""));
  EXPECT_EQ(done.err, "");
}

TEST(SimulateReschedule, IsATableForPeople) {
  const Outcome done = run({"simulate", "reschedule", "-f", example()});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("default/web-1  node1  node2  50%"));
  EXPECT_THAT(done.out, HasSubstr("default/db-0"));
}

TEST(SimulateReschedule, ABadConfigurationIsNamedWithItsKey) {
  const Folder folder;
  const std::string file = folder.file(
      "config.yaml",
      "apiVersion: v1\nkind: ConfigMap\n"
      "metadata: {name: elbowroom-rescheduler, namespace: kube-system}\n"
      "data:\n  config.yaml: |\n    apiVersion: elbowroom.dev/v1alpha1\n"
      "    kind: ReschedulerConfiguration\n    policies: {underutilizedNode: {treshold: 2}}\n");
  const Outcome done = run({"simulate", "reschedule", "-f", file});
  EXPECT_EQ(done.status, 1);
  EXPECT_THAT(done.err, HasSubstr("ConfigMap kube-system/elbowroom-rescheduler"));
  EXPECT_THAT(done.err, HasSubstr("policies.underutilizedNode.treshold"));
}

TEST(SimulateReschedule, WithoutTheConfigMapNothingMovesAndThatIsSaid) {
  const Folder folder;
  const std::string file = folder.file("none.yaml", "kind: List\napiVersion: v1\nitems: []\n");
  const Outcome done = run({"simulate", "reschedule", "-f", file});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(done.out, "no pod would be moved\n");
  EXPECT_THAT(done.err, HasSubstr("no policy is on"));
}

}  // namespace
}  // namespace elbowroom::cli

#include "policy/resize/node_verdict.h"

#include <gtest/gtest.h>

#include <string>

#include "test/node_world.h"

namespace elbowroom::policy {
namespace {

using test::condition;
using test::figures;
using test::pod_of_size;

TEST(NodeVerdict, SumsAreReadFromTheKubeletsTextAndFromNoOther) {
  const auto room =
      sums_in("Node didn't have enough resource: cpu, requested: 3000, used: 2000, capacity: 4000");
  ASSERT_TRUE(room);
  EXPECT_EQ(*room, (NodeSum{"cpu", 3000, 2000, 4000}));
  const auto capacity =
      sums_in("Node didn't have enough capacity: memory, requested: 9, capacity: 4");
  ASSERT_TRUE(capacity);
  EXPECT_EQ(*capacity, (NodeSum{"memory", 9, 0, 4}));
  for (const char* text :
       {"", "no", "Node didn't have enough resource: ", "Node didn't have enough resource: cpu",
        "Node didn't have enough resource: , requested: 1, used: 1, capacity: 1",
        "Node didn't have enough resource: cpu, requested: 1, used: x, capacity: 1",
        "Node didn't have enough resource: cpu, requested: -1, used: 1, capacity: 1",
        "Node didn't have enough resource: cpu, requested: 1, used: 1, capacity: 1 and more",
        "Node didn't have enough resource: cpu, requested: 1, used: 1, capacity: "
        "99999999999999999999",
        "Node didn't have enough capacity: cpu, requested: 1, used: 1, capacity: 1"}) {
    EXPECT_FALSE(sums_in(text)) << text;
  }
}

struct Row {
  const char* message;
  Agreement agreement;
  const char* why;
};

TEST(NodeVerdict, WhereTheNodeCountsOtherwiseItIsSaidWhat) {
  const ResizeDecision ours{.verdict = Verdict::Deferred,
                            .reason = "OutOfcpu",
                            .shortages = {{"cpu", 3000, 2000, 4000, 1000}}};
  const Row rows[] = {
      {"Node didn't have enough resource: cpu, requested: 3000, used: 2000, capacity: 4000",
       Agreement::Agrees, ""},
      {"Node didn't have enough resource: cpu, requested: 3500, used: 2000, capacity: 4000",
       Agreement::Differs, "the node counts another request of cpu"},
      {"Node didn't have enough resource: cpu, requested: 3000, used: 2500, capacity: 4000",
       Agreement::Differs, "the node counts another use of cpu by the other pods"},
      {"Node didn't have enough resource: cpu, requested: 3000, used: 2000, capacity: 3900",
       Agreement::Differs, "the node counts another capacity of cpu"},
      {"Node didn't have enough resource: memory, requested: 1, used: 2, capacity: 2",
       Agreement::Differs, "the node lacks memory, which we find enough of"},
      {"under memory pressure", Agreement::Agrees, ""},
  };
  for (const Row& row : rows) {
    Pod pod = pod_of_size("web", 10, figures(1000));
    pod.containers[0].desired.requests = figures(3000);
    pod.conditions = {condition(kPodResizePending, kReasonDeferred)};
    pod.conditions[0].message = row.message;
    const NodeVerdict word = node_verdict(pod, ours, figures(2000));
    EXPECT_EQ(word.agreement, row.agreement) << row.message;
    EXPECT_EQ(word.why, row.why);
    pod.conditions[0].observed_generation = pod.generation + 1;
    EXPECT_EQ(node_verdict(pod, ours, figures(2000)).agreement, Agreement::Earlier);
    pod.conditions[0].status = "False";
    EXPECT_EQ(node_verdict(pod, ours, figures(2000)).agreement, Agreement::Unsaid);
  }
}

}  // namespace
}  // namespace elbowroom::policy

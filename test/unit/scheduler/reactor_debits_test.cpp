// What the scheduler writes into the ledgers of DisruptionBudgets, before it removes pods.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policy/preemption/budget_account.h"
#include "scheduler/cluster_state.h"
#include "scheduler/reactor.h"
#include "test/scheduler_world.h"

namespace elbowroom::scheduler {
namespace {

using policy::LedgerEntry;
using policy::Pod;
using std::chrono::minutes;
using std::chrono::seconds;
using test::deferred;
using test::running_pod;
using test::SchedulerWorld;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

Pod ready(Pod pod, const std::string& app) {
  pod.labels["app"] = app;
  pod.conditions.push_back({.type = std::string(policy::kReady), .status = "True"});
  return pod;
}

policy::DisruptionBudget budget_for(const std::string& app, bool hard) {
  policy::DisruptionBudget budget;
  budget.ns = "default";
  budget.name = app;
  budget.uid = "uid-of-" + app;
  budget.version = "1";
  budget.selector = policy::LabelSelector{.match_labels = {{"app", app}}, .expressions = {}};
  budget.hard = hard;
  return budget;
}

// web waits for two cpu, which two pods have: one is of `a`, the other of `b`.
class SchedulerDebits : public testing::Test {
 protected:
  SchedulerDebits() {
    world.put(test::node(4000));
    world.put(deferred(running_pod("web", 2000, 0, 100), 4000));
    world.put(ready(running_pod("a-1", 1000, 0, 5), "a"));
    world.put(ready(running_pod("b-1", 1000, 0, 5), "b"));
  }
  SchedulerWorld::Refusal answers(const std::string& to, Code code) {
    return [to, code](const std::string& effect) -> std::optional<Error> {
      if (!effect.starts_with(to)) return std::nullopt;
      return Error{code, "so says the server", {}};
    };
  }
  [[nodiscard]] const policy::Ledger& ledger(const std::string& name) const {
    return world.own_budget(name).recent;
  }

  SchedulerWorld world;
};

TEST_F(SchedulerDebits, NoBudgetCostsNoRequest) {
  world.start();
  EXPECT_THAT(world.writes(), Not(Contains(HasSubstr("debit"))));
}

TEST_F(SchedulerDebits, EachBudgetIsWrittenOnceBeforeTheFirstDelete) {
  world.put(budget_for("a", true));
  world.put(budget_for("b", false));
  world.start();
  EXPECT_THAT(world.writes(),
              ElementsAre("mark default/a-1", "mark default/b-1", "check default/a-1",
                          "check default/b-1", "debit default/a: a-1", "debit default/b: b-1",
                          "delete default/a-1", "delete default/b-1"));
  EXPECT_THAT(ledger("a"),
              ElementsAre(LedgerEntry{"a-1", "uid-a-1", world.wall(), "elbowroom-scheduler"}));
  EXPECT_EQ(world.reactor().counts().hard_ledgers.debits, 1U);
  EXPECT_EQ(world.reactor().counts().soft_ledgers.debits, 1U);
}

// The watch does not show yet what another program has taken.
TEST_F(SchedulerDebits, AHardBudgetThatAnotherProgramUsedUpStopsTheSet) {
  policy::DisruptionBudget budget = budget_for("b", true);
  budget.rate_disruptions = 1;
  budget.rate_per = minutes(10);
  world.put(budget_for("a", false));
  world.put(budget);
  world.keeps_back = "check";
  world.start();
  budget.recent = {{"b-9", "uid-b-9", world.wall(), "elbowroom"}};
  world.written_by_another(budget, false);
  (void)world.done();
  world.release();
  EXPECT_THAT(world.writes(),
              ElementsAre("check default/a-1", "check default/b-1", "debit default/a: a-1",
                          "debit default/b: b-1", "read default/b", "clear default/b-1",
                          "clear default/a-1", "debit default/a:"));
  EXPECT_THAT(world.waiting("default/web").message,
              HasSubstr("disruption budget default/b allows 0 by now"));
  EXPECT_THAT(ledger("a"), IsEmpty());
  EXPECT_EQ(world.reactor().counts().blocked, 1U);
  EXPECT_FALSE(world.pod("default/a-1").deletion);
}

TEST_F(SchedulerDebits, SoManyBudgetsAreWrittenForOnePodAndNoMore) {
  for (std::size_t i = 0; i < policy::kMostBudgetsOverPod + 6; ++i) {
    policy::DisruptionBudget budget = budget_for("a", i >= policy::kMostBudgetsOverPod);
    budget.name = "a" + std::to_string(100 + i);
    budget.uid = "uid-of-" + budget.name;
    world.put(budget);
  }
  world.start();
  EXPECT_EQ(world.reactor().counts().hard_ledgers.debits, 6U) << "the hard ones first";
  EXPECT_EQ(world.reactor().counts().soft_ledgers.debits, policy::kMostBudgetsOverPod - 6);
  EXPECT_THAT(world.writes(), Contains("delete default/a-1"));
}

TEST_F(SchedulerDebits, APodUnderMoreHardBudgetsThanAreWrittenStays) {
  for (std::size_t i = 0; i <= policy::kMostBudgetsOverPod; ++i) {
    policy::DisruptionBudget budget = budget_for("a", true);
    budget.name = "a" + std::to_string(100 + i);
    budget.uid = "uid-of-" + budget.name;
    world.put(budget);
  }
  world.start();
  EXPECT_THAT(world.writes(), Not(Contains(HasSubstr("delete"))));
}

TEST_F(SchedulerDebits, AConflictIsReadAndDecidedAgain) {
  policy::DisruptionBudget budget = budget_for("a", true);
  world.put(budget);
  world.keeps_back = "check";
  world.start();
  budget.recent = {{"a-9", "uid-a-9", world.wall(), "elbowroom"}};
  world.written_by_another(budget, false);
  world.release();
  EXPECT_THAT(ledger("a"), SizeIs(2));
  EXPECT_TRUE(world.pod("default/a-1").deletion);
}

TEST_F(SchedulerDebits, WithoutTheRightAHardBudgetStopsAndASoftOneIsPassed) {
  world.refuse = answers("debit", Code::Denied);
  world.put(budget_for("a", true));
  world.start();
  EXPECT_FALSE(world.pod("default/a-1").deletion);
  EXPECT_THAT(world.waiting("default/web").message,
              HasSubstr("disruption budget default/a is hard, and cannot be debited"));
  (void)world.done();
  world.put(budget_for("a", false));
  world.pass(minutes(1));
  EXPECT_TRUE(world.pod("default/a-1").deletion);
  EXPECT_THAT(world.done(), Contains(HasSubstr("disruption budget default/a was not debited")));
}

TEST_F(SchedulerDebits, ARefusedDeleteIsTakenBack) {
  world.put(budget_for("a", true));
  world.put(budget_for("b", true));
  world.refuse = answers("delete default/a-1", Code::Denied);
  world.start();
  EXPECT_THAT(ledger("a"), IsEmpty());
  EXPECT_THAT(ledger("b"), SizeIs(1));
}

TEST_F(SchedulerDebits, TheServerThatKeepsAnsweringConflictRemovesNobody) {
  world.refuse = answers("debit", Code::Conflict);
  world.put(budget_for("a", true));
  world.start();
  world.pass(seconds(5));
  EXPECT_FALSE(world.pod("default/a-1").deletion);
  int debits = 0;
  for (const std::string& each : world.writes()) debits += each.starts_with("debit") ? 1 : 0;
  EXPECT_LE(debits, 5 * 4) << "five for each attempt, with a pause between attempts";
}

TEST_F(SchedulerDebits, ABudgetThatIsDeletedMeanwhileIsDecidedOnAgain) {
  world.put(budget_for("a", true));
  world.keeps_back = "debit";
  world.start();
  world.remove_own_budget("a");
  world.release();
  EXPECT_FALSE(world.pod("default/a-1").deletion);
  world.pass(seconds(5));
  EXPECT_TRUE(world.pod("default/a-1").deletion) << "no budget covers it any more";
}

// Another program's debit counts as gone before its pod terminates, for two minutes.
TEST_F(SchedulerDebits, AnotherProgramsDebitCountsUntilItIsRefunded) {
  policy::DisruptionBudget budget = budget_for("a", true);
  budget.max_unavailable = policy::IntOrPercent{1, false};
  Pod other = ready(running_pod("a-2", 10, 0, 5), "a");
  other.node = "node-2";
  world.put(test::node(4000, 64 * test::kGi, "node-2"));
  world.put(other);
  budget.recent = {{"a-2", "uid-a-2", world.wall(), "elbowroom"}};
  world.put(budget);
  world.start();
  world.pass(seconds(119));
  EXPECT_FALSE(world.pod("default/a-1").deletion);
  world.pass(seconds(3));
  EXPECT_TRUE(world.pod("default/a-1").deletion);
  EXPECT_THAT(ledger("a"), ElementsAre(Field(&LedgerEntry::pod, "a-1")));
}

// What the room of the cluster says that a budget allows is what the snapshot says.
TEST(ClusterStateBudgets, ADebitEndsInTheRoomWithItsPod) {
  ClusterState state({"elbowroom"}, policy::RuleSet::Elbowroom);
  const Clocks clocks{};
  const auto allowed = [&] { return state.room().budgets().at(0).allowed; };
  state.put(test::node(4000));
  const policy::Pod pod = test::running_pod("a", 1000);
  (void)state.apply(state.put(cluster::PackedPod::packed(pod)), clocks);
  policy::PodDisruptionBudget budget{.ns = pod.ns, .name = "web", .disruptions_allowed = 2};
  budget.selector = policy::LabelSelector{};
  state.put_budget(budget);
  state.refresh_budget(budget.ns, budget.name);
  ASSERT_EQ(allowed(), 2);

  state.debit_budgets(pod, clocks.server);
  state.refresh_budgets(pod.ns, clocks);
  EXPECT_EQ(allowed(), 1);
  (void)state.apply(state.remove_pod(policy::key_of(pod), pod.uid), clocks);
  EXPECT_EQ(allowed(), 2);
}

TEST(ClusterStateNamespaces, TheRoomForgetsTheLabelsOfOneThatIsGone) {
  ClusterState state({"elbowroom"}, policy::RuleSet::Elbowroom);
  const policy::LabelSelector of_a{.match_labels = {{"team", "a"}}};
  state.put(policy::Namespace{.name = "shop", .labels = {{"team", "a"}}});
  EXPECT_TRUE(state.room().matches_namespace(of_a, "shop"));
  state.remove_namespace("shop");
  EXPECT_FALSE(state.room().matches_namespace(of_a, "shop"));
}

}  // namespace
}  // namespace elbowroom::scheduler

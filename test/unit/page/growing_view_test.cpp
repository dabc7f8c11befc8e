#include "page/growing_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "test/pods.h"

namespace elbowroom::page {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const policy::Time kNow = policy::Time(std::chrono::seconds(1'800'000'000));

policy::Pod deferred(const std::string& name) {
  policy::Pod pod = test::resized(test::running_pod(name, 1000), 3000);
  pod.conditions.push_back(
      {.type = std::string(policy::kPodResizePending), .status = "True", .reason = "Deferred"});
  return pod;
}

NodeCopy node_with(std::vector<policy::Pod> pods) {
  return {.node = test::node(4000), .pods = std::move(pods)};
}

policy::Budgets budget_of(const std::string& ns) {
  policy::PodDisruptionBudget budget;
  budget.ns = ns;
  budget.name = "web";
  budget.selector = policy::LabelSelector{};
  policy::Budgets budgets;
  budgets.upstream.push_back(budget);
  return budgets;
}

GrowingView growing() { return {"elbowroom-toy", kNow, 2}; }

TEST(GrowingView, KeepsTheLargestHolders) {
  GrowingView view = growing();
  view.add(node_with({test::running_pod("small", 100), test::running_pod("large", 2000),
                      test::running_pod("middle", 500)}));
  const View done = std::move(view).finished();
  ASSERT_THAT(done.holders.at("node-1"), SizeIs(2));
  EXPECT_EQ(done.holders.at("node-1")[0].pod, "default/large");
  EXPECT_EQ(done.holders.at("node-1")[1].pod, "default/middle");
  EXPECT_EQ(done.of.nodes[0].pods, 3);
}

TEST(GrowingView, TellsWhatAResizeThatWaitsLacks) {
  GrowingView view = growing();
  view.add(node_with({deferred("a")}));
  const View done = std::move(view).finished();
  ASSERT_THAT(done.of.waiting, SizeIs(1));
  EXPECT_EQ(done.of.waiting[0].pod, "default/a");
  EXPECT_FALSE(done.of.waiting[0].why.empty());
}

TEST(GrowingView, WhatTheDaemonDecidedIsWhatHappensNext) {
  NodeCopy copy = node_with({deferred("a"), deferred("b"), deferred("c")});
  copy.decided = {{"default/a", "another one has the first turn"}, {"default/b", ""}};
  copy.explains_all = false;
  GrowingView view = growing();
  view.add(copy);
  const View done = std::move(view).finished();
  ASSERT_THAT(done.of.waiting, SizeIs(3));
  for (const policy::WaitingResize& each : done.of.waiting) {
    EXPECT_EQ(each.next == "another one has the first turn", each.pod == "default/a") << each.pod;
    EXPECT_FALSE(each.next.empty()) << each.pod;
  }
  EXPECT_THAT(done.explained, ElementsAre("default/a", "default/b"));
}

TEST(GrowingView, WhoExplainsAllPodsExplainsThoseThatWaitOrLeave) {
  policy::Pod leaves = test::running_pod("leaves", 100);
  leaves.deletion = kNow + std::chrono::seconds(9);
  GrowingView view = growing();
  view.add(node_with({deferred("a"), leaves, test::running_pod("b", 100)}));
  EXPECT_THAT(std::move(view).finished().explained, ElementsAre("default/a", "default/leaves"));
}

TEST(GrowingView, CountsThePodsThatBudgetsCover) {
  GrowingView view = growing();
  view.add(budget_of("default"));
  view.add(budget_of("other"));
  view.add(node_with({test::running_pod("a", 100), test::running_pod("b", 100)}));
  const View done = std::move(view).finished();
  ASSERT_THAT(done.of.budgets, SizeIs(2));
  EXPECT_EQ(done.of.budgets[0].pods, 2);
  EXPECT_EQ(done.of.budgets[1].pods, 0);
  EXPECT_EQ(done.uncounted_budgets, 0U);
}

TEST(GrowingView, DoesNotCountTooManyPods) {
  GrowingView view = growing();
  view.add(budget_of("default"));
  NodeCopy copy = node_with({});
  copy.pods.assign(20'001, test::running_pod("a", 1));
  view.add(copy);
  const View done = std::move(view).finished();
  EXPECT_EQ(done.uncounted_budgets, 1U);
  EXPECT_THAT(done.of.budgets, IsEmpty());
}

TEST(GrowingView, KeepsTheTextsOfTheFirstResizesAlone) {
  GrowingView view = growing();
  for (int at = 0; at < 2'001; ++at) {
    view.add(node_with({deferred("a")}));
  }
  const View done = std::move(view).finished();
  ASSERT_THAT(done.of.waiting, SizeIs(2'001));
  EXPECT_FALSE(done.of.waiting[1'999].why.empty());
  EXPECT_TRUE(done.of.waiting[2'000].why.empty());
}

}  // namespace
}  // namespace elbowroom::page

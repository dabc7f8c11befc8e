#include "cluster/snapshot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/pods.h"

namespace elbowroom::cluster {
namespace {

using policy::Pod;
using policy::PodDisruptionBudget;
using testing::ElementsAre;
using testing::IsEmpty;

PodDisruptionBudget budget(const std::string& name, std::int64_t allowed) {
  PodDisruptionBudget made{.ns = "default", .name = name, .disruptions_allowed = allowed};
  made.selector = policy::LabelSelector{.match_labels = {{"app", "web"}}};
  return made;
}

Pod web(const std::string& name, std::int64_t cpu = 1000) {
  Pod pod = test::running_pod(name, cpu);
  pod.labels = {{"app", "web"}};
  return pod;
}

PodEvent put(Snapshot& snapshot, const Pod& pod) { return snapshot.put(PackedPod::packed(pod)); }

std::vector<std::string> names(std::span<const Pod> pods) {
  std::vector<std::string> made;
  for (const Pod& pod : pods) made.push_back(pod.name);
  return made;
}

TEST(Snapshot, APodArrivesGrowsShrinksAndLeaves) {
  Snapshot snapshot;
  EXPECT_EQ(put(snapshot, web("a")).changes, Changes(Change::PodArrived));
  EXPECT_EQ(put(snapshot, web("a")).changes, Changes());
  EXPECT_EQ(put(snapshot, test::resized(web("a"), 1500)).changes,
            Change::PodGrew | Change::PodChanged);
  EXPECT_EQ(put(snapshot, web("a")).changes, Change::PodShrank | Change::PodChanged);
  const PodEvent gone = snapshot.remove_pod("default/a", "uid-a");
  EXPECT_EQ(gone.changes, Changes(Change::PodLeft));
  EXPECT_EQ(gone.node, "node-1");
  EXPECT_EQ(snapshot.pods(), 0);
}

TEST(Snapshot, ImagesOfANodeAreNotKept) {
  Snapshot snapshot;
  policy::Node node = test::node(4000);
  node.images = {{.name = 1, .bytes = 2}};
  snapshot.put(node);
  EXPECT_TRUE(snapshot.node(node.name)->images.empty());
  EXPECT_EQ(snapshot.put(node), Changes());
}

TEST(Snapshot, ATerminatingPodLeavesWhenItsContainersHaveEnded) {
  Snapshot snapshot;
  Pod pod = web("a");
  put(snapshot, pod);
  pod.deletion = policy::Time{std::chrono::seconds(30)};
  EXPECT_EQ(put(snapshot, pod).changes, Changes(Change::PodLeaving));
  pod.containers[0].state = policy::RunState::Terminated;
  EXPECT_EQ(put(snapshot, pod).changes, Changes(Change::PodLeft));
  EXPECT_EQ(snapshot.pods(), 1);
}

TEST(Snapshot, AFinishedPodIsNotKept) {
  Snapshot snapshot;
  Pod pod = web("a");
  put(snapshot, pod);
  pod.phase = policy::Phase::Succeeded;
  EXPECT_EQ(put(snapshot, pod).changes, Changes(Change::PodLeft));
  EXPECT_EQ(snapshot.pods(), 0);
}

TEST(Snapshot, AnotherUidIsNotRemoved) {
  Snapshot snapshot;
  put(snapshot, web("a"));
  EXPECT_EQ(snapshot.remove_pod("default/a", "another").changes, Changes());
  EXPECT_EQ(snapshot.pods(), 1);
  EXPECT_EQ(snapshot.remove_pod("default/b", "").changes, Changes());
}

TEST(Snapshot, APendingPodIsKeptWhereItIsNominated) {
  Snapshot snapshot;
  snapshot.put(test::node(4000));
  Pod pod = web("p");
  pod.node = "";
  EXPECT_EQ(put(snapshot, pod).changes, Changes());
  EXPECT_EQ(snapshot.pods(), 0);
  pod.nominated_node = "node-1";
  EXPECT_EQ(put(snapshot, pod).changes, Changes(Change::Nominated));
  EXPECT_THAT(names(snapshot.view("node-1")->nominated), ElementsAre("p"));
  EXPECT_FALSE(snapshot.replaces_another(PackedPod::packed(pod)));
  pod.node = "node-1";
  EXPECT_EQ(put(snapshot, pod).changes, Change::Nominated | Change::PodArrived);
  EXPECT_THAT(names(snapshot.view("node-1")->pods), ElementsAre("p"));
  EXPECT_THAT(snapshot.view("node-1")->nominated, IsEmpty());
}

TEST(Snapshot, APendingPodOfOursIsKeptWithoutANomination) {
  Snapshot snapshot({"elbowroom"});
  snapshot.put(test::node(4000));
  Pod pod = web("p");
  pod.node = "";
  EXPECT_EQ(put(snapshot, pod).changes, Changes());
  EXPECT_EQ(snapshot.pods(), 0);  // another scheduler's
  pod.scheduler_name = "elbowroom";
  EXPECT_EQ(put(snapshot, pod).changes, Changes());
  EXPECT_EQ(snapshot.pod("default/p"), pod);
  EXPECT_EQ(snapshot.nodes(), 1);
  EXPECT_THAT(snapshot.node_names(), ElementsAre("node-1"));
  EXPECT_THAT(snapshot.view("node-1")->nominated, IsEmpty());

  Pod nominated = pod;
  nominated.nominated_node = "node-1";
  ASSERT_TRUE(snapshot.replaces_another(PackedPod::packed(nominated)));
  EXPECT_EQ(snapshot.remove_pod("default/p", "").changes, Changes());
  EXPECT_EQ(put(snapshot, nominated).changes, Changes(Change::Nominated));
  EXPECT_EQ(snapshot.remove_pod("default/p", "").changes, Changes(Change::Nominated));
  EXPECT_EQ(snapshot.pods(), 0);
  EXPECT_EQ(snapshot.nodes(), 1);
}

TEST(Snapshot, ANodeTellsWhatChanged) {
  Snapshot snapshot;
  policy::Node node = test::node(4000);
  EXPECT_TRUE(snapshot.put(node).intersects(Change::Allocatable));
  EXPECT_EQ(snapshot.put(node), Changes());
  node.ready = policy::NodeReady::False;
  EXPECT_EQ(snapshot.put(node), Changes(Change::Ready));
  node.resize_preemption_owners = {"a.dev/x"};
  EXPECT_EQ(snapshot.put(node), Changes(Change::NodePolicy));
  node.critical_preemption_by_node = true;
  EXPECT_EQ(snapshot.put(node), Changes(Change::CriticalBy));
  node.allocatable.cpu.value = 5000;
  EXPECT_EQ(snapshot.put(node), Changes(Change::Allocatable));
  node.labels["x"] = "y";
  EXPECT_EQ(snapshot.put(node), Changes(Change::Placing));
  node.unschedulable = true;
  EXPECT_EQ(snapshot.put(node), Changes(Change::Placing));
  node.resource_version = "7";
  EXPECT_EQ(snapshot.put(node), Changes());
}

TEST(Snapshot, PodsOnANodeThatIsNotThereAreNotLost) {
  Snapshot snapshot;
  put(snapshot, web("a"));
  EXPECT_FALSE(snapshot.view("node-1"));
  snapshot.put(test::node(4000));
  EXPECT_THAT(names(snapshot.view("node-1")->pods), ElementsAre("a"));
  snapshot.remove_node("node-1");
  EXPECT_FALSE(snapshot.view("node-1"));
  EXPECT_THAT(names(snapshot.pods_of("node-1")), ElementsAre("a"));
}

TEST(Snapshot, TwoPodsOfOneUidCannotBeToldApart) {
  Snapshot snapshot;
  snapshot.put(test::node(4000));
  put(snapshot, web("a"));
  Pod twin = web("b");
  twin.uid = "uid-a";
  put(snapshot, twin);
  EXPECT_EQ(snapshot.view("node-1")->contradiction,
            "pods default/a and default/b have the same uid uid-a");
}

TEST(Snapshot, APodThatCannotBeUnderstoodIsKnownByItsNode) {
  Snapshot snapshot;
  snapshot.put_unreadable("default/b", "node-1", "cpu: " + std::string(1000, 'x'));
  snapshot.put_unreadable("default/a", "node-1", "cpu: not a quantity");
  snapshot.put_unreadable("default/c", "node-2", "odd");
  EXPECT_FALSE(snapshot.view("node-1"));
  snapshot.put(test::node(4000));
  EXPECT_EQ(snapshot.view("node-1")->contradiction,
            "pod default/a (and 1 more) cannot be understood, and so what it holds is not known: "
            "cpu: not a quantity");
  EXPECT_THAT(snapshot.unreadable_keys(), ElementsAre("default/a", "default/b", "default/c"));
  EXPECT_EQ(snapshot.forget_unreadable("default/a"), "node-1");
  EXPECT_EQ(snapshot.forget_unreadable("default/a"), "");
  EXPECT_LT(snapshot.view("node-1")->contradiction.size(), 400);
  snapshot.put_unreadable("default/b", "node-2", "odd");
  EXPECT_EQ(snapshot.view("node-1")->contradiction, "");
  EXPECT_EQ(snapshot.nodes(), 2);
  EXPECT_EQ(snapshot.forget_unreadable("default/c"), "node-2");
  EXPECT_EQ(snapshot.forget_unreadable("default/b"), "node-2");
  EXPECT_EQ(snapshot.nodes(), 1);
}

std::set<std::string> covered_in(const Snapshot& snapshot, const std::string& ns,
                                 const std::optional<policy::LabelSelector>& selector) {
  std::set<std::string> nodes;
  snapshot.each_covered(ns, selector, [&](const std::string& node) { nodes.insert(node); });
  for (const char* node : {"node-1", "node-2", "node-3"}) {
    EXPECT_EQ(snapshot.holds_covered(node, ns, selector), nodes.contains(node)) << node;
  }
  return nodes;
}

TEST(Snapshot, WhomABudgetCoversFollowsLabelsNodesAndPods) {
  Snapshot snapshot;
  const auto selector = budget("web", 1).selector;
  const auto covered = [&] { return covered_in(snapshot, "default", selector); };
  Pod pod = web("a");
  const policy::Labels labels = pod.labels;
  put(snapshot, pod);
  EXPECT_THAT(covered(), ElementsAre("node-1"));
  EXPECT_THAT(covered_in(snapshot, "default", std::nullopt), testing::IsEmpty());
  pod.labels = {{"app", "another"}};
  put(snapshot, pod);
  EXPECT_THAT(covered(), testing::IsEmpty()) << "other labels on the same node";
  pod.labels = labels;
  pod.node = "node-2";
  put(snapshot, pod);
  EXPECT_THAT(covered(), ElementsAre("node-2"));
  put(snapshot, web("b"));
  EXPECT_THAT(covered(), ElementsAre("node-1", "node-2"));
  pod.node.clear();
  pod.nominated_node = "node-2";
  put(snapshot, pod);
  EXPECT_THAT(covered(), ElementsAre("node-1")) << "it is not there yet";
  snapshot.remove_pod("default/b", "");
  EXPECT_THAT(covered(), testing::IsEmpty());
}

TEST(Snapshot, BudgetsAreThoseOfTheNodesNamespaces) {
  Snapshot snapshot;
  snapshot.put(test::node(4000));
  put(snapshot, web("a"));
  snapshot.put(budget("web", 1));
  PodDisruptionBudget other = budget("other", 1);
  other.ns = "elsewhere";
  snapshot.put(other);
  ASSERT_EQ(snapshot.view("node-1")->budgets.upstream.size(), 1);
  EXPECT_EQ(snapshot.view("node-1")->budgets.upstream[0].name, "web");
  EXPECT_THAT(covered_in(snapshot, "default", budget("web", 1).selector), ElementsAre("node-1"));
  EXPECT_THAT(covered_in(snapshot, "elsewhere", other.selector), testing::IsEmpty());
}

TEST(Snapshot, ADebitStandsUntilTheBudgetsOwnerHasCountedIt) {
  Snapshot snapshot;
  snapshot.put(test::node(4000));
  put(snapshot, web("a"));
  put(snapshot, web("b"));
  snapshot.put(budget("web", 2));
  const auto left = [&] {
    return snapshot.view("node-1")->budgets.upstream[0].disruptions_allowed;
  };
  snapshot.debit_budgets(web("a"), {});
  EXPECT_EQ(left(), 1);
  snapshot.debit_budgets(web("a"), {});
  EXPECT_EQ(left(), 1) << "once for each pod";
  snapshot.put(budget("web", 2));  // written for another reason
  EXPECT_EQ(left(), 1);
  snapshot.put(budget("web", 1));
  EXPECT_EQ(left(), 1);
  snapshot.debit_budgets(web("b"), {});
  EXPECT_EQ(left(), 0);
  snapshot.remove_pod("default/b", "uid-b");
  EXPECT_EQ(left(), 1);
  EXPECT_TRUE(snapshot.remove_budget("default", "web"));
  EXPECT_FALSE(snapshot.remove_budget("default", "web"));
}

TEST(Snapshot, ADebitIsForgottenWithItsPodWhenAnotherIsMade) {
  Snapshot snapshot;
  for (const char* name : {"a", "b"}) put(snapshot, web(name));
  snapshot.put(budget("web", 2));
  snapshot.debit_budgets(web("a"), {});
  snapshot.remove_pod("default/a", "uid-a");
  EXPECT_TRUE(snapshot.is_debited("default/a"));
  snapshot.debit_budgets(web("b"), {});
  EXPECT_FALSE(snapshot.is_debited("default/a"));
  EXPECT_TRUE(snapshot.is_debited("default/b"));
}

TEST(Snapshot, KnowsTheNodesOfANamespace) {
  Snapshot snapshot;
  put(snapshot, web("a"));
  put(snapshot, web("b"));
  Pod there = web("c");
  there.node = "node-2";
  put(snapshot, there);
  Pod other = web("d");
  other.ns = "defaults";
  put(snapshot, other);
  EXPECT_THAT(snapshot.nodes_of("default"), ElementsAre("node-1", "node-2"));
  EXPECT_THAT(snapshot.nodes_of("defaults"), ElementsAre("node-1"));
  snapshot.remove_pod("default/a", "");
  EXPECT_THAT(snapshot.nodes_of("default"), ElementsAre("node-1", "node-2"));
  snapshot.remove_pod("default/b", "");
  snapshot.remove_pod("defaults/d", "");
  EXPECT_THAT(snapshot.nodes_of("default"), ElementsAre("node-2"));
  EXPECT_THAT(snapshot.nodes_of("defaults"), testing::IsEmpty());
}

TEST(Snapshot, TheStrengthOfABudgetIsCountedAsPodsComeAndGo) {
  Snapshot snapshot;
  snapshot.put(test::node(4000));
  const auto ready = [](Pod pod) {
    pod.conditions.push_back(
        {.type = std::string(policy::kReady), .status = "True", .reason = "", .message = ""});
    return pod;
  };
  put(snapshot, ready(web("a")));
  policy::DisruptionBudget budget;
  budget.ns = "default";
  budget.name = "own";
  budget.selector = policy::LabelSelector{.match_labels = {{"app", "web"}}, .expressions = {}};
  const auto strength = [&] { return snapshot.view("node-1")->budgets.strengths.at(0); };
  EXPECT_FALSE(snapshot.put(budget));
  EXPECT_EQ(strength(), (policy::Strength{1, 1})) << "a pod that was there before";
  Pod b = web("b");
  b.node = "node-2";
  EXPECT_THAT(snapshot.put(PackedPod::packed(b)).own_budgets, ElementsAre("own"));
  EXPECT_EQ(strength(), (policy::Strength{2, 1}));
  EXPECT_THAT(snapshot.put(PackedPod::packed(ready(b))).own_budgets, ElementsAre("own"));
  EXPECT_EQ(strength(), (policy::Strength{2, 2}));
  snapshot.debit_budgets(b, {});
  EXPECT_EQ(strength(), (policy::Strength{2, 1})) << "asked to go, and not seen to";
  Pod c = web("c");
  c.labels.clear();
  EXPECT_THAT(snapshot.put(PackedPod::packed(c)).own_budgets, testing::IsEmpty());
  EXPECT_THAT(snapshot.remove_pod("default/b", "").own_budgets, ElementsAre("own"));
  EXPECT_EQ(strength(), (policy::Strength{1, 1}));
  budget.selector->match_labels["app"] = "none";
  EXPECT_TRUE(snapshot.put(budget));
  EXPECT_EQ(strength(), (policy::Strength{0, 0}));
  EXPECT_THAT(put(snapshot, ready(test::resized(web("a"), 1500))).own_budgets, testing::IsEmpty());
  Pod relabelled = ready(web("a"));
  relabelled.labels["app"] = "none";
  EXPECT_THAT(put(snapshot, relabelled).own_budgets, ElementsAre("own"));
  EXPECT_EQ(strength(), (policy::Strength{1, 1}));
  EXPECT_THAT(put(snapshot, ready(web("a"))).own_budgets, ElementsAre("own"));
  EXPECT_EQ(strength(), (policy::Strength{0, 0}));
  EXPECT_TRUE(snapshot.remove_own_budget("default", "own"));
  EXPECT_FALSE(snapshot.remove_own_budget("default", "own"));
}

TEST(Snapshot, AnUnhealthyVictimThatABudgetSparesIsNotDebited) {
  Snapshot snapshot;
  policy::DisruptionBudget budget;
  budget.ns = "default";
  budget.name = "own";
  budget.selector = policy::LabelSelector{.match_labels = {{"app", "web"}}, .expressions = {}};
  budget.min_available = policy::IntOrPercent{1};
  budget.rate_disruptions = 1;
  budget.rate_per = std::chrono::hours(1);
  snapshot.put(budget);
  Pod up = web("up");
  up.conditions.push_back(
      {.type = std::string(policy::kReady), .status = "True", .reason = "", .message = ""});
  put(snapshot, up);
  Pod crashes = web("crashes");
  crashes.conditions.push_back(
      {.type = std::string(policy::kReady), .status = "False", .reason = "", .message = ""});
  put(snapshot, crashes);
  EXPECT_TRUE(snapshot.debit_budgets(crashes, {}).empty());
  EXPECT_EQ(snapshot.debit_budgets(up, {}).size(), 1U);
  EXPECT_EQ(snapshot.debit_budgets(crashes, {}).size(), 1U)
      << "no healthy one is left beside what is debited";
}

TEST(Snapshot, AnUnhealthyVictimThatAPodDisruptionBudgetSparesIsNotDebited) {
  Snapshot snapshot;
  PodDisruptionBudget pdb = budget("web", 1);
  pdb.current_healthy = 1;
  pdb.desired_healthy = 2;
  snapshot.put(pdb);
  Pod crashes = web("crashes");
  crashes.phase = policy::Phase::Running;
  crashes.conditions = {
      {.type = std::string(policy::kReady), .status = "False", .reason = "", .message = ""}};
  put(snapshot, crashes);
  EXPECT_EQ(snapshot.debit_budgets(crashes, {}).size(), 1U) << "too few are healthy";
  EXPECT_TRUE(snapshot.undebit_budgets(crashes.ns, crashes.uid));
  pdb.desired_healthy = 1;
  snapshot.put(pdb);
  EXPECT_TRUE(snapshot.debit_budgets(crashes, {}).empty());
}

TEST(Snapshot, ABudgetExpectsPodsThatWaitForANode) {
  Snapshot snapshot;
  policy::DisruptionBudget budget;
  budget.ns = "default";
  budget.name = "own";
  budget.selector = policy::LabelSelector{.match_labels = {{"app", "web"}}, .expressions = {}};
  const auto strength = [&] { return snapshot.strength_over(budget); };
  Pod before = web("before");
  before.node = "";
  EXPECT_TRUE(put(snapshot, before).own_budgets.empty());
  snapshot.put(budget);
  EXPECT_EQ(strength(), (policy::Strength{0, 0, 1})) << "it was there before the budget";
  Pod pod = web("a");
  pod.node = "";
  EXPECT_THAT(put(snapshot, pod).own_budgets, ElementsAre("own"));
  EXPECT_EQ(strength(), (policy::Strength{0, 0, 2}));
  EXPECT_THAT(snapshot.seen_keys(), ElementsAre("default/a", "default/before"));
  EXPECT_THAT(snapshot.pod_keys(), testing::IsEmpty());
  EXPECT_THAT(put(snapshot, pod).own_budgets, testing::IsEmpty()) << "it says the same";
  pod.nominated_node = "node-1";
  put(snapshot, pod);
  EXPECT_EQ(strength(), (policy::Strength{0, 0, 2}));
  EXPECT_THAT(put(snapshot, web("a")).own_budgets, ElementsAre("own"));
  EXPECT_EQ(strength(), (policy::Strength{1, 0, 1})) << "it is bound";
  const PodEvent other = snapshot.remove_pod("default/before", "uid-of-another");
  EXPECT_TRUE(other.own_budgets.empty());
  const PodEvent gone = snapshot.remove_pod("default/before", before.uid);
  EXPECT_EQ(gone.ns, "default");
  EXPECT_THAT(gone.own_budgets, ElementsAre("own"));
  EXPECT_EQ(strength(), (policy::Strength{1, 0, 0}));
}

TEST(Snapshot, ADebitThatIsNotInTheLedgerCountsAndDoesNotExempt) {
  Snapshot snapshot;
  snapshot.put(test::node(4000));
  put(snapshot, web("a"));
  policy::DisruptionBudget budget;
  budget.ns = "default";
  budget.name = "own";
  budget.selector = policy::LabelSelector{.match_labels = {{"app", "web"}}, .expressions = {}};
  budget.rate_disruptions = 5;
  budget.rate_per = std::chrono::hours(1);
  snapshot.put(budget);
  const auto entries = [&] { return snapshot.view("node-1")->budgets.ours.at(0).recent; };
  using policy::LedgerEntry;
  snapshot.debit_budgets(web("a"), {});
  EXPECT_THAT(entries(), ElementsAre(testing::Field(&LedgerEntry::uid, "")));
  budget.recent = {{.pod = "a", .uid = "uid-a"}};
  snapshot.put(budget);
  EXPECT_THAT(entries(), ElementsAre(testing::Field(&LedgerEntry::uid, "uid-a")));
}

TEST(Snapshot, ADebitThatIsNotInTheLedgerOutlivesItsPodAsLongAsItsRateSays) {
  using std::chrono::hours;
  Snapshot snapshot;
  snapshot.put(test::node(4000));
  for (const char* name : {"a", "b", "c"}) put(snapshot, web(name));
  policy::DisruptionBudget own;
  own.ns = "default";
  own.name = "own";
  own.selector = policy::LabelSelector{};
  own.rate_disruptions = 5;
  own.rate_per = hours(2);
  snapshot.put(own);
  const auto entries = [&] { return snapshot.view("node-1")->budgets.ours.at(0).recent.size(); };
  const policy::Time start{hours(1)};
  snapshot.debit_budgets(web("a"), start);
  snapshot.remove_pod("default/a", "uid-a");
  snapshot.debit_budgets(web("b"), start + hours(1));
  EXPECT_EQ(entries(), 2U);
  snapshot.debit_budgets(web("c"), start + hours(2));
  EXPECT_EQ(entries(), 2U) << "of b and c: a's is over, and its pod is gone";
}

// A decision is made once more, and its own debits must not change it.
TEST(Snapshot, DebitsAreLeftOutInALedgerOrNot) {
  Snapshot snapshot;
  snapshot.put(test::node(4000));
  put(snapshot, web("a"));
  put(snapshot, web("b"));
  snapshot.put(budget("web", 2));
  policy::DisruptionBudget own;
  own.ns = "default";
  own.name = "own";
  own.selector = policy::LabelSelector{};
  own.rate_disruptions = 5;
  own.rate_per = std::chrono::hours(1);
  own.recent = {{.pod = "b", .uid = "uid-b"}};
  snapshot.put(own);
  const policy::Budgets before = snapshot.view("node-1")->budgets;
  Snapshot::Debits made = snapshot.debit_budgets(web("a"), {});
  made.merge(snapshot.debit_budgets(web("b"), {}));
  EXPECT_THAT(made, ElementsAre(Snapshot::Debit{false, "default", "web", "uid-a"},
                                Snapshot::Debit{false, "default", "web", "uid-b"},
                                Snapshot::Debit{true, "default", "own", "uid-a"}))
      << "b was debited before";
  const auto told = [&] { return snapshot.view("node-1")->budgets; };
  EXPECT_NE(told().upstream, before.upstream);
  snapshot.leave_out(made);
  EXPECT_EQ(told().upstream, before.upstream);
  EXPECT_EQ(told().ours, before.ours);
  own.recent.push_back({.pod = "a", .uid = "uid-a"});
  snapshot.put(own);
  EXPECT_EQ(told().ours, before.ours);
  EXPECT_EQ(told().strengths, before.strengths);
  snapshot.leave_out({});
  EXPECT_NE(told().ours, before.ours);
}

TEST(Snapshot, ASuccessorIsTakenForAnotherPod) {
  Snapshot snapshot;
  put(snapshot, web("a"));
  Pod next = web("a");
  EXPECT_FALSE(snapshot.replaces_another(PackedPod::packed(next)));
  next.uid = "uid-next";
  EXPECT_TRUE(snapshot.replaces_another(PackedPod::packed(next)));
  next = web("a");
  next.node = "node-2";
  EXPECT_TRUE(snapshot.replaces_another(PackedPod::packed(next)));
  EXPECT_FALSE(snapshot.replaces_another(PackedPod::packed(web("new"))));
}

}  // namespace
}  // namespace elbowroom::cluster

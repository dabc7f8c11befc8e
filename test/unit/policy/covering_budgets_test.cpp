// Which budgets cover given pods, and what they allow now and next.
#include "policy/ledger/covering_budgets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "test/node_world.h"

namespace elbowroom::policy {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using test::condition;
using test::figures;
using test::kNoon;
using testing::ElementsAre;

Pod replica(const std::string& name, const std::string& app = "x") {
  Pod pod = test::pod_of_size(name, 0, figures(1));
  pod.labels["app"] = app;
  pod.conditions.push_back(condition(kReady, "", "True"));
  return pod;
}

std::optional<LabelSelector> of_app(const std::string& app) {
  return LabelSelector{.match_labels = {{"app", app}}, .expressions = {}};
}

DisruptionBudget budget(const std::string& name) {
  DisruptionBudget made;
  made.ns = "default";
  made.name = name;
  made.selector = of_app("x");
  return made;
}

TEST(CoveringBudgets, EachSaysWhatItAllowsNowAndWhenTheNext) {
  const std::vector<Pod> pods = {replica("a"), replica("b"), replica("c", "y")};
  DisruptionBudget rate = budget("rate");
  rate.hard = true;
  rate.rate_disruptions = 1;
  rate.rate_per = hours(1);
  rate.recent = {{.pod = "gone", .uid = "uid-gone", .time = kNoon - minutes(20), .by = "x"}};
  DisruptionBudget strength = budget("strength");
  strength.min_available = IntOrPercent{1};
  DisruptionBudget other = budget("other");
  other.selector = of_app("z");
  Budgets all{
      .upstream = {}, .ours = {strength, rate, budget("endless"), other}, .cluster_pods = pods};
  PodDisruptionBudget pdb;
  pdb.ns = "default";
  pdb.name = "pdb";
  pdb.selector = of_app("x");
  pdb.disruptions_allowed = 3;
  all.upstream = {pdb};

  const auto found = covering_budgets({&pods[1], &pods[0], &pods[2]}, all, kNoon);
  const std::vector<std::string> both = {key_of(pods[0]), key_of(pods[1])};
  EXPECT_THAT(
      found,
      ElementsAre(
          CoveringBudget{.budget = "DisruptionBudget default/endless", .pods = both},
          CoveringBudget{.budget = "DisruptionBudget default/rate",
                         .hard = true,
                         .allowed = 0,
                         .next = kNoon + minutes(40),
                         .pods = both},
          CoveringBudget{.budget = "DisruptionBudget default/strength", .allowed = 1, .pods = both},
          CoveringBudget{.budget = "PodDisruptionBudget default/pdb", .allowed = 3, .pods = both}));
  EXPECT_TRUE(covering_budgets({&pods[2]}, all, kNoon).empty());
}

}  // namespace
}  // namespace elbowroom::policy

#include "cluster/budget_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

namespace elbowroom::cluster {
namespace {

using policy::LabelSelector;
using testing::ElementsAre;
using testing::IsEmpty;

BudgetIndex::Names candidates(const BudgetIndex& index, const policy::Labels& labels) {
  BudgetIndex::Names names;
  index.add_candidates(labels, names);
  return names;
}

LabelSelector of(policy::Labels labels) {
  return {.match_labels = std::move(labels), .expressions = {}};
}

TEST(BudgetIndex, ABudgetIsACandidateForThePodsWithItsLabel) {
  BudgetIndex index;
  index.put("web", of({{"app", "web"}}));
  index.put("shop", of({{"app", "shop"}, {"tier", "x"}}));
  index.put("all", LabelSelector{});
  index.put("none", std::nullopt);
  EXPECT_THAT(candidates(index, {{"app", "web"}}), ElementsAre("all", "web"));
  EXPECT_THAT(candidates(index, {{"app", "shop"}}), ElementsAre("all", "shop"));
  EXPECT_THAT(candidates(index, {}), ElementsAre("all"));
  index.remove("all", LabelSelector{});
  index.remove("none", std::nullopt);
  EXPECT_THAT(candidates(index, {{"tier", "x"}}), IsEmpty());
  index.remove("web", of({{"app", "web"}}));
  EXPECT_THAT(candidates(index, {{"app", "web"}}), IsEmpty());
}

// A label's text may look like another one's.
TEST(BudgetIndex, EveryBudgetThatCoversAPodIsACandidate) {
  std::mt19937_64 random(1);
  const auto labels = [&](std::size_t most) {
    static constexpr const char* kTexts[] = {"a", "b", "a=b", "", "="};
    policy::Labels made;
    for (std::size_t i = random() % (most + 1); i > 0; --i) {
      made[kTexts[random() % 2]] = kTexts[random() % 5];
    }
    return made;
  };
  BudgetIndex index;
  std::map<std::string, LabelSelector> known;
  for (int turn = 0; turn < 2'000; ++turn) {
    const std::string name = "b" + std::to_string(random() % 12);
    if (const auto at = known.find(name); at != known.end()) {
      index.remove(name, at->second);
      known.erase(at);
    } else {
      const LabelSelector selector = of(labels(2));
      index.put(name, selector);
      known.emplace(name, selector);
    }
    const policy::Labels pod = labels(3);
    const auto found = candidates(index, pod);
    for (const auto& [each, selector] : known) {
      EXPECT_TRUE(!policy::matches(selector, pod) || found.contains(each)) << each;
    }
    for (const std::string& each : found) EXPECT_TRUE(known.contains(each)) << each;
  }
}

}  // namespace
}  // namespace elbowroom::cluster

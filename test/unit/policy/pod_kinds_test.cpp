// Kinds and terms are found as a plain comparison of every pod with every selector finds them,
// while pods come and go. Also what is found where texts come back, and the map that looks things
// up.
#include "policy/placement/pod_kinds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "policy/model/selector.h"
#include "policy/placement/hashed_map.h"

namespace elbowroom::policy {
namespace {

class Dice {
 public:
  explicit Dice(std::uint32_t seed) : engine_(seed) {}
  std::size_t below(std::size_t bound) { return engine_() % bound; }
  std::string one_of(const std::vector<std::string>& texts) { return texts[below(texts.size())]; }
  bool chance(std::size_t one_in) { return below(one_in) == 0; }

 private:
  std::mt19937 engine_;
};

LabelSelector random_selector(Dice& dice) {
  LabelSelector made;
  if (dice.chance(2)) made.match_labels["app"] = dice.one_of({"a", "b", "none"});
  if (dice.chance(3)) made.match_labels["tier"] = dice.one_of({"x", "y"});
  if (dice.chance(2)) {
    const auto op = static_cast<LabelOperator>(dice.below(4));
    LabelExpression expression{.key = dice.one_of({"app", "tier", "absent"}), .op = op};
    if (op == LabelOperator::In || op == LabelOperator::NotIn) {
      expression.values = {dice.one_of({"a", "x", "none"})};
      if (dice.chance(2)) expression.values.push_back(dice.one_of({"b", "y"}));
    }
    made.expressions.push_back(std::move(expression));
  }
  return made;
}

Pod random_pod(Dice& dice, std::size_t number) {
  Pod pod;
  pod.ns = dice.one_of({"red", "blue"});
  pod.name = "pod-" + std::to_string(number);
  if (!dice.chance(4)) pod.labels["app"] = dice.one_of({"a", "b", "c"});
  if (dice.chance(2)) pod.labels["tier"] = dice.one_of({"x", "y"});
  if (dice.chance(3)) pod.labels["name"] = pod.name;
  if (dice.chance(3)) {
    PodTerm term{.selector = random_selector(dice),
                 .namespaces = {dice.one_of({"red", "blue"})},
                 .topology_key = "zone"};
    if (dice.chance(3)) term.namespace_selector = LabelSelector{};
    pod.placement.required_anti_affinity.push_back(std::move(term));
  }
  return pod;
}

TEST(PodKinds, AreFoundAsAPlainComparisonFindsThem) {
  for (std::uint32_t seed = 1; seed <= 60; ++seed) {
    Dice dice(seed);
    PodKinds kinds;
    std::vector<std::pair<Pod, std::uint32_t>> held;
    for (std::size_t round = 0; round < 300; ++round) {
      if (dice.chance(3) && !held.empty()) {
        const std::size_t which = dice.below(held.size());
        kinds.let_go(held[which].second);
        held.erase(held.begin() + static_cast<std::ptrdiff_t>(which));
        continue;
      }
      Pod pod = random_pod(dice, round);
      const std::uint32_t kind = kinds.hold(pod).kind;
      held.emplace_back(std::move(pod), kind);
    }
    for (int ask = 0; ask < 40; ++ask) {
      const LabelSelector selector = random_selector(dice);
      const std::string ns = dice.one_of({"red", "blue", "green"});
      std::set<std::uint32_t> expected;
      for (const auto& [pod, kind] : held) {
        const bool is_selected = pod.ns == ns && matches(selector, pod.labels);
        if (is_selected) expected.insert(kind);
        EXPECT_EQ(kinds.selects(selector, ns, kind), is_selected);
      }
      std::vector<std::uint32_t> found = kinds.selected(ns, selector);
      EXPECT_TRUE(std::ranges::is_sorted(found));
      std::erase_if(found, [&](std::uint32_t kind) { return kinds.all()[kind].pods == 0; });
      EXPECT_EQ(std::set(found.begin(), found.end()), expected) << "seed " << seed;
    }
  }
}

TEST(PodKinds, TermsAboutAPodAreAmongThoseThatAreFound) {
  for (std::uint32_t seed = 1; seed <= 60; ++seed) {
    Dice dice(seed);
    PodKinds kinds;
    std::vector<std::pair<Pod, std::uint32_t>> held;
    for (std::size_t round = 0; round < 100; ++round) {
      Pod pod = random_pod(dice, round);
      const std::uint32_t kind = kinds.hold(pod).kind;
      held.emplace_back(std::move(pod), kind);
    }
    const Pod asked = random_pod(dice, 1'000);
    const auto found = kinds.terms_about(asked.ns, asked.labels);
    EXPECT_TRUE(std::ranges::is_sorted(found));
    for (const auto& [pod, kind] : held) {
      for (const PodTerm& term : pod.placement.required_anti_affinity) {
        const bool is_meant = term.namespace_selector.has_value() ||
                              std::ranges::find(term.namespaces, asked.ns) != term.namespaces.end();
        if (!is_meant || !matches(*term.selector, asked.labels)) continue;
        EXPECT_TRUE(std::ranges::binary_search(found, kinds.all()[kind].terms)) << "seed " << seed;
      }
    }
  }
}

// A pod that changes and comes back gets the number that it had; numbers do not run away.
TEST(PodKinds, NumbersAreUsedAgain) {
  PodKinds kinds;
  Pod pod;
  pod.ns = "default";
  pod.labels = {{"app", "web"}};
  const std::uint32_t first = kinds.hold(pod).kind;
  kinds.let_go(first);
  EXPECT_EQ(kinds.hold(pod).kind, first);
  for (int i = 0; i < 10'000; ++i) {
    Pod other = pod;
    other.labels["number"] = std::to_string(i);
    kinds.let_go(kinds.hold(other).kind);
  }
  EXPECT_LT(kinds.all().size(), 200U);
  EXPECT_EQ(kinds.selected("default", {.match_labels = {{"app", "web"}}}).size(),
            kinds.selected("default", {}).size());
}

// A namespace's number is used again for another one.
TEST(PodKinds, NamespacesWithoutPodsAreForgotten) {
  PodKinds kinds;
  Pod pod;
  for (int i = 0; i < 1'000; ++i) {
    pod.ns = "ns-" + std::to_string(i);
    kinds.let_go(kinds.hold(pod).kind);
  }
  EXPECT_LT(kinds.namespaces().size(), 200U);
  const std::uint32_t number = kinds.all()[kinds.hold(pod).kind].ns;
  EXPECT_EQ(kinds.namespaces().at(number), "ns-999");
}

TEST(PodKinds, CountsPodsByNode) {
  PodKinds kinds;
  Pod pod;
  pod.ns = "default";
  const std::uint32_t kind = kinds.hold(pod).kind;
  kinds.count(kind, 7, false, true);
  kinds.count(kind, 3, true, true);
  kinds.count(kind, 7, false, true);
  const auto& entries = kinds.all()[kind].on.entries();
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].node, 3U);
  EXPECT_EQ(entries[0].terminating, 1U);
  EXPECT_EQ(entries[1].pods, 2U);
  kinds.count(kind, 3, true, false);
  EXPECT_EQ(kinds.all()[kind].on.entries().size(), 1U);
}

TEST(HashedMap, IsAMap) {
  Dice dice(1);
  HashedMap<std::string, int> map;
  std::map<std::string, int> plain;
  for (int round = 0; round < 20'000; ++round) {
    const std::string key = "key-" + std::to_string(dice.below(3'000));
    if (dice.chance(3)) {
      map.erase(key);
      plain.erase(key);
    } else {
      map[key] = round;
      plain[key] = round;
    }
  }
  map.erase_if([](int value) { return value % 2 == 0; });
  std::erase_if(plain, [](const auto& each) { return each.second % 2 == 0; });
  EXPECT_EQ(map.size(), plain.size());
  for (int i = 0; i < 3'000; ++i) {
    const std::string key = "key-" + std::to_string(i);
    const int* found = map.find(key);
    const auto expected = plain.find(key);
    ASSERT_EQ(found != nullptr, expected != plain.end());
    if (found == nullptr) continue;
    EXPECT_EQ(*found, expected->second);
  }
}

}  // namespace
}  // namespace elbowroom::policy

// What the keeper of a DisruptionBudget writes, over random budgets, pods and ledgers. The oracle
// counts for itself; what is allowed is tried out with debits.
#include "policy/ledger/budget_keeping.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "test/node_world.h"

namespace elbowroom::policy {
namespace {

using std::chrono::seconds;
using test::kNoon;

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  std::int64_t up_to(std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(0, most)(engine_);
  }
  bool one_in(std::int64_t count) { return up_to(count - 1) == 0; }

 private:
  std::mt19937_64 engine_;
};

struct World {
  DisruptionBudget budget{};
  std::vector<Pod> pods{};
};

World random_world(Dice& dice) {
  World world;
  DisruptionBudget& budget = world.budget;
  budget.ns = "default";
  budget.name = "db";
  budget.generation = dice.up_to(3);
  budget.hard = dice.one_in(2);
  budget.selector = LabelSelector{.match_labels = {{"app", "x"}}, .expressions = {}};
  const bool percent = dice.one_in(2);
  const IntOrPercent figure{dice.up_to(percent ? 100 : 6), percent};
  if (dice.one_in(3)) {
    budget.min_available = figure;
  } else if (dice.one_in(2)) {
    budget.max_unavailable = figure;
  }
  if (!dice.one_in(3)) {
    budget.rate_disruptions = dice.up_to(4);
    budget.rate_per = seconds(1 + dice.up_to(400));
  }
  for (std::int64_t i = dice.up_to(7); i > 0; --i) {
    Pod pod = test::pod_of_size("p" + std::to_string(i), 0, test::figures(1));
    if (!dice.one_in(6)) pod.labels["app"] = "x";
    if (dice.one_in(8)) pod.node.clear();
    if (dice.one_in(8)) pod.phase = Phase::Failed;
    if (!dice.one_in(4)) pod.conditions.push_back(test::condition(kReady, "", "True"));
    if (dice.one_in(4)) {
      pod.conditions.push_back(test::condition(kDisruptionTarget, "DeletionByTaintManager"));
    }
    if (dice.one_in(3)) {
      pod.deletion_grace_seconds = dice.up_to(60);
      pod.deletion = kNoon + seconds(dice.up_to(300) - 250);
    }
    world.pods.push_back(pod);
  }
  for (std::int64_t i = dice.up_to(5); i > 0; --i) {
    const bool is_of_pod = !world.pods.empty() && !dice.one_in(3);
    const Pod& pod =
        is_of_pod ? world.pods[static_cast<std::size_t>(dice.up_to(std::ssize(world.pods) - 1))]
                  : Pod{};
    budget.recent.push_back({.pod = is_of_pod ? pod.name : "gone",
                             .uid = is_of_pod ? pod.uid : "u" + std::to_string(dice.up_to(9)),
                             .time = kNoon + seconds(20 - dice.up_to(500)),
                             .by = "evict"});
  }
  return world;
}

BudgetKeeping kept(const World& world, Time now) {
  return keeping_of(ledger_state(world.budget, world.pods, now));
}
World stored(World world, const BudgetKeeping& made) {
  world.budget.status = made.status;
  world.budget.recent = made.ledger;
  return world;
}

bool is_ready(const Pod& pod) {
  return std::ranges::any_of(pod.conditions, [](const Condition& each) {
    return each.type == "Ready" && each.status == "True";
  });
}
bool is_marked(const Pod& pod) {
  return std::ranges::any_of(pod.conditions,
                             [](const Condition& each) { return each.type == "DisruptionTarget"; });
}
bool is_expected(const Pod& pod) {
  return pod.labels.contains("app") && pod.phase != Phase::Failed;
}
bool is_counted(const Pod& pod) { return is_expected(pod) && !pod.node.empty(); }

void holds(const World& world, Time now, const std::string& what) {
  const BudgetKeeping made = kept(world, now);
  std::set<std::string> uids;
  for (const LedgerEntry& each : made.ledger) {
    EXPECT_TRUE(uids.insert(each.uid).second) << what << ": twice " << each.uid;
  }
  std::int64_t expected = 0;
  std::int64_t healthy = 0;
  for (const Pod& pod : world.pods) {
    if (is_expected(pod)) ++expected;
    if (!is_counted(pod)) continue;
    if (is_ready(pod) && !pod.deletion && !uids.contains(pod.uid)) ++healthy;
  }
  EXPECT_EQ(made.status.expected_pods, expected) << what;
  EXPECT_EQ(made.status.current_healthy, healthy) << what;

  // Each that was there is still there, or had to go.
  for (const LedgerEntry& each : world.budget.recent) {
    if (uids.contains(each.uid)) continue;
    const auto pod = std::ranges::find(world.pods, each.uid, &Pod::uid);
    const bool lives = pod != world.pods.end() && !pod->deletion && !is_marked(*pod);
    const bool is_old = !world.budget.rate_disruptions || now - each.time >= world.budget.rate_per;
    EXPECT_TRUE(now - each.time >= seconds(120) && (lives || is_old)) << what << ": " << each.uid;
  }
  // Whoever goes disrupted is in it, as long as it would count.
  for (const Pod& pod : world.pods) {
    if (!is_counted(pod) || !pod.deletion || !is_marked(pod)) continue;
    const seconds age = std::chrono::floor<seconds>(
        now - std::min(now, *pod.deletion - seconds(pod.deletion_grace_seconds)));
    const bool counts =
        age < seconds(120) || (world.budget.rate_disruptions && age < world.budget.rate_per);
    const bool was_there = std::ranges::find(world.budget.recent, pod.uid, &LedgerEntry::uid) !=
                           world.budget.recent.end();
    if (!counts || was_there) continue;
    EXPECT_TRUE(uids.contains(pod.uid)) << what << ": " << pod.name;
  }
}

// So many debits of other pods succeed at once, and no more.
void is_what_debits_allow(const World& world, Time now, const std::string& what) {
  const BudgetKeeping made = kept(world, now);
  World then = stored(world, made);
  const auto allowed = static_cast<std::size_t>(made.status.disruptions_allowed);
  if (allowed > 20) return;
  std::vector<Pod> others;
  for (std::size_t i = 0; i <= allowed; ++i) {
    Pod pod = test::pod_of_size("other-" + std::to_string(i), 0, test::figures(1));
    pod.labels["app"] = "x";
    pod.conditions.push_back(test::condition(kReady, "", "True"));  // another may cost nothing
    others.push_back(pod);
  }
  const LedgerState state = ledger_state(then.budget, then.pods, now);
  const std::span all(others);
  EXPECT_TRUE(debit(state, all.first(allowed), "b").is_allowed) << what;
  EXPECT_FALSE(debit(state, all, "b").is_allowed) << what;
  if (!made.status.next_allowed_time) return;
  EXPECT_EQ(allowed, 0U) << what;
  EXPECT_EQ(debit(state, all.first(1), "b").next, made.status.next_allowed_time) << what;
}

// Written once it says all, until the time that it names.
void is_written_once(const World& world, Time now, const std::string& what) {
  const BudgetKeeping made = kept(world, now);
  const World then = stored(world, made);
  const BudgetKeeping again = kept(then, now);
  EXPECT_EQ(again.ledger, made.ledger) << what;
  EXPECT_EQ(again.status, made.status) << what;
  EXPECT_FALSE(again.is_due) << what;
  const Time until = again.look_again.value_or(now + seconds(1'000));
  EXPECT_GT(until, now) << what;
  for (Time at = now; at < until; at += seconds(7)) {
    EXPECT_FALSE(kept(then, at).is_due) << what << ", at " << (at - now).count() / 1'000'000;
  }
  EXPECT_FALSE(kept(then, until - seconds(1)).is_due) << what;
}

TEST(BudgetKeeping, IsWhatPodsAndLedgerSay) {
  for (std::uint64_t seed = 1; seed <= 3'000; ++seed) {
    Dice dice(seed);
    const World world = random_world(dice);
    const std::string what = "seed " + std::to_string(seed);
    holds(world, kNoon, what);
    is_what_debits_allow(world, kNoon, what);
    is_written_once(world, kNoon, what);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace elbowroom::policy

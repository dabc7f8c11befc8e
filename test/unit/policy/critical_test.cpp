#include "policy/preemption/critical.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "policy/preemption/fit.h"
#include "test/node_world.h"

namespace elbowroom::policy {
namespace {

using test::figures;
using test::pod_of_size;

std::vector<std::string> victims(const std::vector<Pod>& pods, const Resources& needs) {
  std::vector<Removable> candidates;
  for (const Pod& pod : pods) candidates.push_back({&pod, pod.containers[0].desired.requests});
  const auto chosen = critical_victims(candidates, needs);
  std::vector<std::string> names;
  if (!chosen) return {"not enough"};
  for (const Unit<Pod>& unit : *chosen) names.push_back(unit.pod->name);
  return names;
}

using Names = std::vector<std::string>;

TEST(CriticalVictims, NobodyWhenNothingIsNeeded) {
  EXPECT_EQ(victims({pod_of_size("a", 0, figures(1))}, {}), Names{});
}

TEST(CriticalVictims, NobodyWhenAllTogetherAreNotEnough) {
  EXPECT_EQ(
      victims({pod_of_size("a", 0, figures(100)), pod_of_size("b", 0, figures(99))}, figures(200)),
      Names{"not enough"});
}

TEST(CriticalVictims, TheGreaterUidOfEqualsGoesInAnyOrder) {
  std::vector<Pod> pods = {pod_of_size("a", 0, figures(100)), pod_of_size("c", 0, figures(100)),
                           pod_of_size("b", 0, figures(100))};
  std::ranges::sort(pods, {}, &Pod::uid);
  do {
    EXPECT_EQ(victims(pods, figures(150)), (Names{"c", "b"}));
  } while (std::ranges::next_permutation(pods, {}, &Pod::uid).found);
}

TEST(CriticalVictims, EveryNeedWeighsTheSame) {
  // a covers all of the memory and nothing of the cpu, b half of each: 1 against 1/4 + 1/4.
  EXPECT_EQ(victims({pod_of_size("a", 0, figures(0, 1'000'000)),
                     pod_of_size("b", 0, figures(50, 500'000)),
                     pod_of_size("c", 0, figures(50, 500'000))},
                    figures(100, 1'000'000)),
            (Names{"c", "b"}));
}

TEST(Distance, TellsAnyTwoAmountsApart) {
  const Resources needs = figures(0, kMaxAmount);
  EXPECT_LT(distance(needs, figures(0, 2)), distance(needs, figures(0, 1)));
  EXPECT_LT(distance(needs, figures(0, kMaxAmount)), distance(needs, figures(0, kMaxAmount - 1)));
}

TEST(Distance, AddsUpExactlyWhereManyNeedsAreMissing) {
  Resources needs = figures(3, 7);
  Distance last;
  for (int i = 0; i < 40; ++i) {
    set_amount(needs, "example.com/r" + std::to_string(i), 5 + i);
    const Distance more = distance(needs, {});
    EXPECT_LT(last, more);
    last = more;
  }
  // 42 needs, each missing whole: 42 * 2^126.
  EXPECT_EQ(last, (Distance{.top = 10, .middle = std::uint64_t{1} << 63, .bottom = 0}));
}

TEST(Distance, OfAHalfIsAQuarter) {
  EXPECT_EQ(distance(figures(2), figures(1)),
            (Distance{.top = 0, .middle = std::uint64_t{1} << 60, .bottom = 0}));
  // (1/3)^2, from floor(2^63 / 3)^2 = 0x2aaaaaaaaaaaaaaa^2.
  EXPECT_EQ(distance(figures(3), figures(2)),
            (Distance{.top = 0, .middle = 0x071c71c71c71c71cU, .bottom = 0x38e38e38e38e38e4U}));
}

}  // namespace
}  // namespace elbowroom::policy

#include "cri/convert.h"

#include <gtest/gtest.h>

#include <limits>

namespace elbowroom::cri {
namespace {

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

policy::Requirements size(std::int64_t request_m, std::int64_t limit_m, std::int64_t memory) {
  policy::Requirements of;
  of.requests.cpu.value = request_m;
  of.limits.cpu.value = limit_m;
  of.requests.memory.value = of.limits.memory.value = memory;
  return of;
}

TEST(Convert, HugeFiguresStayWithinTheKernelsBounds) {
  EXPECT_EQ(shares_for({kHuge}), kMaxShares);
  EXPECT_EQ(quota_for({kHuge}), kHuge);
  EXPECT_EQ(weight_for(kHuge), 10'000);
  EXPECT_EQ(weight_for(std::numeric_limits<std::int64_t>::min()), 1);
  EXPECT_EQ(request_of(kHuge).value, 256'000);
  EXPECT_EQ(request_of(-5).value, 0);
  EXPECT_EQ(limit_of(kHuge, 1).value, kHuge);
  EXPECT_EQ(limit_of(-1, 100'000).value, 0);
  EXPECT_EQ(limit_of(100'000, 0).value, 0);
}

TEST(Convert, BothMapsFromSharesToWeightAreKnown) {
  EXPECT_TRUE(weight_matches(512, 20));
  EXPECT_TRUE(weight_matches(1024, 39));
  EXPECT_TRUE(weight_matches(204, 8));
  EXPECT_TRUE(weight_matches(512, 59));
  EXPECT_TRUE(weight_matches(1024, 100));
  EXPECT_TRUE(weight_matches(204, 29));
  EXPECT_FALSE(weight_matches(1024, 60));
  EXPECT_FALSE(weight_matches(1024, 0));
}

// 1 cpu, 1500m, and the ends of both maps. Source: opencontainers/cgroups
// ConvertCPUSharesToCgroupV2Value.
TEST(Convert, TheLogarithmicMapIsThatOfNewerRuntimes) {
  const auto weight = [](std::int64_t shares) {
    return weight_for(shares, WeightMap::Logarithmic);
  };
  EXPECT_EQ(weight(1024), 100);
  EXPECT_EQ(weight(1536), 138);
  EXPECT_EQ(weight(2), 1);
  EXPECT_EQ(weight(262'144), 10'000);
  EXPECT_EQ(weight(kHuge), 10'000);
  EXPECT_EQ(weight(-kHuge), 1);
  std::int64_t last = 0;
  for (std::int64_t shares = 2; shares <= 262'144; shares += 1 + shares / 8) {
    EXPECT_GE(weight(shares), last) << shares;
    EXPECT_GE(weight(shares), weight_for(shares)) << "nothing loses weight by the newer map";
    last = weight(shares);
    EXPECT_EQ(weight(shares_of_weight(last, WeightMap::Logarithmic)), last) << shares;
  }
  EXPECT_EQ(shares_of_weight(100, WeightMap::Logarithmic), 1024);
}

TEST(Convert, AWeightTellsTheMapWhereOnlyOneGivesIt) {
  EXPECT_EQ(map_of_weight(1024, 100), WeightMap::Logarithmic);
  EXPECT_EQ(map_of_weight(1024, 39), WeightMap::Linear);
  EXPECT_EQ(map_of_weight(2, 1), std::nullopt) << "both give it";
  EXPECT_EQ(map_of_weight(1024, 60), std::nullopt) << "neither gives it";
  const RuntimeResources read{.cpu_weight = 100};
  const auto as_read = [&](std::int64_t milli, std::optional<WeightMap> map) {
    return requirements_of(size(milli, 0, 0), read, map).requests.cpu.value;
  };
  EXPECT_EQ(as_read(2538, WeightMap::Linear), 2538);
  EXPECT_EQ(as_read(2538, WeightMap::Logarithmic), 1000);
  EXPECT_EQ(as_read(1500, WeightMap::Logarithmic), 1000);
}

TEST(Convert, ASizeAsTextComesBack) {
  const policy::Requirements of = size(500, 1500, 1 << 20);
  EXPECT_EQ(text_of_size(of), "cpu 500/1500 memory 1048576/1048576");
  EXPECT_EQ(size_from_text(text_of_size(of)), of);
  for (const char* odd : {"", "cpu 1/2", "cpu -1/2 memory 3/4", "cpu 1/2 memory 3/4 ",
                          "cpu 1/2 memory 3/99999999999999999999", "memory 3/4 cpu 1/2"}) {
    EXPECT_EQ(size_from_text(odd), std::nullopt) << odd;
  }
}

TEST(Convert, ASizeMatchesWhatItConvertsTo) {
  const auto web = size(500, 1500, 1 << 20);
  EXPECT_TRUE(matches(web, resources_for(web)));
  EXPECT_TRUE(matches(web, {512, 150'000, 100'000, 1 << 20}));
  EXPECT_FALSE(matches(web, {511, 150'000, 100'000, 1 << 20}));
  EXPECT_FALSE(matches(web, {512, 149'999, 100'000, 1 << 20}));
  EXPECT_FALSE(matches(web, {512, 150'000, 100'000, (1 << 20) + 1}));
}

TEST(Convert, SmallRequestsThatAreTheSameToTheKernelMatch) {
  EXPECT_TRUE(matches(size(1, 0, 0), {2, 0, 100'000, 0}));
  EXPECT_TRUE(matches(size(2, 0, 0), {2, 0, 100'000, 0}));
  EXPECT_TRUE(matches(size(0, 0, 0), {0, 0, 0, 0}));
  EXPECT_FALSE(matches(size(3, 0, 0), {2, 0, 100'000, 0}));
  EXPECT_TRUE(matches(size(0, 5, 0), {2, 1000, 100'000, 0}));
  EXPECT_TRUE(matches(size(0, 10, 0), {2, 1000, 100'000, 0}));
}

TEST(Convert, NoLimitIsToldInManyWays) {
  EXPECT_TRUE(matches(size(100, 0, 0), {102, -1, 100'000, -1}));
  EXPECT_TRUE(matches(size(100, 0, 0), {102, 0, 0, 0}));
  EXPECT_FALSE(matches(size(100, 0, 0), {102, 10'000, 100'000, 0}));
  EXPECT_FALSE(matches(size(100, 0, 0), {102, 0, 100'000, 4096}));
}

TEST(Convert, AnotherPeriodWithTheSameShareOfACpuMatches) {
  EXPECT_TRUE(matches(size(500, 500, 0), {512, 2500, 5000, 0}));
}

TEST(Convert, TheKernelKeepsWholePages) {
  EXPECT_TRUE(matches(size(0, 0, 65'537), {2, 0, 0, 65'536}));
  EXPECT_FALSE(matches(size(0, 0, 65'537), {2, 0, 0, 65'535}));
}

TEST(Convert, AWeightStandsForTheSharesItWasMadeOf) {
  RuntimeResources in_cgroup{0, -1, 100'000, -1, 39};
  EXPECT_TRUE(matches(size(1000, 0, 0), in_cgroup));
  EXPECT_FALSE(matches(size(2000, 0, 0), in_cgroup));
  EXPECT_EQ(requirements_of(size(1000, 0, 0), in_cgroup).requests.cpu.value, 1000);
  EXPECT_NEAR(static_cast<double>(requirements_of(size(2000, 0, 0), in_cgroup).requests.cpu.value),
              1000.0, 30.0);
  in_cgroup.cpu_weight = 100;
  EXPECT_TRUE(matches(size(1000, 0, 0), in_cgroup));
  EXPECT_EQ(actual_of(RuntimeResources{.cpu_shares = 512}, in_cgroup)->cpu_weight, 0);
}

TEST(Convert, OnlyALimitThatIsGoneIsTakenAway) {
  EXPECT_EQ(update_for(size(500, 500, 4096), size(500, 0, 0)),
            (RuntimeResources{512, -1, 100'000, -1}));
  EXPECT_EQ(update_for(size(500, 0, 0), size(500, 0, 0)), (RuntimeResources{512, 0, 100'000, 0}));
}

TEST(Convert, SharesComeFromTheReportTheRestFromTheCgroup) {
  const RuntimeResources reported{512, 1, 2, 3};
  const RuntimeResources in_cgroup{59, 50'000, 100'000, 4096};
  EXPECT_EQ(actual_of(reported, in_cgroup), (RuntimeResources{512, 50'000, 100'000, 4096}));
  EXPECT_EQ(actual_of(std::nullopt, in_cgroup), in_cgroup);
  EXPECT_EQ(actual_of(reported, std::nullopt), reported);
  EXPECT_EQ(actual_of(std::nullopt, std::nullopt), std::nullopt);
}

TEST(Convert, TheApiIsToldTheAllocatedFigureWhereItMatches) {
  const auto allocated = size(1, 1001, 65'537);
  EXPECT_EQ(requirements_of(allocated, resources_for(allocated)), allocated);

  const auto told = requirements_of(allocated, {1024, 200'000, 100'000, 8192});
  EXPECT_EQ(told.requests.cpu.value, 1000);
  EXPECT_EQ(told.limits.cpu.value, 2000);
  EXPECT_EQ(told.limits.memory.value, 8192);
  EXPECT_EQ(told.requests.memory.value, 65'537);
}

}  // namespace
}  // namespace elbowroom::cri

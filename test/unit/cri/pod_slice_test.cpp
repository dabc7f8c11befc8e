#include "cri/pod_slice.h"

#include <gtest/gtest.h>

#include <limits>

#include "cri/convert.h"
#include "test/unit/cri/fake_sd_bus.h"

namespace elbowroom::cri {
namespace {

using policy::Bytes;
using policy::MilliCpu;
using policy::PodBounds;
using policy::PodSetting;
using policy::SetPod;
using Properties = std::vector<UnitProperty>;

constexpr std::uint64_t kInfinity = UINT64_MAX;

struct Row {
  CgroupVersion version;
  SetPod step;
  Properties properties;
};

TEST(PodSlice, EachStepIsThePropertiesOfItsCgroupVersion) {
  const PodBounds one{{1000}, MilliCpu{1500}, Bytes{1 << 30}};
  const PodBounds none{{0}, {}, {}};
  const Row rows[] = {
      {CgroupVersion::V1, {PodSetting::CpuRequest, one}, {{"CPUShares", 1024}}},
      {CgroupVersion::V2, {PodSetting::CpuRequest, one}, {{"CPUWeight", 39}}},
      {CgroupVersion::V1, {PodSetting::CpuRequest, none}, {{"CPUShares", 2}}},
      {CgroupVersion::V2, {PodSetting::CpuRequest, none}, {{"CPUWeight", 1}}},
      {CgroupVersion::V1, {PodSetting::MemoryLimit, one}, {{"MemoryLimit", 1 << 30}}},
      {CgroupVersion::V2, {PodSetting::MemoryLimit, one}, {{"MemoryMax", 1 << 30}}},
      {CgroupVersion::V1, {PodSetting::MemoryLimit, none}, {{"MemoryLimit", kInfinity}}},
      {CgroupVersion::V2, {PodSetting::MemoryLimit, none}, {{"MemoryMax", kInfinity}}},
      {CgroupVersion::V2,
       {PodSetting::CpuLimit, one},
       {{"CPUQuotaPeriodUSec", 100'000}, {"CPUQuotaPerSecUSec", 1'500'000}}},
      {CgroupVersion::V1, {PodSetting::CpuLimit, none}, {{"CPUQuotaPerSecUSec", kInfinity}}},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(slice_properties(row.version, row.step), row.properties)
        << policy::describe(row.step);
  }
}

TEST(PodSlice, AQuotaIsRoundedUpToWholePercents) {
  EXPECT_EQ(slice_quota(150'000), 150'000);
  EXPECT_EQ(slice_quota(150'100), 151'000);
  EXPECT_EQ(slice_quota(1'000), 1'000);
  EXPECT_EQ(slice_quota(1'001), 2'000);
  EXPECT_EQ(slice_quota(0), 0);
  EXPECT_EQ(slice_quota(-1), -1);
  const PodBounds bounds{{}, MilliCpu{1501}, {}};
  EXPECT_EQ(slice_properties(CgroupVersion::V2, {PodSetting::CpuLimit, bounds}).back(),
            (UnitProperty{"CPUQuotaPerSecUSec", 1'510'000}));
}

TEST(PodSlice, AQuotaThatNoMachineHasDoesNotOverflow) {
  const PodBounds bounds{{}, MilliCpu{std::numeric_limits<std::int64_t>::max()}, {}};
  const auto properties = slice_properties(CgroupVersion::V2, {PodSetting::CpuLimit, bounds});
  EXPECT_GT(properties.back().value, std::uint64_t{1} << 54);
  EXPECT_LT(properties.back().value, std::uint64_t{1} << 62);
  EXPECT_EQ(properties.back().value % 10'000, 0U);
}

TEST(PodSlice, WhatWasOnlyRoundedReadsAsAskedFor) {
  const auto read = [](std::int64_t quota, std::int64_t period) {
    return RuntimeResources{.cpu_quota_us = quota, .cpu_period_us = period};
  };
  EXPECT_EQ(as_requested(read(151'000, 100'000), 150'100), read(150'100, 100'000));
  EXPECT_EQ(as_requested(read(150'000, 100'000), 150'100), read(150'000, 100'000))
      << "less than asked";
  EXPECT_EQ(as_requested(read(152'000, 100'000), 150'100), read(152'000, 100'000))
      << "another writer";
  EXPECT_EQ(as_requested(read(151'000, 200'000), 150'100), read(151'000, 200'000))
      << "another period";
  EXPECT_EQ(as_requested(read(-1, 100'000), 150'100), read(-1, 100'000));
  EXPECT_EQ(as_requested(read(151'000, 100'000), 0), read(151'000, 100'000)) << "nothing was asked";
}

// So that a slice with what systemd made of a limit needs no step more.
TEST(PodSlice, EveryLimitReadsBackAsAllocated) {
  for (std::int64_t milli = 1; milli <= 20'000; ++milli) {
    policy::Requirements size;
    size.requests.cpu = {milli};
    size.limits.cpu = {milli};
    const std::int64_t asked = quota_for({milli});
    const RuntimeResources read{.cpu_quota_us = slice_quota(asked),
                                .cpu_period_us = kDefaultPeriodUs,
                                .cpu_weight = weight_for(shares_for({milli}))};
    ASSERT_TRUE(matches(size, as_requested(read, asked))) << milli << "m";
    ASSERT_GE(read.cpu_quota_us, asked);
    ASSERT_LT(read.cpu_quota_us - asked, 1'000);
  }
}

TEST(PodSlice, IsSetByItsName) {
  FakeSdBus bus;
  SystemUnits units(bus);
  const auto slice =
      CgroupPath::parse("/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podu_1.slice")
          .value();
  const SetPod step{PodSetting::CpuRequest, {{1000}, {}, {}}};
  ASSERT_TRUE(set_pod_slice(units, CgroupVersion::V2, slice, step).has_value());
  ASSERT_EQ(bus.calls.size(), 1U);
  EXPECT_TRUE(bus.calls.front().contains(" kubepods-burstable-podu_1.slice true "));

  const auto folder = CgroupPath::parse("/kubepods/podu-1").value();
  EXPECT_EQ(set_pod_slice(units, CgroupVersion::V2, folder, step).error().code, Code::Invalid);
  EXPECT_EQ(bus.calls.size(), 1U);
}

}  // namespace
}  // namespace elbowroom::cri

// Conversions, pod cgroups and the order of runtime calls, from actuation_cases.json.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "cri/convert.h"
#include "cri/pod_cgroup.h"
#include "policy/resize/actuate.h"
#include "test/checkout.h"

namespace elbowroom {
namespace {

using nlohmann::json;

const json& cases() {
  static const json parsed =
      json::parse(std::ifstream(std::string(test::kData) + "/tables/actuation_cases.json"));
  return parsed;
}

std::int64_t number(const json& row, const char* key) { return row.value(key, std::int64_t{0}); }

TEST(ConversionTable, MilliCpuToShares) {
  for (const json& row : cases()["conversions"]["milli_to_shares"]) {
    EXPECT_EQ(cri::shares_for({number(row, "milli")}), number(row, "shares")) << row;
  }
}

TEST(ConversionTable, MilliCpuToQuota) {
  for (const char* section : {"milli_to_quota_default_period", "milli_to_quota_other_period"}) {
    for (const json& row : cases()["conversions"][section]) {
      EXPECT_EQ(cri::quota_for({number(row, "milli")}, number(row, "period_us")),
                number(row, "quota_us"))
          << row;
    }
  }
}

TEST(ConversionTable, SharesAndQuotaBackToMilliCpu) {
  for (const json& row : cases()["conversions"]["shares_to_milli"]) {
    EXPECT_EQ(cri::request_of(number(row, "shares")).value, number(row, "milli")) << row;
  }
  for (const json& row : cases()["conversions"]["quota_to_milli"]) {
    EXPECT_EQ(cri::limit_of(number(row, "quota_us"), number(row, "period_us")).value,
              number(row, "milli"))
        << row;
  }
}

TEST(ConversionTable, SharesToWeightAndBackToTheSameWeight) {
  for (const json& row : cases()["conversions"]["shares_to_weight_cgroup2_classic"]) {
    const std::int64_t weight = cri::weight_for(number(row, "shares"));
    EXPECT_EQ(weight, number(row, "cpu_weight")) << row;
    EXPECT_EQ(cri::weight_for(cri::shares_of_weight(weight)), weight) << row;
  }
}

TEST(ConversionTable, TheConstantsAreThoseOfTheTable) {
  const json& constants = cases()["conversions"]["constants"];
  EXPECT_EQ(cri::kMinShares, constants["MinShares"]);
  EXPECT_EQ(cri::kMaxShares, constants["MaxShares"]);
  EXPECT_EQ(cri::kDefaultPeriodUs, constants["QuotaPeriod_us"]);
  EXPECT_EQ(cri::kMinQuotaUs, constants["MinQuotaPeriod_us"]);
}

policy::Qos qos_named(const std::string& name) {
  if (name == "Guaranteed") return policy::Qos::Guaranteed;
  return name == "Burstable" ? policy::Qos::Burstable : policy::Qos::BestEffort;
}

// The pod of a row: two containers that share its figures, the second without the limits that not
// all have.
policy::PodToActuate pod_of(const json& row) {
  policy::PodToActuate pod;
  pod.qos = qos_named(row["qos"]);
  const bool all_cpu = row.value("all_cpu_limits", pod.qos == policy::Qos::Guaranteed);
  const bool all_memory = row.value("all_memory_limits", pod.qos == policy::Qos::Guaranteed);
  for (const std::int64_t part : {0, 1}) {
    const auto half = [&](const char* key) { return (number(row, key) + part) / 2; };
    policy::ContainerToActuate c;
    c.name = part == 0 ? "a" : "b";
    c.allocated.requests.cpu.value = half("cpu_request_m");
    c.allocated.limits.cpu.value =
        all_cpu ? half("cpu_limit_m") : (part == 0 ? half("cpu_request_m") : 0);
    c.allocated.limits.memory.value = all_memory || part == 0 ? half("memory_limit") : 0;
    c.actuated = c.allocated;
    pod.containers.push_back(c);
  }
  return pod;
}

TEST(PodCgroupTable, SettingsByQualityOfService) {
  for (const json& row : cases()["pod_cgroup"]) {
    const policy::PodToActuate pod = pod_of(row);
    const cri::RuntimeResources got = cri::pod_settings(policy::allocated_bounds(pod));
    const json& want = row["expect"];
    const auto expected = [&](const char* key) {
      return want.contains(key) && want[key].is_number() ? want[key].get<std::int64_t>() : 0;
    };
    EXPECT_EQ(got.cpu_shares, expected("shares")) << row;
    EXPECT_EQ(got.cpu_quota_us, expected("quota_us")) << row;
    EXPECT_EQ(got.cpu_period_us, expected("period_us")) << row;
    EXPECT_EQ(got.memory_limit_bytes, expected("memory")) << row;
  }
}

// "pod quota up", "container a", ...: the words of the table for the steps of a plan.
std::vector<std::string> words_of(const policy::PodToActuate& pod) {
  const policy::PodBounds before = policy::actuated_bounds(pod);
  std::vector<std::string> words;
  for (const policy::ActuationStep& step : policy::plan_actuation(pod)) {
    if (const auto* update = std::get_if<policy::UpdateContainer>(&step)) {
      words.push_back("container " + update->name);
    } else if (const auto* set = std::get_if<policy::SetPod>(&step)) {
      using policy::PodSetting;
      if (set->setting == PodSetting::CpuRequest) {
        words.push_back(set->bounds.cpu_request > before.cpu_request ? "pod shares up"
                                                                     : "pod shares down");
      } else if (set->setting == PodSetting::CpuLimit) {
        words.push_back(set->bounds.cpu_limit > before.cpu_limit ? "pod quota up"
                                                                 : "pod quota down");
      } else {
        words.push_back(set->bounds.memory_limit > before.memory_limit ? "pod memory up"
                                                                       : "pod memory down");
      }
    }
  }
  return words;
}

policy::PodToActuate resized_pod(const json& row) {
  policy::PodToActuate pod;
  pod.qos = policy::Qos::Guaranteed;
  const std::string resource = row["resource"];
  for (const json& sizes : row["containers"]) {
    policy::ContainerToActuate c;
    c.name = sizes[0];
    c.is_running = true;
    for (auto [of, at] : {std::pair(&c.actuated, 1U), std::pair(&c.allocated, 2U)}) {
      policy::set_amount(of->requests, resource, sizes[at]);
      policy::set_amount(of->limits, resource, sizes[at]);
    }
    pod.containers.push_back(c);
  }
  return pod;
}

TEST(ActuationOrderTable, StepsComeInTheOrderOfTheTable) {
  std::size_t rows = 0;
  for (const json& row : cases()["actuation_order"]) {
    if (!row.contains("expect_steps")) continue;
    const policy::PodToActuate pod = resized_pod(row);
    EXPECT_EQ(words_of(pod), row["expect_steps"].get<std::vector<std::string>>()) << row;
    if (row.contains("pod_shares")) {
      EXPECT_EQ(cri::pod_settings(policy::actuated_bounds(pod)).cpu_shares, row["pod_shares"][0]);
      EXPECT_EQ(cri::pod_settings(policy::allocated_bounds(pod)).cpu_shares, row["pod_shares"][1]);
      EXPECT_EQ(cri::pod_settings(policy::actuated_bounds(pod)).cpu_quota_us, row["pod_limit"][0]);
      EXPECT_EQ(cri::pod_settings(policy::allocated_bounds(pod)).cpu_quota_us, row["pod_limit"][1]);
    }
    ++rows;
  }
  EXPECT_EQ(rows, 2U);
}

TEST(ActuationOrderTable, AMemoryCallCarriesThePresentCpuAndACpuCallTheMemoryOfThen) {
  const json* found = nullptr;
  for (const json& row : cases()["actuation_order"]) {
    if (row.contains("current")) found = &row;
  }
  ASSERT_NE(found, nullptr);
  const auto sized = [&](const json& figures) {
    policy::Requirements size;
    size.requests.cpu.value = size.limits.cpu.value = number(figures, "cpu_m");
    size.requests.memory.value = size.limits.memory.value = number(figures, "memory");
    return size;
  };
  policy::PodToActuate pod;
  pod.qos = policy::Qos::Guaranteed;
  policy::ContainerToActuate c;
  c.name = "app";
  c.is_running = true;
  c.actuated = sized((*found)["current"]);
  c.allocated = sized((*found)["desired"]);
  pod.containers.push_back(c);

  std::vector<policy::UpdateContainer> calls;
  for (const policy::ActuationStep& step : policy::plan_actuation(pod)) {
    if (const auto* call = std::get_if<policy::UpdateContainer>(&step)) calls.push_back(*call);
  }
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0].after, sized((*found)["expect"]["first_cri_call"]));
  EXPECT_EQ(calls[1].after, sized((*found)["expect"]["second_cri_call"]));
  EXPECT_EQ(calls[1].before, calls[0].after);
}

}  // namespace
}  // namespace elbowroom

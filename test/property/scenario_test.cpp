// Properties of whole runs: random resizes on one node that grows and shrinks, in virtual time.
#include "cli/scenario/scenario.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>

#include "cli/scenario/scenario_run.h"
#include "policy/model/charge.h"

namespace elbowroom::cli {
namespace {

using std::chrono::seconds;

constexpr std::int64_t kAllocatable = 8000;  // millicores
constexpr int kPods = 4;

lab::Json object_of(const std::string& kind, const std::string& name) {
  lab::Json metadata = {{"name", name}, {"uid", kind == "Pod" ? "default/" + name : name}};
  if (kind == "Pod") metadata["namespace"] = "default";
  return {{"apiVersion", "v1"}, {"kind", kind}, {"metadata", metadata}};
}

std::string cpu(std::int64_t milli) { return std::to_string(milli) + "m"; }

std::vector<Value> random_objects() {
  lab::Json node = object_of("Node", "n");
  node["status"]["allocatable"] = {{"cpu", cpu(kAllocatable)}, {"memory", "8Gi"}, {"pods", "110"}};
  std::vector<Value> objects = {lab::to_value(node)};
  for (int i = 0; i < kPods; ++i) {
    lab::Json pod = object_of("Pod", "p" + std::to_string(i));
    pod["spec"] = {
        {"nodeName", "n"},
        {"priority", *rc::gen::inRange(0, 3)},
        {"containers",
         lab::Json::array(
             {{{"name", "app"},
               {"resources",
                {{"requests",
                  {{"cpu", cpu(*rc::gen::inRange(1, 4) * 500)}, {"memory", "1Gi"}}}}}}})}};
    objects.push_back(lab::to_value(pod));
  }
  return objects;
}

std::vector<Step> random_steps() {
  std::vector<Step> steps;
  const int count = *rc::gen::inRange(1, 12);
  for (int i = 0; i < count; ++i) {
    Step step{.at = seconds(10 * (i + 1)), .place = "steps[" + std::to_string(i) + "]"};
    const ObjectName pod{"default", "p" + std::to_string(*rc::gen::inRange(0, kPods))};
    if (*rc::gen::inRange(0, 6) == 0) {
      step.what = PatchStep{
          .kind = lab::find_kind("", "v1", "nodes"),
          .name = {"", "n"},
          .merge = {
              {"status",
               {{"allocatable", {{"cpu", cpu(*rc::gen::inRange<std::int64_t>(12, 17) * 500)}}}}}}};
    } else {
      step.what = ResizeStep{
          pod,
          {{"app", {{"requests", {{"cpu", cpu(*rc::gen::inRange<std::int64_t>(1, 18) * 500)}}}}}}};
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

Scenario with_restarts(const Scenario& scenario) {
  Scenario cut = scenario;
  cut.steps.clear();
  for (const Step& step : scenario.steps) {
    cut.steps.push_back(step);
    if (!*rc::gen::arbitrary<bool>()) continue;
    // At once, or later.
    cut.steps.push_back({.at = step.at + seconds(*rc::gen::inRange(0, 9)),
                         .place = "restart",
                         .what = RestartStep{"n"}});
  }
  return cut;
}

TEST(ScenarioProperty, RestartsChangeNoSize) {
  EXPECT_TRUE(rc::check([] {
    const std::vector<Value> objects = random_objects();
    const Scenario whole{.name = "whole", .steps = random_steps()};
    const auto one = play(whole, objects, {});
    const auto other = play(with_restarts(whole), objects, {});
    RC_ASSERT(one.has_value());
    RC_ASSERT(other.has_value());
    RC_ASSERT(one->timeline.pods.size() == other->timeline.pods.size());
    for (std::size_t i = 0; i < one->timeline.pods.size(); ++i) {
      const policy::Totals a = policy::totals_of(one->timeline.pods[i]);
      const policy::Totals b = policy::totals_of(other->timeline.pods[i]);
      RC_ASSERT(a.desired == b.desired);
      RC_ASSERT(a.allocated == b.allocated);
      RC_ASSERT(a.actual == b.actual);
    }
  }));
}

// Whatever was requested: allocated sizes are actual, and nothing that fits is pending.
TEST(ScenarioProperty, AtTheEndEverythingIsActualOrHasAReason) {
  EXPECT_TRUE(rc::check([] {
    const Scenario scenario{.name = "s", .steps = random_steps()};
    const auto played = play(scenario, random_objects(), {});
    RC_ASSERT(played.has_value());
    for (const policy::Pod& pod : played->timeline.pods) {
      const policy::Totals totals = policy::totals_of(pod);
      RC_ASSERT(totals.allocated == totals.actual);
      RC_ASSERT(policy::find_condition(pod.conditions, policy::kPodResizeInProgress) == nullptr);
      const bool waits = policy::has_true(pod.conditions, policy::kPodResizePending);
      RC_ASSERT(waits == (totals.desired != totals.allocated));
    }
  }));
}

TEST(ScenarioProperty, TheSameTwiceIsTheSame) {
  EXPECT_TRUE(rc::check([] {
    const std::vector<Value> objects = random_objects();
    const Scenario scenario{.name = "s", .steps = random_steps()};
    const auto one = play(scenario, objects, {});
    const auto two = play(scenario, objects, {});
    RC_ASSERT(one.has_value() && two.has_value());
    RC_ASSERT(printed(one->timeline, OutputFormat::Json) ==
              printed(two->timeline, OutputFormat::Json));
  }));
}

}  // namespace
}  // namespace elbowroom::cli

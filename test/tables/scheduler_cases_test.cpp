// The other published cases about room for resizes (scheduler_cases.json: accounting, e2e,
// scenario, one of eligibility), and a check that every published case is tested somewhere or has a
// reason why not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "policy/model/charge.h"
#include "policy/preemption/resize_preemption.h"
#include "test/checkout.h"
#include "test/pods.h"
#include "test/unit/cli/command_line.h"

namespace elbowroom {
namespace {

using Json = nlohmann::json;
using policy::Pod;
using policy::RuleSet;
using test::amounts;

std::vector<Json> cases_of(const std::string& area) {
  std::ifstream in(std::string(test::kData) + "/tables/scheduler_cases.json");
  const Json file = Json::parse(in);
  std::vector<Json> rows;
  for (const Json& row : file.at("cases")) {
    if (area.empty() || row.at("area") == area) rows.push_back(row);
  }
  return rows;
}

Json case_of(const std::string& id) {
  for (const Json& row : cases_of("")) {
    if (row.at("id") == id) return row;
  }
  return {};
}

policy::Resources in_mi(const Json& of) {
  return amounts(of.at("cpu_m"), of.at("memMi").get<std::int64_t>() * test::kMi);
}

// ---- charges ----

TEST(AccountingCases, SumsOfSeveralContainers) {
  const Json row = case_of("dps.multi_container");
  Pod pod = test::running_pod("p", 0);
  pod.containers.clear();
  for (const Json& each : row.at("containers")) {
    policy::Container container;
    container.name = "c" + std::to_string(pod.containers.size());
    container.desired.requests = in_mi(each.at("spec"));
    container.allocated_requests = container.actual_requests = in_mi(each.at("alloc"));
    container.state = policy::RunState::Running;
    pod.containers.push_back(container);
  }
  const policy::Totals totals = policy::totals_of(pod);
  const Json& expected = row.at("expect");
  EXPECT_EQ(totals.desired, in_mi(expected.at("desired")));
  EXPECT_EQ(totals.allocated, in_mi(expected.at("allocated")));
  const policy::Resources delta = in_mi(expected.at("delta"));
  EXPECT_EQ(totals.desired.cpu.value - totals.allocated.cpu.value, delta.cpu.value);
  EXPECT_EQ(totals.desired.memory.value - totals.allocated.memory.value, delta.memory.value);
}

TEST(AccountingCases, AResizeThatIsTakenBackCostsNothing) {
  const Json row = case_of("dps.cancel");
  Pod pod = test::running_pod("p", row.at("before").at("alloc_cpu_m"));
  pod = test::resized(std::move(pod), row["before"].at("spec_cpu_m"));
  EXPECT_EQ(policy::cluster_charge(pod).cpu.value,
            row.at("expect").at("requestedBefore_cpu_m").get<std::int64_t>());
  pod = test::resized(std::move(pod), row.at("after").at("spec_cpu_m"));
  EXPECT_EQ(policy::cluster_charge(pod).cpu.value,
            row["expect"].at("requestedAfter_cpu_m").get<std::int64_t>());
}

TEST(AccountingCases, Charges) {
  int rows = 0;
  for (const Json& row : cases_of("accounting")) {
    if (!row.contains("specSum")) continue;
    ++rows;
    Pod pod = test::running_pod("p", row.at("allocSum"));
    pod.containers[0].desired.requests = amounts(row["specSum"]);
    pod.containers[0].actual_requests = amounts(row.at("actualSum"));
    if (row.at("resize").is_string()) {
      pod.conditions.push_back({.type = std::string(policy::kPodResizePending),
                                .status = "True",
                                .reason = row["resize"].get<std::string>()});
    }
    const Json& expected = row.at("expect");
    EXPECT_EQ(policy::cluster_charge(pod).cpu.value,
              expected.at("cluster_charge_cpu_m").get<std::int64_t>())
        << row.at("id");
    EXPECT_EQ(policy::held_charge(pod).cpu.value,
              expected.at("held_charge_cpu_m").get<std::int64_t>())
        << row.at("id");
  }
  EXPECT_EQ(rows, 2);
}

// ---- eligibility ----

// The case names the pods on the node; here they have sizes, so that eligibility has a meaning.
TEST(EligibilityCases, ADeferredPodWaitsForWhoWasAskedToGo) {
  const Json row = case_of("eligible.deferred_alpha");
  const policy::Node node = test::node(2000, test::kGi, row.at("preemptor").at("node"));
  std::vector<Pod> pods;
  Pod victim =
      test::running_pod(row.at("pods").at(0).at("name"), 1000, 0, row["pods"][0].at("priority"));
  victim.deletion = policy::Time{std::chrono::seconds(1030)};
  victim.deletion_grace_seconds = 30;
  victim.conditions.push_back({.type = std::string(policy::kDisruptionTarget),
                               .status = row["pods"][0].at("disruptionTarget").at("status"),
                               .reason = row["pods"][0]["disruptionTarget"].at("reason")});
  pods.push_back(victim);
  Pod preemptor =
      test::running_pod(row["preemptor"].at("name"), 1000, 0, row["preemptor"].at("priority"));
  preemptor.conditions.push_back({.type = std::string(policy::kPodResizePending),
                                  .status = "True",
                                  .reason = row["preemptor"].at("resize").get<std::string>()});
  pods.push_back(test::resized(std::move(preemptor), 2000));
  for (Pod& each : pods) each.node = node.name;
  for (const RuleSet rules : {RuleSet::Elbowroom, RuleSet::Upstream}) {
    const auto plan =
        policy::plan_resize_preemption({.node = node,
                                        .pods = pods,
                                        .nominated = {},
                                        .budgets = {},
                                        .lapsed = {},
                                        .rules = rules,
                                        .now = policy::Time{std::chrono::seconds(1000)}},
                                       pods.back().uid);
    const char* key = rules == RuleSet::Upstream ? "expect_upstream" : "expect";
    EXPECT_EQ(plan.outcome == policy::PreemptionOutcome::Preempt,
              row.at(key).at("eligible").get<bool>())
        << key << ": " << plan.message.full();
  }
}

// ---- upstream's end-to-end figures, in virtual time ----

constexpr std::int64_t kFree = 10'000;  // millicores, and Mi

std::string share(const std::string& resource, int percent) {
  const std::int64_t amount = kFree * percent / 100;
  return std::to_string(amount) + (resource == "cpu" ? "m" : "Mi");
}

struct Sized {
  std::string name;
  int percent;
};

Json pod_object(const std::string& name, int priority, const std::string& resource,
                const std::vector<Sized>& containers) {
  Json object = Json::parse(R"({"apiVersion": "v1", "kind": "Pod",
      "spec": {"nodeName": "node1", "terminationGracePeriodSeconds": 0, "containers": []}})");
  object["metadata"] = {{"name", name}, {"namespace", "default"}};
  object["spec"]["priority"] = priority;
  for (const Sized& each : containers) {
    object["spec"]["containers"].push_back(
        {{"name", each.name},
         {"resources", {{"requests", {{resource, share(resource, each.percent)}}}}}});
  }
  return object;
}

// Plays it with agents and a scheduler; returns the timeline. The resize is requested at 0s.
Json played(const std::string& resource, const std::vector<Json>& pods, int resized_to) {
  Json scenario = Json::parse(R"({"apiVersion": "elbowroom.dev/v1alpha1", "kind": "Scenario",
      "metadata": {"name": "e2e"}, "spec": {"agents": "authority", "scheduler": "resize"}})");
  Json& spec = scenario["spec"];
  spec["objects"] = pods;
  spec["objects"].push_back(
      {{"apiVersion", "v1"},
       {"kind", "Node"},
       {"metadata", {{"name", "node1"}}},
       {"status",
        {{"allocatable", {{"cpu", share("cpu", 100)}, {"memory", share("memory", 100)}}}}}});
  spec["steps"] = {
      {{"at", "0s"},
       {"resize",
        {{"pod", "default/high"},
         {"containers", {{"c1", {{"requests", {{resource, share(resource, resized_to)}}}}}}}}}}};
  const cli::Folder folder;
  const cli::Outcome outcome =
      cli::run({"simulate", "run", folder.file("e2e.json", scenario.dump()), "-o", "json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return Json::parse(outcome.out, nullptr, false);
}

// The deleted pods, each with its time; times are whole seconds here.
std::map<std::string, std::string> deleted(const Json& timeline) {
  std::map<std::string, std::string> when;
  for (const Json& event : timeline.at("events")) {
    if (event.at("action") == "Deleted") when[event.at("pod")] = event.at("at");
  }
  return when;
}

// The resize was carried out, and nothing was restarted: it was the same pod all the time.
void expect_resized(const Json& timeline) {
  for (const Json& pod : timeline.at("final").at("pods")) {
    if (pod.at("pod") != "default/high") continue;
    EXPECT_EQ(pod.at("requests").at("allocated"), pod["requests"].at("desired"));
    EXPECT_EQ(pod["requests"].at("actual"), pod["requests"]["desired"]);
    EXPECT_TRUE(pod.at("conditions").empty()) << pod;
    return;
  }
  ADD_FAILURE() << "default/high is gone";
}

TEST(EndToEndCases, OneLowPodGoesForCpuAndForMemory) {
  for (const char* id : {"e2e.cpu", "e2e.memory"}) {
    const Json row = case_of(id);
    const std::string resource = row.contains("percentOfFreeCpu") ? "cpu" : "memory";
    const Json& of = resource == "cpu" ? row["percentOfFreeCpu"] : row.at("percentOfFreeMem");
    const Json timeline =
        played(resource,
               {pod_object("victim", 100, resource, {{"c1", of.at("victim")}}),
                pod_object("high", 1000, resource, {{"c1", of.at("highInitial")}})},
               of.at("highResized"));
    EXPECT_EQ(deleted(timeline), (std::map<std::string, std::string>{{"default/victim", "0s"}}))
        << id;
    expect_resized(timeline);
  }
}

TEST(EndToEndCases, OneOfTwoGoesForOneContainer) {
  const Json row = case_of("e2e.multi");
  const Json& of = row.at("percentOfFreeCpu");
  const Json timeline =
      played("cpu",
             {pod_object("victim-1", 100, "cpu", {{"c1", of.at("victim1")}}),
              pod_object("victim-2", 100, "cpu", {{"c1", of.at("victim2")}}),
              pod_object("high", 1000, "cpu", {{"c1", of.at("c1")}, {"c2", of.at("c2")}})},
             of.at("c1Resized"));
  EXPECT_EQ(deleted(timeline).size(), row.at("expect").at("evictedCount").get<std::size_t>());
  expect_resized(timeline);
}

// ---- whole scenarios ----

TEST(ScenarioCases, EveryExpectationHolds) {
  const cli::Folder folder;
  const std::vector<Json> rows = cases_of("scenario");
  ASSERT_EQ(rows.size(), 4U);
  for (const Json& row : rows) {
    const Json& scenario = row.at("scenario");
    const cli::Outcome outcome =
        cli::run({"simulate", "run", folder.file("scenario.json", scenario.dump())});
    EXPECT_EQ(outcome.status, 0) << row.at("id") << outcome.out << outcome.err;
    const std::string all = std::to_string(scenario.at("spec").at("expect").size());
    EXPECT_THAT(outcome.out, testing::HasSubstr("expectations: " + all + " of " + all + " hold"));
  }
}

// ---- all of them ----

// Where the cases of an area are asked; "upstream's" for those about upstream's inside, which has
// no like here.
const std::map<std::string, std::map<std::string, std::string>>& places() {
  static const std::map<std::string, std::map<std::string, std::string>> all = {
      {"accounting", {{"", "here"}}},
      {"deferred", {{"", "preemption_test"}}},
      {"deferred_queue", {{"", "deferred_queue_test"}}},
      {"deferred_sequence", {{"", "deferred_queue_test"}}},
      {"dry_run", {{"", "placement_test"}}},
      {"e2e", {{"", "here"}}},
      {"eligibility", {{"", "placement_test"}, {"eligible.deferred_alpha", "here"}}},
      {"failure_handler", {{"", "deferred_queue_test"}, {"failure.bound", "pending_cases_test"}}},
      {"fit", {{"", "upstream's"}}},
      {"importance", {{"", "preemption_test"}}},
      {"late", {{"", "placement_test"}}},
      {"nominated", {{"", "placement_test"}}},
      {"outranked", {{"", "placement_test"}}},
      {"pdb_selector", {{"", "preemption_test"}}},
      {"pick_node", {{"", "placement_test"}}},
      {"plugin", {{"", "upstream's"}}},
      {"pod_group", {{"", "group_cases_test"}}},
      {"pod_group_nomination", {{"", "group_cases_test"}}},
      {"post_filter", {{"", "placement_test"}}},
      {"pre_enqueue", {{"", "upstream's"}}},
      {"queue",
       {{"", "deferred_queue_test"},
        {"queue.backoff_group", "queue_test"},
        {"it.126700", "pending_cases_test"}}},
      {"scenario", {{"", "here"}}},
      {"seed_example", {{"", "placement_test"}}},
  };
  return all;
}

TEST(PublishedCases, EachIsAskedOrHasAReasonWhyNot) {
  std::map<std::string, int> count;
  for (const Json& row : cases_of("")) {
    const auto area = places().find(row.at("area").get<std::string>());
    ASSERT_NE(area, places().end()) << row.at("area") << " is asked nowhere";
    const auto own = area->second.find(row.at("id").get<std::string>());
    const std::string& place = own == area->second.end() ? area->second.at("") : own->second;
    ++count[place];
    // What is upstream's only has no expectation by our rules.
    if (place == "upstream's") {
      EXPECT_FALSE(row.contains("expect")) << row.at("id");
    }
  }
  // A case more is a case to be asked.
  EXPECT_EQ(count, (std::map<std::string, int>{{"deferred_queue_test", 13},
                                               {"group_cases_test", 20},
                                               {"here", 12},
                                               {"pending_cases_test", 2},
                                               {"placement_test", 34},
                                               {"preemption_test", 15},
                                               {"queue_test", 1},
                                               {"upstream's", 21}}));
}

}  // namespace
}  // namespace elbowroom

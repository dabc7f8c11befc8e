// The published cases about room for resizes, at the level of policy: scheduler_cases.json
// (deferred, importance, pdb_selector) and kubelet_cases.json (critical_preemption, preemptable),
// each with both rule sets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "policy/model/charge.h"
#include "policy/model/importance.h"
#include "policy/preemption/budget_charge.h"
#include "policy/preemption/critical.h"
#include "policy/preemption/fit.h"
#include "policy/preemption/resize_preemption.h"
#include "policy/resize/resize.h"
#include "test/checkout.h"

namespace elbowroom::policy {
namespace {

using Json = nlohmann::json;

Json load(const std::string& file) {
  std::ifstream in(std::string(test::kData) + "/tables/" + file);
  return Json::parse(in);
}

Resources amounts(const Json& of) {
  Resources made;
  made.cpu.value = of.value("cpu_m", std::int64_t{0});
  made.memory.value = of.value("mem", of.value("memory_bytes", std::int64_t{0}));
  return made;
}

Pod pod_of(const Json& row) {
  Pod pod;
  pod.ns = row.value("ns", "default");
  pod.name = row.at("name");
  pod.uid = row.value("uid", pod.name);
  pod.node = row.value("node", "");
  pod.phase = Phase::Running;
  pod.generation = 1;
  if (row.contains("priority") && !row["priority"].is_null()) pod.priority = row["priority"];
  if (row.contains("start")) {
    pod.started = Time{std::chrono::seconds(row["start"].get<std::int64_t>())};
  }
  if (row.value("preemptionPolicy", "") == "Never") {
    pod.preemption_policy = PreemptionPolicy::Never;
  }
  const Json labels = row.value("labels", Json::object());
  for (const auto& [key, value] : labels.items()) pod.labels[key] = value;
  if (row.contains("resize")) {
    pod.conditions.push_back({.type = std::string(kPodResizePending),
                              .status = "True",
                              .reason = row["resize"].get<std::string>()});
  }
  Container app;
  app.name = "app";
  app.desired.requests = amounts(row);
  app.allocated_requests = app.actual_requests =
      row.contains("allocated") ? amounts(row["allocated"]) : app.desired.requests;
  app.state = RunState::Running;
  pod.containers.push_back(app);
  return pod;
}

Node node_of(const Json& row) {
  Node node;
  node.name = row.at("name");
  node.allocatable = amounts(row);
  node.allowed_pods = row.value("pods", kMaxAmount);
  for (const auto& owner : row.value("disableResizePreemption", Json::array())) {
    node.resize_preemption_owners.push_back(owner);
  }
  return node;
}

struct Answer {
  std::string verdict;
  std::string outcome;
  std::set<std::string> evicted;
};

Answer ask(const Json& row, RuleSet rules) {
  std::vector<Pod> pods;
  for (const Json& each : row.at("pods")) pods.push_back(pod_of(each));
  pods.push_back(pod_of(row.at("preemptor")));
  const Pod& preemptor = pods.back();
  const Node node = node_of(row.at("nodes").at(0));

  Answer answer;
  const ResizeDecision decision =
      decide_resize(node, preemptor, held_by_others(pods, preemptor.uid), {});
  answer.verdict = to_string(decision.verdict);
  // By upstream's rules the victims are chosen whatever our verdict: the node said Deferred.
  if (decision.verdict != Verdict::Deferred && rules == RuleSet::Elbowroom) {
    answer.outcome = "NotNeeded";
    return answer;
  }
  const Budgets budgets;
  const OverduePods lapsed;
  const ResizePreemption plan = plan_resize_preemption({.node = node,
                                                        .pods = pods,
                                                        .nominated = {},
                                                        .budgets = budgets,
                                                        .lapsed = lapsed,
                                                        .rules = rules},
                                                       preemptor.uid);
  answer.outcome = to_string(plan.outcome);
  for (const ChosenVictim& victim : plan.victims) answer.evicted.insert(victim.pod->name);
  return answer;
}

void expect(const Json& row, const Json& expected, RuleSet rules) {
  const Answer got = ask(row, rules);
  const std::string name = row.at("id");
  if (rules == RuleSet::Elbowroom && expected.contains("verdict")) {
    EXPECT_EQ(got.verdict, expected["verdict"].get<std::string>()) << name;
  }
  if (expected.contains("outcome")) {
    EXPECT_EQ(got.outcome, expected["outcome"].get<std::string>()) << name;
  }
  EXPECT_EQ(got.evicted, expected.at("evicted").get<std::set<std::string>>()) << name;
}

TEST(DeferredCases, ByBothRuleSets) {
  int rows = 0;
  const Json file = load("scheduler_cases.json");
  for (const Json& row : file.at("cases")) {
    if (row.at("area") != "deferred") continue;
    ++rows;
    expect(row, row.at("expect"), RuleSet::Elbowroom);
    expect(row, row.contains("expect_upstream") ? row["expect_upstream"] : row["expect"],
           RuleSet::Upstream);
  }
  EXPECT_GE(rows, 7);
}

UnitRank unit_in_words(const Json& of, const char* uid) {
  UnitRank unit{.priority = of.at("prio"), .uid = uid};
  unit.is_group = of.value("type", "Pod") == "PodGroup";
  unit.members = of.value("size", std::int64_t{1});
  if (of.contains("start")) {
    unit.started = Time{std::chrono::seconds(of["start"].get<std::int64_t>())};
  }
  return unit;
}

TEST(ImportanceCases, FirstMoreImportant) {
  int rows = 0;
  const Json file = load("scheduler_cases.json");
  for (const Json& row : file.at("cases")) {
    if (row.at("area") != "importance") continue;
    const UnitRank a = unit_in_words(row.at("a"), "a");
    const UnitRank b = unit_in_words(row.at("b"), "b");
    for (const RuleSet rules : {RuleSet::Elbowroom, RuleSet::Upstream}) {
      const bool own = rules == RuleSet::Upstream && row.contains("expect_upstream");
      if (!own && !row.contains("expect")) continue;
      ++rows;
      EXPECT_EQ(importance_of(a, rules) < importance_of(b, rules),
                row[own ? "expect_upstream" : "expect"].at("firstMoreImportant").get<bool>())
          << row.at("id");
    }
  }
  EXPECT_GE(rows, 10);
}

TEST(BudgetCases, Selectors) {
  int rows = 0;
  const Json file = load("scheduler_cases.json");
  for (const Json& row : file.at("cases")) {
    if (row.at("area") != "pdb_selector") continue;
    ++rows;
    PodDisruptionBudget budget;
    budget.selector = LabelSelector{};
    const Json selector = row.at("selector");
    for (const auto& [key, value] : selector.items()) {
      if (value == "!exists") {
        budget.selector->expressions.push_back({key, LabelOperator::DoesNotExist, {}});
      } else {
        budget.selector->match_labels[key] = value;
      }
    }
    Pod pod;
    pod.labels = row.at("podLabels").get<Labels>();
    const Budgets budgets{.upstream = {budget}};
    for (const RuleSet rules : {RuleSet::Elbowroom, RuleSet::Upstream}) {
      EXPECT_EQ(violating({&pod}, budgets, rules, {}).at(0).any > 0,
                row.at("expect").at("violatesWhenAllowedZero").get<bool>())
          << row.at("id");
    }
  }
  EXPECT_GE(rows, 2);
}

// ---- the node's own victims ----

Pod critical_case_pod(const Json& row) {
  Pod pod = pod_of(row);
  pod.qos_in_status = row.at("qos") == "Guaranteed"  ? Qos::Guaranteed
                      : row.at("qos") == "Burstable" ? Qos::Burstable
                                                     : Qos::BestEffort;
  return pod;
}

Resources needs_of(const Json& insufficient) {
  Resources needs;
  if (insufficient.is_object()) {
    needs = amounts(insufficient);
    set_amount(needs, kPodCount, insufficient.value("pods", std::int64_t{0}));
    return needs;
  }
  for (const Json& each : insufficient) {
    set_amount(needs, each.at("resource").get<std::string>(), each.at("quantity"));
  }
  return needs;
}

std::optional<std::vector<std::string>> victims(const Pod& preemptor, const std::vector<Pod>& pods,
                                                const Resources& needs) {
  std::vector<Removable> candidates;
  for (const Pod& pod : pods) {
    if (!preemptable(preemptor, pod)) continue;
    Resources held = held_charge(pod);
    set_amount(held, kPodCount, 1);
    candidates.push_back({&pod, held});
  }
  const auto chosen = critical_victims(candidates, needs);
  if (!chosen) return std::nullopt;
  std::vector<std::string> names;
  for (const Unit<Pod>& unit : *chosen) names.push_back(unit.pod->name);
  return names;
}

TEST(CriticalCases, VictimSelection) {
  const Json section = load("kubelet_cases.json").at("critical_preemption");
  const Json& templates = section.at("test_pods");
  int rows = 0;
  for (const Json& row : section.at("victim_selection")) {
    if (row.contains("kill_function_fails")) continue;  // nothing to choose
    ++rows;
    std::vector<Pod> pods;
    for (const Json& name : row.value("running_pods", Json::array())) {
      pods.push_back(critical_case_pod(templates.at(name.get<std::string>())));
    }
    const auto repeated = row.value("running_pods_repeat", Json::object());
    for (const auto& [name, count] : repeated.items()) {
      for (int i = 0; i < count.get<int>(); ++i) {
        pods.push_back(critical_case_pod(templates.at(name)));
        pods.back().uid += std::to_string(i);
      }
    }
    const Pod preemptor = critical_case_pod(templates.at(row["preemptor"].get<std::string>()));
    const auto got = victims(preemptor, pods, needs_of(row["insufficient"]));
    const Json& expected = row.at("expect");
    if (expected.contains("victims_in_kill_order") &&
        !expected["victims_in_kill_order"].is_null()) {
      ASSERT_TRUE(got) << row.at("name");
      EXPECT_EQ(*got, expected["victims_in_kill_order"].get<std::vector<std::string>>())
          << row.at("name");
    } else {
      EXPECT_FALSE(got) << row.at("name");
    }
  }
  EXPECT_GE(rows, 8);
}

TEST(CriticalCases, TieBreaks) {
  const Json section = load("kubelet_cases.json").at("critical_preemption");
  const Pod preemptor = critical_case_pod(section.at("test_pods").at("cluster-critical"));
  for (const Json& row : section.at("tie_breaks")) {
    std::vector<Pod> pods;
    for (const Json& each : row.at("running_pods")) pods.push_back(critical_case_pod(each));
    auto got = victims(preemptor, pods, needs_of(row.at("insufficient")));
    ASSERT_TRUE(got) << row.at("name");
    const Json& expected = row.at("expect");
    if (expected.contains("one_of")) {
      EXPECT_EQ(got->size(), 1U);
      std::ranges::reverse(pods);
      EXPECT_EQ(*got, *victims(preemptor, pods, needs_of(row.at("insufficient"))));
    } else {
      EXPECT_EQ(*got, expected["victims_in_kill_order"].get<std::vector<std::string>>())
          << row.at("name");
    }
  }
}

TEST(CriticalCases, WhoIsCritical) {
  int rows = 0;
  const Json file = load("kubelet_cases.json");
  for (const Json& row : file.at("critical_definition")) {
    ++rows;
    Pod pod;
    if (row.contains("priority") && !row["priority"].is_null()) pod.priority = row["priority"];
    pod.is_mirror = row.contains("annotation");
    EXPECT_EQ(is_critical(pod), row.at("critical").get<bool>()) << row.at("name");
  }
  EXPECT_GE(rows, 4);
}

// "critical 2000000000", "not critical 10", "critical, no priority (static)".
Pod pod_in_words(const std::string& words) {
  Pod pod;
  pod.is_static = words.ends_with("(static)");
  const std::size_t digits = words.find_first_of("0123456789");
  if (digits != std::string::npos) pod.priority = std::stoi(words.substr(digits));
  EXPECT_EQ(is_critical(pod), words.starts_with("critical")) << words;
  return pod;
}

TEST(CriticalCases, WhoMayRemoveWhom) {
  int rows = 0;
  const Json file = load("kubelet_cases.json");
  for (const Json& row : file.at("preemptable")) {
    ++rows;
    EXPECT_EQ(preemptable(pod_in_words(row.at("preemptor")), pod_in_words(row.at("victim"))),
              row.at("expect").get<bool>())
        << row.at("name");
  }
  EXPECT_GE(rows, 3);
}

TEST(CriticalCases, DistanceIsZeroWhenCovered) {
  EXPECT_EQ(distance(amounts({{"cpu_m", 50}, {"mem", 5}}), amounts({{"cpu_m", 100}, {"mem", 9}})),
            Distance{});
  EXPECT_GT(distance(amounts({{"cpu_m", 200}}), amounts({{"cpu_m", 50}})),
            distance(amounts({{"cpu_m", 200}}), amounts({{"cpu_m", 100}})));
  EXPECT_GT(distance(amounts({{"cpu_m", kMaxAmount}}), Resources{}), Distance{});
}

}  // namespace
}  // namespace elbowroom::policy

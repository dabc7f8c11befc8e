// The published cases about room for resizes, at the level of policy: scheduler_cases.json
// (deferred, importance, pdb_selector) and kubelet_cases.json (critical_preemption, preemptable),
// each by the default rules and, where it says so, by upstream's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "policy/charge.h"
#include "policy/critical.h"
#include "policy/importance.h"
#include "policy/resize.h"
#include "policy/resize_preemption.h"

namespace elbowroom::policy {
namespace {

using Json = nlohmann::json;

Json load(const std::string& file) {
  std::ifstream in(std::string(TEST_DATA) + "/tables/" + file);
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
  node.allowed_pods = row.value("pods", 0);
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
  if (decision.verdict != Verdict::Deferred) {
    answer.outcome = "NotNeeded";
    return answer;
  }
  const Budgets budgets;
  const Lapsed lapsed;
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
    // Upstream's choice is asked only where our verdict lets anybody be removed.
    const bool deferred = row["expect"].at("verdict") == "Deferred";
    if (row.contains("expect_upstream") && deferred) {
      expect(row, row["expect_upstream"], RuleSet::Upstream);
    }
  }
  EXPECT_GE(rows, 7);
}

TEST(ImportanceCases, FirstMoreImportant) {
  int rows = 0;
  const Json file = load("scheduler_cases.json");
  for (const Json& row : file.at("cases")) {
    if (row.at("area") != "importance" || !row.contains("expect")) continue;
    if (row["a"].value("type", "Pod") != "Pod" || row["b"].value("type", "Pod") != "Pod") continue;
    ++rows;
    const auto pod = [](const Json& of, const char* name) {
      Json full = of;
      full["name"] = name;
      full["priority"] = of.at("prio");
      return pod_of(full);
    };
    for (const RuleSet rules : {RuleSet::Elbowroom, RuleSet::Upstream}) {
      EXPECT_EQ(importance_of(pod(row["a"], "a"), rules) < importance_of(pod(row["b"], "b"), rules),
                row["expect"]["firstMoreImportant"].get<bool>())
          << row.at("id");
    }
  }
  EXPECT_GE(rows, 3);
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
  if (insufficient.is_object()) return amounts(insufficient);
  Resources needs;
  for (const Json& each : insufficient) {
    if (each.at("resource") != "pods") {
      set_amount(needs, each["resource"].get<std::string>(), each["quantity"]);
    }
  }
  return needs;
}

bool names_pods(const Json& insufficient) {
  if (insufficient.is_object()) return insufficient.value("pods", 0) != 0;
  return std::ranges::any_of(insufficient,
                             [](const Json& each) { return each.at("resource") == "pods"; });
}

std::optional<std::vector<std::string>> victims(const Pod& preemptor, const std::vector<Pod>& pods,
                                                const Resources& needs) {
  std::vector<Removable> candidates;
  for (const Pod& pod : pods) {
    if (preemptable(preemptor, pod)) candidates.push_back({&pod, held_charge(pod)});
  }
  const auto chosen = critical_victims(candidates, needs);
  if (!chosen) return std::nullopt;
  std::vector<std::string> names;
  for (const Pod* pod : *chosen) names.push_back(pod->name);
  return names;
}

TEST(CriticalCases, VictimSelection) {
  const Json section = load("kubelet_cases.json").at("critical_preemption");
  const Json& templates = section.at("test_pods");
  int rows = 0;
  for (const Json& row : section.at("victim_selection")) {
    // A resize never lacks pod slots.
    if (names_pods(row.at("insufficient")) || row.contains("kill_function_fails")) continue;
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
  EXPECT_GE(rows, 5);
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
    } else if (!names_pods(row.at("insufficient"))) {
      EXPECT_EQ(*got, expected["victims_in_kill_order"].get<std::vector<std::string>>())
          << row.at("name");
    }
  }
}

TEST(CriticalCases, DistanceIsZeroWhenCovered) {
  EXPECT_EQ(distance(amounts({{"cpu_m", 50}, {"mem", 5}}), amounts({{"cpu_m", 100}, {"mem", 9}})),
            0U);
  EXPECT_GT(distance(amounts({{"cpu_m", 200}}), amounts({{"cpu_m", 50}})),
            distance(amounts({{"cpu_m", 200}}), amounts({{"cpu_m", 100}})));
  EXPECT_GT(distance(amounts({{"cpu_m", kMaxAmount}}), Resources{}), 0U);
}

}  // namespace
}  // namespace elbowroom::policy

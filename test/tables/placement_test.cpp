// The published cases about pending pods (scheduler_cases.json: dry_run, pick_node, post_filter,
// eligibility, nominated, seed_example), and ours about pods that terminate late and about
// nominations that end (late, outranked), each with both rule sets.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "policy/placement/node_filter.h"
#include "policy/placement/placement_messages.h"
#include "policy/placement/pod_preemption.h"
#include "policy/placement/schedule.h"
#include "test/checkout.h"

namespace elbowroom::policy {
namespace {

using Json = nlohmann::json;
using Names = std::set<std::string>;

constexpr RuleSet kBoth[] = {RuleSet::Elbowroom, RuleSet::Upstream};

std::vector<Json> cases_of(const std::string& area) {
  std::ifstream in(std::string(test::kData) + "/tables/scheduler_cases.json");
  const Json file = Json::parse(in);
  std::vector<Json> rows;
  for (const Json& row : file.at("cases")) {
    if (row.at("area") == area) rows.push_back(row);
  }
  return rows;
}

// The expectation of the case for these rules; null where it has none.
Json expected(const Json& row, RuleSet rules) {
  const char* key =
      rules == RuleSet::Upstream && row.contains("expect_upstream") ? "expect_upstream" : "expect";
  return row.value(key, Json());
}

Resources amounts(const Json& of) {
  Resources made;
  made.cpu.value = of.value("cpu_m", std::int64_t{0});
  made.memory.value = of.value("mem", std::int64_t{0});
  return made;
}

LabelExpression exists(const std::string& key) { return {.key = key, .op = LabelOperator::Exists}; }

Pod pod_of(const Json& row) {
  Pod pod;
  pod.ns = row.value("ns", "default");
  pod.name = row.at("name");
  pod.uid = row.value("uid", pod.name);
  pod.node = row.value("node", "");
  pod.nominated_node = row.value("nominated", "");
  pod.phase = pod.node.empty() ? Phase::Pending : Phase::Running;
  if (row.contains("priority") && !row["priority"].is_null()) pod.priority = row["priority"];
  if (row.contains("start")) {
    pod.started = Time{std::chrono::seconds(row["start"].get<std::int64_t>())};
  }
  if (row.value("preemptionPolicy", "") == "Never") {
    pod.preemption_policy = PreemptionPolicy::Never;
  }
  const Json labels = row.value("labels", Json::object());
  for (const auto& [key, value] : labels.items()) pod.labels[key] = value;
  if (row.contains("antiAffinity")) {
    pod.placement.required_anti_affinity.push_back(
        {.selector = LabelSelector{.expressions = {exists(row["antiAffinity"].at("key"))}},
         .namespaces = {pod.ns},
         .topology_key = row["antiAffinity"].at("topology")});
  }
  if (row.value("terminating", false)) pod.deletion = Time{std::chrono::seconds(1030)};
  if (row.contains("deadline_s")) {  // from now on
    pod.deletion = Time{std::chrono::seconds(1000 + row["deadline_s"].get<std::int64_t>())};
  }
  Container app;
  app.name = "app";
  app.desired.requests = amounts(row);
  if (!pod.node.empty()) app.state = RunState::Running;
  pod.containers.push_back(app);
  return pod;
}

Node node_of(const Json& row) {
  Node node;
  node.name = node.uid = row.at("name");
  node.labels["hostname"] = node.name;
  node.allocatable = amounts(row);
  node.allowed_pods = row.value("pods", kMaxAmount);
  return node;
}

Budgets budgets_of(const Json& row) {
  Budgets budgets;
  const Json listed = row.value("pdbs", Json::array());
  for (const Json& each : listed) {
    PodDisruptionBudget made{.ns = "default",
                             .name = "b" + std::to_string(budgets.upstream.size())};
    made.selector = LabelSelector{};
    for (const auto& [key, value] : each.at("selector").items()) {
      made.selector->match_labels[key] = value;
    }
    made.disruptions_allowed = each.at("allowed");
    const Json disrupted = each.value("disruptedPods", Json::array());
    for (const Json& name : disrupted) made.disrupted_pods.insert(name.get<std::string>());
    budgets.upstream.push_back(std::move(made));
  }
  return budgets;
}

// The cluster of a case.
struct World {
  std::vector<Node> nodes{};
  std::vector<Pod> pods{};
  Budgets budgets{};
  Pod pod{};

  explicit World(const Json& row) : budgets(budgets_of(row)), pod(pod_of(row.at("preemptor"))) {
    const Json listed = row.value("nodes", Json::array());
    for (const Json& each : listed) nodes.push_back(node_of(each));
    for (const char* key : {"pods", "nominatedPods"}) {
      const Json more = row.value(key, Json::array());
      for (const Json& each : more) pods.push_back(pod_of(each));
    }
  }

  [[nodiscard]] ClusterMoment moment(RuleSet rules) const {
    return {.nodes = nodes,
            .pods = pods,
            .budgets = budgets,
            .rules = rules,
            .now = Time{std::chrono::seconds(1000)}};
  }
  [[nodiscard]] SchedulingDecision ask(RuleSet rules) const { return schedule(moment(rules), pod); }
};

Names victims_of(const SchedulingDecision& decision) {
  Names names;
  for (const VictimReport& each : decision.victims) {
    names.insert(each.pod.substr(each.pod.find('/') + 1));
  }
  return names;
}

TEST(PlacementCases, DryRun) {
  for (const Json& row : cases_of("dry_run")) {
    for (const RuleSet rules : kBoth) {
      // How many candidates upstream looks for, and where it begins, is not reproduced.
      if (rules == RuleSet::Upstream && row.contains("config")) continue;
      std::map<std::string, std::pair<Names, int>> wanted;
      const Json candidates = expected(row, rules).at("candidates");
      for (const Json& each : candidates) {
        wanted[each.at("node")] = {each.at("victims").get<Names>(), each.at("pdbViolations")};
      }
      std::map<std::string, std::pair<Names, int>> got;
      for (const NodeAnswer& each : World(row).ask(rules).nodes) {
        if (!each.candidate) continue;
        Names names;
        for (const std::string& key : each.candidate->victims) {
          names.insert(key.substr(key.find('/') + 1));
        }
        got[each.node] = {names, each.candidate->budget_violations};
      }
      EXPECT_EQ(got, wanted) << row.at("id");
    }
  }
}

void expect_choice(const Json& row, const Json& wanted, const SchedulingDecision& got) {
  const std::string id = row.at("id");
  Names nodes;
  if (wanted.contains("anyOf")) nodes = wanted["anyOf"].get<Names>();
  if (wanted.contains("node")) nodes = {wanted["node"].get<std::string>()};
  if (wanted.contains("nominated") && wanted["nominated"].is_string()) {
    nodes = {wanted["nominated"].get<std::string>()};
  }
  if (nodes.empty() || nodes == Names{""}) {
    EXPECT_EQ(got.result, SchedulingResult::Unschedulable) << id;
    EXPECT_EQ(got.node, "") << id;
  } else {
    EXPECT_EQ(got.result, SchedulingResult::Preempt) << id << ": " << got.message;
    EXPECT_TRUE(nodes.contains(got.node)) << id << ": " << got.node;
  }
  if (wanted.contains("victims")) {
    EXPECT_EQ(victims_of(got), wanted["victims"].get<Names>()) << id;
  }
}

TEST(PlacementCases, TheChoiceAmongNodes) {
  for (const char* area : {"pick_node", "seed_example"}) {
    for (const Json& row : cases_of(area)) {
      for (const RuleSet rules : kBoth) {
        expect_choice(row, expected(row, rules), World(row).ask(rules));
      }
    }
  }
}

// Where a case gives the result of the filters, preemption is asked by itself.
std::string preemption_text(const Json& row, const World& world, RuleSet rules) {
  ClusterRoom room = room_of(world.moment(rules));
  const ScheduleTerms terms;
  const NodeFilter filter(room, world.pod, terms);
  const PodPreemption preemption(filter, terms);
  std::vector<RefusedNode> refused;
  std::vector<NodePreemption> tried;
  for (const std::uint32_t node : room.node_numbers()) {
    const std::string said = row["nodeStatus"].value(room.nodes()[node].name, "");
    refused.push_back({node, {.code = NodeCode::Unschedulable}});
    if (said == "Unschedulable") tried.push_back(preemption.on(node));
  }
  return in_vain(filter, refused, tried);
}

TEST(PlacementCases, TheOutcomeOfPreemption) {
  for (const Json& row : cases_of("post_filter")) {
    for (const RuleSet rules : kBoth) {
      const World world(row);
      const Json wanted = expected(row, rules);
      if (row.at("level") == "function") {
        EXPECT_EQ(preemption_text(row, world, rules), " " + wanted.at("message").get<std::string>())
            << row.at("id");
        continue;
      }
      expect_choice(row, wanted, world.ask(rules));
    }
  }
}

// Once the victims are terminating, nothing more is done.
TEST(PlacementCases, ASecondCallPreemptsNothing) {
  int asked = 0;
  for (const Json& row : cases_of("post_filter")) {
    if (!row.at("expect").value("secondCallPreemptsNothing", false)) continue;
    for (const RuleSet rules : kBoth) {
      World world(row);
      const SchedulingDecision first = world.ask(rules);
      for (Pod& each : world.pods) {
        if (!victims_of(first).contains(each.name)) continue;
        each.deletion = Time{std::chrono::seconds(1030)};
        each.conditions.push_back({.type = std::string(kDisruptionTarget),
                                   .status = "True",
                                   .reason = std::string(kReasonPreemptionByScheduler)});
      }
      world.pod.nominated_node = first.node;
      const SchedulingDecision second = world.ask(rules);
      EXPECT_TRUE(second.victims.empty()) << row.at("id");
      EXPECT_EQ(second.result, first.node.empty() ? SchedulingResult::Unschedulable
                                                  : SchedulingResult::AwaitingVictims)
          << row.at("id");
      ++asked;
    }
  }
  EXPECT_EQ(asked, 4);
}

// The cases name the pods on the node; here the node has one slot, so that a pod would have to be
// removed.
TEST(PlacementCases, Eligibility) {
  for (const Json& row : cases_of("eligibility")) {
    if (row.at("preemptor").contains("resize")) continue;  // about a resize: scheduler_cases_test
    for (const RuleSet rules : kBoth) {
      World world(row);
      world.nodes.push_back({});
      world.nodes[0].name = "node1";
      world.nodes[0].allowed_pods = 1;
      if (world.pods.empty()) {
        Pod full = world.pod;
        full.name = full.uid = "full";
        full.priority = 0;
        full.node = "node1";
        world.pods.push_back(full);
      }
      EXPECT_EQ(world.ask(rules).result == SchedulingResult::Preempt,
                expected(row, rules).at("eligible").get<bool>())
          << row.at("id");
    }
  }
}

TEST(PlacementCases, Nominated) {
  for (const Json& row : cases_of("nominated")) {
    for (const RuleSet rules : kBoth) {
      EXPECT_EQ(World(row).ask(rules).result == SchedulingResult::Bind,
                expected(row, rules).at("feasible").get<bool>())
          << row.at("id");
    }
  }
}

TEST(PlacementCases, WhoLeavesLate) {
  for (const Json& row : cases_of("late")) {
    for (const RuleSet rules : kBoth) {
      const SchedulingDecision got = World(row).ask(rules);
      const Json wanted = expected(row, rules);
      EXPECT_EQ(to_string(got.result), wanted.at("result").get<std::string>()) << row.at("id");
      EXPECT_EQ(got.node, wanted.at("node").get<std::string>()) << row.at("id");
      EXPECT_EQ(victims_of(got), wanted.at("victims").get<Names>()) << row.at("id");
    }
  }
}

TEST(PlacementCases, WhoseNominationEnds) {
  for (const Json& row : cases_of("outranked")) {
    for (const RuleSet rules : kBoth) {
      Names names;
      for (const std::string& key : World(row).ask(rules).outranked) {
        names.insert(key.substr(key.find('/') + 1));
      }
      EXPECT_EQ(names, expected(row, rules).at("outranked").get<Names>()) << row.at("id");
    }
  }
}

}  // namespace
}  // namespace elbowroom::policy

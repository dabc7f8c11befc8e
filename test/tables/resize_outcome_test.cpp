// The node's verdicts as data: manifests made from kubelet_cases.json, decided by the function
// behind `simulate resize`.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "api/codec/encode_resize_report.h"
#include "base/document.h"
#include "base/document_text.h"
#include "cli/input/manifests.h"
#include "cli/simulate_resize.h"
#include "policy/model/charge.h"
#include "policy/resize/resize_conditions.h"
#include "test/checkout.h"

namespace elbowroom::cli {
namespace {

using Json = nlohmann::json;

const Json& cases() {
  static const Json all = [] {
    std::ifstream file(std::string(test::kData) + "/tables/kubelet_cases.json");
    std::stringstream text;
    text << file.rdbuf();
    return Json::parse(text.str());
  }();
  return all;
}

// {"cpu_m": 500, "memory_bytes": 1} as {"cpu": "500m", "memory": "1"}.
Json amounts(const Json& figures) {
  Json out = Json::object();
  for (const auto& [key, value] : figures.items()) {
    const auto text = std::to_string(value.get<std::int64_t>());
    if (key == "cpu_m") out["cpu"] = text + "m";
    if (key == "memory_bytes" || key == "memory" || key == "mem") out["memory"] = text;
    if (key == "ephemeral_bytes" || key == "ephemeral") out["ephemeral-storage"] = text;
  }
  return out;
}

Json requests_of(const Json& figures) {
  return amounts(figures.contains("requests") ? figures.at("requests") : figures);
}
Json limits_of(const Json& figures) {
  return figures.contains("limits") ? amounts(figures.at("limits")) : Json::object();
}

Json node_of(const Json& allocatable) {
  Json status = {{"allocatable", amounts(allocatable)}};
  status["allocatable"]["pods"] = allocatable.value("pods", 110);
  return {{"kind", "Node"}, {"metadata", {{"name", "node1"}}}, {"status", status}};
}

Json pod_of(const std::string& name, Json spec, Json status) {
  spec["nodeName"] = "node1";
  status["phase"] = "Running";
  return {{"kind", "Pod"},
          {"metadata", {{"name", name}, {"uid", "u-" + name}, {"generation", 7}}},
          {"spec", std::move(spec)},
          {"status", std::move(status)}};
}

Json other_pod(const std::string& name) {
  const Json requests = {{"cpu", "1"}, {"memory", "1Gi"}};
  return pod_of(name, {{"containers", {{{"name", "c"}, {"resources", {{"requests", requests}}}}}}},
                Json::object());
}

struct Judged {
  policy::ResizeReport report{};
  Json document{};
};

Judged judge(const std::vector<Json>& objects, ResizeQuery query) {
  const std::string text = Json{{"kind", "List"}, {"items", objects}}.dump();
  const auto manifests = read_manifests({{"case", text}});
  EXPECT_TRUE(manifests) << (manifests ? "" : manifests.error().message);
  if (!manifests) return {};
  query.pod = "default/web";
  const auto report = answer(*manifests, query);
  EXPECT_TRUE(report) << (report ? "" : report.error().message);
  if (!report) return {};
  return {*report, Json::parse(printed(*report, OutputFormat::Json))};
}

void expect_conditions(const Json& expected, const Json& got) {
  ASSERT_EQ(got.size(), expected.size()) << got.dump();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    for (const char* key : {"type", "status", "reason", "message"}) {
      if (!expected[i].contains(key)) continue;
      EXPECT_EQ(got[i].at(key), expected[i].at(key)) << got.dump();
    }
    if (!expected[i].contains("message_contains")) continue;
    EXPECT_NE(got[i]["message"].get<std::string>().find(
                  expected[i]["message_contains"].get<std::string>()),
              std::string::npos)
        << got.dump();
  }
}

std::string verdict_for(const Json& conditions, bool changes) {
  for (const Json& each : conditions) {
    if (each["type"] == "PodResizePending") return each["reason"];
  }
  return changes ? "Allocated" : "Unchanged";
}

// A container-level case, for a regular container or a sidecar.
Json web_of(const Json& row, bool sidecar) {
  const Json& desired = row.at("desired");
  const Json& promised =
      row.value("allocation_before", "") == "desired" ? desired : row.at("original");
  Json container = {
      {"name", "app"},
      {"resources", {{"requests", requests_of(desired)}, {"limits", limits_of(desired)}}}};
  const Json status = {
      {"name", "app"},
      {"state", {{"running", Json::object()}}},
      {"allocatedResources", requests_of(promised)},
      {"resources", {{"requests", requests_of(promised)}, {"limits", limits_of(promised)}}}};
  Json spec;
  Json all_status = {{"conditions", row.value("conditions_before", Json::array())}};
  if (sidecar) {
    container["restartPolicy"] = "Always";
    spec = {{"initContainers", Json::array({container})}, {"containers", {{{"name", "idle"}}}}};
    all_status["initContainerStatuses"] = Json::array({status});
  } else {
    spec = {{"containers", Json::array({container})}};
    all_status["containerStatuses"] = Json::array({status});
  }
  return pod_of("web", spec, all_status);
}

Json pod_level_web_of(const Json& row) {
  const Json unchanged = amounts(row.at("container_requests_unchanged"));
  const Json promised = amounts(row.at("pod_level_original"));
  const Json spec = {{"resources", {{"requests", amounts(row.at("pod_level_desired"))}}},
                     {"containers", {{{"name", "app"}, {"resources", {{"requests", unchanged}}}}}}};
  const Json status = {{"allocatedResources", promised},
                       {"resources", {{"requests", promised}}},
                       {"containerStatuses",
                        {{{"name", "app"},
                          {"allocatedResources", unchanged},
                          {"resources", {{"requests", unchanged}}}}}}};
  return pod_of("web", spec, status);
}

TEST(ResizeOutcomes, EveryCaseForRegularContainersAndSidecars) {
  const Json& outcomes = cases().at("resize_outcomes");
  const Json node = node_of(outcomes.at("world").at("node_allocatable"));
  int judged = 0;
  for (const Json& row : outcomes.at("cases")) {
    const bool pod_level = row.contains("pod_level_desired");
    for (const bool sidecar : {false, true}) {
      if (pod_level && sidecar) continue;
      SCOPED_TRACE(row.at("name").get<std::string>() + (sidecar ? " (sidecar)" : ""));
      const Json web = pod_level ? pod_level_web_of(row) : web_of(row, sidecar);
      const Judged result = judge({node, other_pod("a"), other_pod("b"), web}, {});
      const Json& expected = row.at("expect").at("conditions");
      expect_conditions(expected, result.document.at("conditions"));
      const bool changes = pod_level || (row.at("desired") != row.at("original") &&
                                         row.value("allocation_before", "") != "desired");
      EXPECT_EQ(result.document.at("verdict"), verdict_for(expected, changes));
      EXPECT_EQ(result.document.at("room").at("others"), (Json{{"cpu", "2"}, {"memory", "2Gi"}}));
      ++judged;
    }
  }
  EXPECT_EQ(judged, 20);
}

// What no room can help. A Guaranteed pod has limits equal to its requests.
TEST(ResizeOutcomes, InfeasibleWhateverTheRoom) {
  const Json node = node_of({{"cpu_m", 4000}, {"memory_bytes", 4294967296}});
  int judged = 0;
  for (const Json& row : cases().at("resize_outcomes").at("infeasible_handler")) {
    if (row.at("level") != "decision") continue;
    SCOPED_TRACE(row.at("name").get<std::string>());
    Json before = {{"cpu", "1"}, {"memory", "1Gi"}};
    Json after = before;
    for (const Json& changed : row.value("changed", Json::array({"cpu"}))) {
      after[changed.get<std::string>()] = changed == "cpu" ? "2" : "2Gi";
    }
    const bool guaranteed = row.value("qos", "") == "Guaranteed";
    Json limits_before = guaranteed ? before : Json::object();
    Json limits_after = guaranteed ? after : Json::object();
    Json web = pod_of(
        "web",
        {{"containers",
          {{{"name", "app"}, {"resources", {{"requests", after}, {"limits", limits_after}}}}}}},
        {{"containerStatuses",
          {{{"name", "app"},
            {"allocatedResources", before},
            {"resources", {{"requests", before}, {"limits", limits_before}}}}}}});
    if (row.value("static_pod", false)) {
      web["metadata"]["annotations"] = {{"kubernetes.io/config.source", "file"}};
    }
    ResizeQuery query;
    query.managers.static_cpu = row.value("cpu_manager_policy", "") == "static";
    query.managers.static_memory = row.value("memory_manager_policy", "") == "Static";
    const Judged result = judge({node, web}, query);
    const Json& expected = row.at("expect");
    const bool refused = !expected.at("reason").is_null();
    EXPECT_EQ(result.document.at("verdict"), refused ? "Infeasible" : "Allocated");
    EXPECT_EQ(result.document.at("reason"), refused ? "Infeasible" : "");
    EXPECT_EQ(result.report.decision.detail, expected.value("reason_detail", ""));
    if (expected.contains("message")) {
      EXPECT_EQ(result.document.at("message"), expected["message"]);
    }
    ++judged;
  }
  EXPECT_EQ(judged, 5);
}

Json container_of(const Json& figures, const std::string& name) {
  Json container = {{"name", name}, {"resources", {{"requests", amounts(figures.at("req"))}}}};
  if (figures.value("sidecar", false)) container["restartPolicy"] = "Always";
  return container;
}

Json status_of(const Json& figures, const std::string& name) {
  Json status = {{"name", name}};
  if (!figures.contains("status")) return status;
  const Json& given = figures.at("status");
  if (given.contains("allocated")) status["allocatedResources"] = amounts(given.at("allocated"));
  if (given.contains("actual")) status["resources"] = {{"requests", amounts(given.at("actual"))}};
  return status;
}

Json pod_requests_pod(const Json& pod) {
  Json spec = {{"containers", Json::array()}, {"initContainers", Json::array()}};
  Json status = {{"containerStatuses", Json::array()}, {"initContainerStatuses", Json::array()}};
  int count = 0;
  const auto add = [&](const char* from, const char* to, const char* to_status) {
    for (const Json& figures : pod.value(from, Json::array())) {
      const std::string name = "c" + std::to_string(count++);
      spec[to].push_back(container_of(figures, name));
      status[to_status].push_back(status_of(figures, name));
    }
  };
  add("init", "initContainers", "initContainerStatuses");
  add("containers", "containers", "containerStatuses");
  if (spec["containers"].empty()) spec["containers"].push_back({{"name", "idle"}});
  if (pod.contains("resize_pending_reason")) {
    status["conditions"] = {{{"type", "PodResizePending"},
                             {"status", "True"},
                             {"reason", pod["resize_pending_reason"]}}};
  }
  return pod_of("web", spec, status);
}

void expect_amounts(const Json& expected, const policy::Resources& got) {
  EXPECT_EQ(got.cpu.value, expected.value("cpu_m", std::int64_t{0}));
  EXPECT_EQ(got.memory.value, expected.value("memory_bytes", std::int64_t{0}));
  EXPECT_EQ(got.ephemeral_storage.value, expected.value("ephemeral_bytes", std::int64_t{0}));
}

TEST(PodRequests, TotalsAndChargesOfEveryCase) {
  const Json node = node_of({{"cpu_m", 1000000}, {"memory_bytes", 4294967296}});
  int judged = 0;
  for (const Json& row : cases().at("pod_requests").at("cases")) {
    SCOPED_TRACE(row.at("name").get<std::string>());
    const Judged result = judge({node, pod_requests_pod(row.at("pod"))}, {});
    const policy::Totals& totals = result.report.totals;
    const bool infeasible = row.at("pod").value("resize_pending_reason", "") == "Infeasible";
    const Json& expected = row.at("expect");
    if (expected.contains("desired")) expect_amounts(expected["desired"], totals.desired);
    if (expected.contains("held_charge")) {
      expect_amounts(expected["held_charge"], policy::held_charge(totals));
    }
    if (expected.contains("cluster_charge")) {
      expect_amounts(expected["cluster_charge"], policy::cluster_charge(totals, infeasible));
    }
    ++judged;
  }
  EXPECT_EQ(judged, 11);
}

// The condition's reason is Deferred whatever is lacking; "changed" is what makes an event.
TEST(PendingConditionUpdates, EveryCase) {
  for (const Json& row : cases().at("resize_outcomes").at("pending_condition_updates")) {
    SCOPED_TRACE(row.at("name").get<std::string>());
    const Json& set = row.at("set");
    policy::Pod pod;
    pod.generation = set.at("generation");
    if (!row.at("before").is_null()) {
      pod.conditions.push_back({.type = "PodResizePending",
                                .status = "True",
                                .reason = row["before"]["reason"],
                                .message = "",
                                .observed_generation = row["before"]["generation"],
                                .last_transition = std::nullopt});
    }
    policy::ResizeDecision decision;
    decision.reason = set.at("reason");
    decision.verdict =
        decision.reason == "Infeasible" ? policy::Verdict::Infeasible : policy::Verdict::Deferred;
    const auto after = policy::conditions_after_verdict(pod, {}, decision, {});
    ASSERT_TRUE(after.pending);
    EXPECT_EQ(after.pending->reason, row["expect"]["stored_reason"].get<std::string>());
    EXPECT_EQ(after.pending_changed, row["expect"]["changed"]);
    EXPECT_EQ(after.pending->observed_generation, set["generation"]);
  }
}

}  // namespace
}  // namespace elbowroom::cli

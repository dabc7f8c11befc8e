// The API server is replaced by one of another version while the scheduler runs: collections come
// and go, and no pod is removed because of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/codec/protobuf_object.h"
#include "scheduler/reactor.h"
#include "scheduler/wire.h"
#include "test/scripted_server.h"
#include "test/wire_bytes.h"

namespace elbowroom::scheduler {
namespace {

using namespace std::chrono_literals;
using test::bytes;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

const std::string kDelete = "DELETE /api/v1/namespaces/default/pods/batch";
const std::string kOwnBudgets = "/apis/elbowroom.dev/v1alpha1/disruptionbudgets";
const std::string kGroups = "/apis/scheduling.k8s.io";
const std::string kPodGroups = kGroups + "/v1beta1/podgroups";

std::string list_named(const std::string& kind, const std::string& items) {
  return R"({"kind":")" + kind + R"(List","metadata":{"resourceVersion":"5"},"items":[)" + items +
         "]}";
}

std::string metadata_of(const std::string& name) {
  return R"("metadata":{"namespace":"default","name":")" + name + R"(","uid":"uid-)" + name +
         R"(","resourceVersion":"3","generation":2})";
}

// It runs on the node with 2 cpus.
std::string pod_on_node(const std::string& name, int priority, const std::string& cpu,
                        const std::string& more, const std::string& conditions) {
  return "{" + metadata_of(name) + R"(,"spec":{"nodeName":"node-1","priority":)" +
         std::to_string(priority) +
         R"(,"containers":[{"name":"app","resources":{"requests":{"cpu":")" + cpu + R"("}}}])" +
         more + R"(},"status":{"phase":"Running","conditions":[)" + conditions +
         R"(],"containerStatuses":[{"name":"app","state":{"running":{}},)"
         R"("allocatedResources":{"cpu":"2"},"resources":{"requests":{"cpu":"2"}}}]}})";
}

// The node is full, and web waits for what batch has.
const std::string kWaits = pod_on_node(
    "web", 100, "3", "",
    R"({"type":"PodResizePending","status":"True","reason":"Deferred","observedGeneration":2})");

// A cluster whose API server is replaced by others.
class Cluster {
 public:
  Cluster() {
    serve("/api/v1/nodes",
          list_named("Node", R"({"metadata":{"name":"node-1","uid":"uid-n","resourceVersion":"2"},)"
                             R"("status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"110"},)"
                             R"("conditions":[{"type":"Ready","status":"True"}]}})"));
    serve_pods("");
    serve("/apis/policy/v1/poddisruptionbudgets", list_named("PodDisruptionBudget", ""));
    serve(kOwnBudgets, list_named("DisruptionBudget", ""));
    serve(kGroups, R"({"kind":"APIGroup","versions":[{"version":"v1beta1"}]})");
    serve(kGroups + "/v1beta1", R"({"kind":"APIResourceList","resources":[{"name":"podgroups"}]})");
    serve(kPodGroups, list_named("PodGroup", ""));
  }

  void serve(const std::string& path, const std::string& body) {
    answers[path] = {.status = 200, .content_type = "application/json", .body = body};
  }
  void serve_pods(const std::string& more_of_batch) {
    serve("/api/v1/pods",
          list_named("Pod", kWaits + "," + pod_on_node("batch", 0, "2", more_of_batch, "")));
    serve("/api/v1/namespaces/default/pods/web", kWaits);
  }
  // Nothing of batch may go.
  void put_hard_budget() {
    serve(kOwnBudgets,
          list_named("DisruptionBudget",
                     "{" + metadata_of("keeps") +
                         R"(,"spec":{"selector":{},"maxUnavailable":0,"hard":true}})"));
  }

  // The server ends, and another one of these answers takes its place.
  void restart_server(const std::map<std::string, api::Response>& as) {
    server->answers = as;
    for (const auto& [path, answer] : as) server->expired.insert(path);
    server->cut();
  }

  void begin() {
    auto transport = std::make_unique<test::ScriptedServer>();
    server = transport.get();
    server->answers = answers;
    started_ = server->now();
    worker_ = std::make_unique<ApiWorker>(
        std::move(transport), ApiWorker::Options{.leader_elect = false}, started_,
        [this](decltype(Observation::what) seen) { seen_.push_back(std::move(seen)); });
    worker_->start();
  }
  void pass(std::chrono::seconds time) {
    for (const auto until = server->now() + time; server->now() < until;) {
      server->pass(500ms);
      see(TimePassed{});
      for (auto& each : std::exchange(seen_, {})) see(std::move(each));
    }
  }

  std::map<std::string, api::Response> answers;
  test::ScriptedServer* server = nullptr;  // owned by worker_
  Reactor reactor{[] {
    ReactorOptions options;
    options.leader_elect = false;
    options.yield_to.emplace();
    return options;
  }()};

 private:
  void see(decltype(Observation::what) what) {
    const auto since = std::chrono::floor<std::chrono::milliseconds>(server->now() - started_);
    worker_->perform(
        reactor.handle({.at = {since, policy::Time{std::chrono::seconds(1'780'000'000)} + since},
                        .what = std::move(what)}));
  }

  api::Clock::time_point started_{};
  std::vector<decltype(Observation::what)> seen_{};
  std::unique_ptr<ApiWorker> worker_;
};

TEST(OtherServer, BatchIsRemovedWhereNothingKeepsIt) {
  Cluster cluster;
  cluster.begin();
  cluster.pass(60s);
  EXPECT_THAT(cluster.server->written, Contains(kDelete));
}

TEST(OtherServer, WhatAHardBudgetKeepsIsKeptWhereItsKindIsNotServedAnyMore) {
  Cluster cluster;
  cluster.put_hard_budget();
  cluster.begin();
  cluster.pass(60s);
  EXPECT_EQ(cluster.reactor.lost(), "");
  auto without = cluster.answers;
  without.erase(kOwnBudgets);
  cluster.restart_server(without);
  cluster.pass(600s);
  EXPECT_THAT(cluster.server->written, Not(Contains(kDelete)));
  EXPECT_THAT(cluster.reactor.lost(), HasSubstr("disruption budgets are not followed: "));
  EXPECT_THAT(cluster.reactor.lost(), HasSubstr("may exist still"));
  // It is served again, and somebody deletes the budget.
  cluster.serve(kOwnBudgets, list_named("DisruptionBudget", ""));
  cluster.restart_server(cluster.answers);
  cluster.pass(120s);
  EXPECT_THAT(cluster.server->written, Contains(kDelete));
}

// As a pod by itself batch has priority 0.
TEST(OtherServer, WhatAGroupSaysCountsWhereItsKindIsNotServedAnyMore) {
  Cluster cluster;
  cluster.serve_pods(R"(,"schedulingGroup":{"podGroupName":"train"})");
  cluster.serve(kPodGroups, list_named("PodGroup", "{" + metadata_of("train") +
                                                       R"(,"spec":{"priority":1000}})"));
  cluster.begin();
  cluster.pass(60s);
  auto other = cluster.answers;
  other.erase(kGroups + "/v1beta1");
  other.erase(kPodGroups);
  other[kGroups].body = R"({"kind":"APIGroup","versions":[{"version":"v1"}]})";
  cluster.restart_server(other);
  cluster.pass(600s);
  EXPECT_THAT(cluster.server->written, Not(Contains(kDelete)));
  EXPECT_THAT(cluster.reactor.lost(), HasSubstr("pod groups are not followed: "));
  cluster.serve(kPodGroups, list_named("PodGroup", ""));
  cluster.restart_server(cluster.answers);
  cluster.pass(120s);
  EXPECT_THAT(cluster.server->written, Contains(kDelete));
}

// The pods that are known are not those of the cluster.
TEST(OtherServer, NobodyIsRemovedWhileACollectionIsAway) {
  for (const std::string away :
       {"/api/v1/nodes", "/api/v1/pods", "/apis/policy/v1/poddisruptionbudgets"}) {
    SCOPED_TRACE(away);
    Cluster cluster;
    cluster.put_hard_budget();
    cluster.begin();
    cluster.pass(60s);
    ASSERT_EQ(cluster.reactor.lost(), "");
    auto without = cluster.answers;
    without.erase(away);
    cluster.serve(kOwnBudgets, list_named("DisruptionBudget", ""));
    without[kOwnBudgets] = cluster.answers[kOwnBudgets];
    cluster.restart_server(without);
    cluster.pass(600s);
    EXPECT_THAT(cluster.server->written, Not(Contains(kDelete)));
    EXPECT_THAT(cluster.reactor.lost(), HasSubstr("404"));
    cluster.restart_server(cluster.answers);
    cluster.pass(120s);
    EXPECT_THAT(cluster.server->written, Contains(kDelete));
  }
}

TEST(OtherServer, WhatIsNewIsFollowedOnceItIsServed) {
  Cluster cluster;
  cluster.answers.erase(kOwnBudgets);
  cluster.answers.erase(kGroups);
  cluster.serve_pods(R"(,"schedulingGroup":{"podGroupName":"train"})");
  auto first = cluster.answers;
  first["/api/v1/pods"].body = list_named("Pod", "");  // so that nothing happens meanwhile
  std::swap(first, cluster.answers);
  cluster.begin();
  cluster.pass(60s);
  EXPECT_EQ(cluster.reactor.lost(), "");
  std::swap(first, cluster.answers);
  cluster.serve(kGroups,
                R"({"kind":"APIGroup","versions":[{"version":"v1beta1"},{"version":"v9"}]})");
  cluster.serve(kPodGroups, list_named("PodGroup", "{" + metadata_of("train") +
                                                       R"(,"spec":{"priority":1000}})"));
  cluster.put_hard_budget();
  auto upgraded = cluster.answers;
  upgraded["/api/v1/pods"].body = list_named("Pod", "");
  cluster.restart_server(upgraded);
  cluster.pass(120s);
  cluster.restart_server(cluster.answers);
  cluster.pass(120s);
  EXPECT_EQ(cluster.reactor.lost(), "");
  EXPECT_THAT(cluster.server->written, Not(Contains(kDelete)));
  EXPECT_THAT(cluster.reactor.waiting().at("default/web").message,
              HasSubstr("no pod on node node-1 may be removed"));
}

// From one that cluster.answers in protobuf to one that does not, and that adds fields and
// conditions.
TEST(OtherServer, AnotherEncodingAndNewFieldsAreRead) {
  Cluster cluster;
  const auto json = cluster.answers;
  cluster.answers["/api/v1/pods"] = {
      .status = 200,
      .content_type = std::string(api::kProtobuf),
      .body = test::list_envelope("PodList", "5", "", bytes(2, bytes(1, bytes(1, "x"))))};
  cluster.begin();
  cluster.pass(30s);
  EXPECT_EQ(cluster.reactor.lost(), "");
  auto other = json;
  std::string& pods = other["/api/v1/pods"].body;
  for (std::string::size_type at = 0; (at = pods.find(R"("spec":{)", at)) != std::string::npos;) {
    at += 8;
    pods.insert(at, R"("aNewField":{"deep":[[{"er":null}],1e4]},"another":[null],)");
  }
  cluster.restart_server(other);
  cluster.pass(120s);
  EXPECT_EQ(cluster.reactor.lost(), "");
  EXPECT_THAT(cluster.server->written, Contains(kDelete));
}

}  // namespace
}  // namespace elbowroom::scheduler

// A cluster in virtual time whose API server has what users and drivers should not write: the real
// scheduler reads it over the API, goes on with everything else, and removes no pod because of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lab/scheduler_mode.h"
#include "lab/virtual/simulation.h"
#include "test/unit/lab/lab_fixture.h"

namespace elbowroom::lab {
namespace {

using std::chrono::minutes;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Json on_node(const std::string& name, const std::string& node) {
  Json pod = testing::pod_object(name, node);
  pod["metadata"]["uid"] = "uid-" + name;
  pod["status"] = {{"phase", "Running"},
                   {"containerStatuses",
                    Json::array({{{"name", "app"},
                                  {"state", {{"running", Json::object()}}},
                                  {"allocatedResources", {{"cpu", "1"}, {"memory", "1Gi"}}}}})}};
  return pod;
}

Json to_be_placed(const std::string& name) {
  Json pod = testing::pod_object(name);
  pod["metadata"]["uid"] = "uid-" + name;
  pod["spec"]["schedulerName"] = "elbowroom";
  pod["spec"]["priority"] = 100;
  return pod;
}

Json with_claim(Json pod, const std::string& claim) {
  pod["spec"]["volumes"] =
      Json::array({{{"name", "data"}, {"persistentVolumeClaim", {{"claimName", claim}}}}});
  return pod;
}

Json claim_object(const std::string& name, const std::string& volume) {
  return {{"apiVersion", "v1"},
          {"kind", "PersistentVolumeClaim"},
          {"metadata",
           {{"name", name},
            {"uid", "uid-claim-" + name},
            {"annotations", {{"pv.kubernetes.io/bind-completed", "yes"}}}}},
          {"spec",
           {{"storageClassName", "fast"},
            {"accessModes", Json::array({"ReadWriteOnce"})},
            {"volumeName", volume},
            {"resources", {{"requests", {{"storage", "1Gi"}}}}}}}};
}

Json volume_object(const std::string& name, const std::string& claim, const Json& more) {
  Json volume = {
      {"apiVersion", "v1"},
      {"kind", "PersistentVolume"},
      {"metadata", {{"name", name}}},
      {"spec",
       {{"storageClassName", "fast"},
        {"accessModes", Json::array({"ReadWriteOnce"})},
        {"capacity", {{"storage", "1Gi"}}},
        {"claimRef", {{"namespace", "default"}, {"name", claim}, {"uid", "uid-claim-" + claim}}}}}};
  volume["spec"].update(more);
  return volume;
}

// Node n with 4 cpus, all of which its pods have.
class BadInput : public ::testing::Test {
 protected:
  BadInput() {
    SimulationHooks hooks;
    hooks.seen = [this](const std::string&, const scheduler::Observation& seen) {
      const auto* odd = std::get_if<control::Unreadable>(&seen.what);
      if (odd != nullptr) unreadable.push_back(odd->kind + " " + odd->key);
    };
    hooks.resolved = [this](const std::string&, const scheduler::Effect& effect) {
      const auto* victim = std::get_if<scheduler::DeleteVictim>(&effect.what);
      if (victim != nullptr) removed.push_back(victim->victim.name);
    };
    sim = std::make_unique<Simulation>(SimulationOptions{.controllers = true}, std::move(hooks));
    load(testing::node_object("n"));
    for (const char* name : {"low-1", "low-2", "low-3", "low-4"}) load(on_node(name, "n"));
  }
  void load(Json object) {
    const auto made = sim->world().load(std::move(object));
    ASSERT_TRUE(made) << made.error().message;
  }
  void start() {
    scheduler::ReactorOptions options;
    options.leader_elect = false;
    options.places_for = placed_in(SchedulerMode::Full);
    sim->start_scheduler("s", options);
    sim->run_until(minutes(5));
  }
  [[nodiscard]] std::string waits_because(const std::string& pod) const {
    const auto& all = sim->scheduler("s")->reactor().waiting();
    const auto at = all.find("default/" + pod);
    return at == all.end() ? "it does not wait" : at->second.message;
  }

  std::unique_ptr<Simulation> sim;
  std::vector<std::string> unreadable;
  std::vector<std::string> removed;
};

TEST_F(BadInput, WithoutAnyAPodIsRemoved) {
  load(to_be_placed("web"));
  start();
  EXPECT_FALSE(removed.empty());
  EXPECT_THAT(unreadable, IsEmpty());
}

TEST_F(BadInput, ANodeOfTenThousandTaintsIsTakenOutAndTold) {
  Json node = testing::node_object("n");
  for (int i = 0; i < 10'000; ++i) {
    node["spec"]["taints"].push_back(
        {{"key", "k" + std::to_string(i)}, {"effect", "PreferNoSchedule"}});
  }
  load(std::move(node));
  load(to_be_placed("web"));
  load(to_be_placed("other"));
  start();
  EXPECT_THAT(removed, IsEmpty());
  EXPECT_THAT(unreadable, Contains("Node n"));
  EXPECT_THAT(waits_because("web"), HasSubstr("0/0 nodes are available"));
  // Others are placed, and on the node again once it has fewer.
  load(testing::node_object("m"));
  sim->run_until(minutes(10));
  EXPECT_NE(text_at(*sim->world().get(testing::pod_target("web")), {"spec", "nodeName"}), "");
  EXPECT_THAT(removed, IsEmpty());
}

TEST_F(BadInput, ClaimsInARingOfOwnersKeepTheirPodsWaiting) {
  for (const auto& [pod, other] : {std::pair<std::string, std::string>("a", "b"), {"b", "a"}}) {
    Json waits = to_be_placed(pod);
    waits["metadata"]["ownerReferences"] = Json::array(
        {{{"apiVersion", "v1"}, {"kind", "Pod"}, {"name", other}, {"uid", "uid-" + other}}});
    waits["spec"]["volumes"] =
        Json::array({{{"name", "data"}, {"ephemeral", {{"volumeClaimTemplate", {}}}}}});
    load(std::move(waits));
    Json claim = claim_object(pod + "-data", "");
    claim["metadata"].erase("annotations");
    claim["spec"].erase("volumeName");
    claim["metadata"]["ownerReferences"] = Json::array({{{"apiVersion", "v1"},
                                                         {"kind", "Pod"},
                                                         {"name", other},
                                                         {"uid", "uid-" + other},
                                                         {"controller", true}}});
    load(std::move(claim));
  }
  start();
  EXPECT_THAT(removed, IsEmpty());
  for (const std::string pod : {"a", "b"}) {
    EXPECT_THAT(waits_because(pod),
                HasSubstr("PVC default/" + pod + "-data was not created for pod default/" + pod));
  }
}

// Each volume is that of a pod's claim; without an affinity it can be used anywhere.
TEST_F(BadInput, VolumesWithoutUsableAffinityAreEverywhereOrNowhere) {
  const std::vector<std::pair<std::string, Json>> affinities = {
      {"none", Json::object()},
      {"null", {{"nodeAffinity", nullptr}}},
      {"no-terms", {{"nodeAffinity", {{"required", {{"nodeSelectorTerms", Json::array()}}}}}}},
      {"empty-term",
       {{"nodeAffinity", {{"required", {{"nodeSelectorTerms", Json::array({Json::object()})}}}}}}},
      {"odd-operator",
       {{"nodeAffinity",
         {{"required",
           {{"nodeSelectorTerms",
             Json::array({{{"matchExpressions",
                            Json::array({{{"key", "a"}, {"operator", "Like"}}})}}})}}}}}}}};
  load(testing::node_object("m"));
  for (const auto& [name, affinity] : affinities) {
    Json more = affinity;
    more["local"] = {{"path", "/disk"}};
    load(volume_object(name, name, more));
    load(claim_object(name, name));
    load(with_claim(to_be_placed(name), name));
  }
  start();
  EXPECT_THAT(removed, IsEmpty());
  for (const std::string name : {"no-terms", "empty-term", "odd-operator"}) {
    EXPECT_THAT(waits_because(name),
                HasSubstr("node(s) didn't match PersistentVolume's node affinity"));
  }
  for (const std::string name : {"none", "null"}) {
    EXPECT_EQ(waits_because(name), "it does not wait");
  }
}

TEST_F(BadInput, WhatDriversPublishRemovesNobody) {
  Json drivers = Json::array({{{"name", ""}, {"allocatable", {{"count", 3}}}}});
  for (int i = 0; i < 3'000; ++i) {
    drivers.push_back({{"name", "d" + std::to_string(i)},
                       {"nodeID", "n"},
                       {"allocatable", {{"count", i % 2 == 0 ? -1 : 9'000'000'000'000'000'000}}}});
  }
  const std::string storage = "storage.k8s.io/v1";
  load({{"apiVersion", storage},
        {"kind", "CSINode"},
        {"metadata", {{"name", "n"}}},
        {"spec", {{"drivers", drivers}}}});
  load({{"apiVersion", storage},
        {"kind", "CSINode"},
        {"metadata", {{"name", "odd"}}},
        {"spec",
         {{"drivers", Json::array({{{"name", "d"}, {"allocatable", {{"count", "many"}}}}})}}}});
  load({{"apiVersion", storage},
        {"kind", "CSIDriver"},
        {"metadata", {{"name", "d3"}}},
        {"spec", {{"storageCapacity", true}}}});
  load({{"apiVersion", storage},
        {"kind", "StorageClass"},
        {"metadata", {{"name", "made"}}},
        {"provisioner", "d3"},
        {"volumeBindingMode", "WaitForFirstConsumer"}});
  load({{"apiVersion", storage},
        {"kind", "StorageClass"},
        {"metadata", {{"name", "odd"}}},
        {"provisioner", "kubernetes.io/no-provisioner"},
        {"volumeBindingMode", "WhenItSuits"}});
  for (const auto& [name, amount] :
       {std::pair<std::string, std::string>("much", "much"), {"negative", "-5Gi"}}) {
    load({{"apiVersion", storage},
          {"kind", "CSIStorageCapacity"},
          {"metadata", {{"name", name}, {"namespace", "default"}}},
          {"storageClassName", "made"},
          {"nodeTopology", Json::object()},
          {"capacity", amount}});
  }
  load({{"apiVersion", storage},
        {"kind", "CSIStorageCapacity"},
        {"metadata", {{"name", "odd-topology"}, {"namespace", "default"}}},
        {"storageClassName", "made"},
        {"nodeTopology", {{"matchExpressions", Json::array({{{"key", "a"}, {"operator", "Is"}}})}}},
        {"capacity", "5Gi"}});
  // One volume of a driver whose limit is below zero; one that cannot be made; one of no mode.
  load(volume_object("below", "below", {{"csi", {{"driver", "d2998"}, {"volumeHandle", "h"}}}}));
  load(claim_object("below", "below"));
  for (const std::string of : {"made", "odd"}) {
    Json claim = claim_object(of, "");
    claim["metadata"].erase("annotations");
    claim["spec"].erase("volumeName");
    claim["spec"]["storageClassName"] = of;
    load(std::move(claim));
  }
  for (const std::string name : {"below", "made", "odd"}) {
    load(with_claim(to_be_placed(name), name));
  }
  start();
  EXPECT_THAT(removed, IsEmpty());
  EXPECT_THAT(waits_because("below"), HasSubstr("node(s) exceed max volume count"));
  EXPECT_THAT(waits_because("made"), HasSubstr("node(s) did not have enough free storage"));
  EXPECT_THAT(waits_because("odd"), HasSubstr("unbound immediate PersistentVolumeClaims"));
  EXPECT_THAT(unreadable, Contains("CSINode odd"));
  EXPECT_THAT(unreadable, Contains("CSIStorageCapacity default/much"));
}

}  // namespace
}  // namespace elbowroom::lab

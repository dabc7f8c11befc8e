// Which pods may be moved at all: by what they say, by the configuration, by their owners.
#include "policy/moves/movable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "policy/model/condition.h"
#include "test/node_world.h"
#include "test/pods.h"

namespace elbowroom::policy {
namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;

constexpr Time kNow = test::kNoon;

Pod replica(const std::string& name) {
  Pod pod = test::running_pod(name, 100, 0, 0);
  pod.controller = Owner{.kind = "ReplicaSet", .name = "web", .uid = "rs"};
  pod.started = kNow - 1h;
  pod.conditions.push_back(test::condition(kReady, "", "True"));
  return pod;
}

TEST(Movable, AReplicaThatRunsIs) {
  EXPECT_EQ(why_not_moved(replica("a")), "");
  EXPECT_EQ(why_not_moved(replica("a"), {}), "");
}

TEST(Movable, WhatAPodSaysItselfKeepsIt) {
  struct Row {
    const char* why;
    std::function<void(Pod&)> make;
  };
  const std::vector<Row> rows = {
      {"terminating", [](Pod& pod) { pod.deletion = kNow; }},
      {"does not run", [](Pod& pod) { pod.phase = Phase::Pending; }},
      {"does not run", [](Pod& pod) { pod.phase = Phase::Succeeded; }},
      {"static", [](Pod& pod) { pod.is_static = true; }},
      {"static", [](Pod& pod) { pod.is_mirror = true; }},
      {"critical", [](Pod& pod) { pod.priority = 2'000'000'000; }},
      {"no controller", [](Pod& pod) { pod.controller.reset(); }},
      {"DaemonSet", [](Pod& pod) { pod.controller->kind = "DaemonSet"; }},
      {"elbowroom.dev/move", [](Pod& pod) { pod.never_moves = true; }},
      {"group", [](Pod& pod) { pod.scheduling_group = "train"; }},
      {"resize",
       [](Pod& pod) {
         pod.conditions.push_back(test::condition(kPodResizePending, "Deferred", "True"));
       }},
      {"resize",
       [](Pod& pod) {
         pod.conditions.push_back(test::condition(kPodResizeInProgress, "", "True"));
       }},
      {"about to be removed",
       [](Pod& pod) { pod.conditions.push_back(test::condition(kDisruptionTarget, "x", "True")); }},
  };
  for (const Row& row : rows) {
    Pod pod = replica("a");
    row.make(pod);
    EXPECT_THAT(std::string(why_not_moved(pod)), HasSubstr(row.why));
  }
}

TEST(Movable, TheConfigurationKeepsNamespacesAndLocalStorage) {
  Pod pod = replica("a");
  MoveRules rules{.namespaces = {.include = {"other"}}};
  EXPECT_THAT(std::string(why_not_moved(pod, rules)), HasSubstr("namespace"));
  rules.namespaces = {.include = {"default"}};
  EXPECT_EQ(why_not_moved(pod, rules), "");
  rules.namespaces = {.exclude = {"default"}};
  EXPECT_THAT(std::string(why_not_moved(pod, rules)), HasSubstr("namespace"));
  pod.placement.has_local_storage = true;
  rules = {};
  EXPECT_THAT(std::string(why_not_moved(pod, rules)), HasSubstr("protectLocalStorage"));
  rules.protect_local_storage = false;
  EXPECT_EQ(why_not_moved(pod, rules), "");
}

TEST(Movable, NodesThatAreCordonedOrNotReadyTakeNoPart) {
  Node node = test::node(1000, test::kGi);
  EXPECT_TRUE(takes_part(node));
  node.unschedulable = true;
  EXPECT_FALSE(takes_part(node));
  node.unschedulable = false;
  for (const NodeReady ready : {NodeReady::False, NodeReady::Unknown}) {
    node.ready = ready;
    EXPECT_FALSE(takes_part(node));
  }
}

TEST(Movable, ANodeWherePodsAreAskedToGoIsRestless) {
  std::vector<Pod> pods = {replica("a"), replica("b")};
  EXPECT_FALSE(is_restless(pods));
  pods[1].conditions.push_back(test::condition(kDisruptionTarget, "EvictionByEvictionAPI", "True"));
  EXPECT_TRUE(is_restless(pods));
}

TEST(Replicas, APodThatLeavesOrIsOverIsNone) {
  EXPECT_TRUE(replica_of(replica("a")));
  Pod leaves = replica("a");
  leaves.deletion = kNow;
  EXPECT_FALSE(replica_of(leaves));
  Pod is_over = replica("a");
  is_over.phase = Phase::Failed;
  EXPECT_FALSE(replica_of(is_over));
}

// ---- owners ----

struct OwnerWorld {
  std::map<std::string, MoveOwner, std::less<>> owners{};
  std::vector<Pod> replicas{replica("a"), replica("b")};
  ClusterRoom room{};
  bool knows_time = true;

  [[nodiscard]] MoveScene scene() {
    return {.room = room,
            .replicas_of =
                [this](const Pod&) {
                  std::vector<Replica> all;
                  for (const Pod& each : replicas) {
                    if (auto one = replica_of(each)) all.push_back(*one);
                  }
                  return all;
                },
            .owner = [this](std::string_view uid) -> const MoveOwner* {
              const auto at = owners.find(uid);
              return at == owners.end() ? nullptr : &at->second;
            },
            .now = kNow,
            .knows_time = knows_time};
  }
  std::string why() { return why_owner_waits(replicas[0], scene()); }
  void add(const std::string& uid, const std::string& kind, const std::string& controller,
           const std::string& rolls_out) {
    owners[uid] = {.kind = kind,
                   .ns = "default",
                   .name = "web",
                   .uid = uid,
                   .controller = controller,
                   .tells = true,
                   .rolls_out = rolls_out};
  }
};

TEST(MoveOwners, ADeploymentSaysWhetherItIsAtRest) {
  OwnerWorld world;
  world.add("rs", "ReplicaSet", "dep", "1 of 2 replicas are ready");
  world.add("dep", "Deployment", "", "");
  EXPECT_EQ(world.why(), "");
  world.add("dep", "Deployment", "", "1 of 2 replicas are updated");
  EXPECT_THAT(world.why(), HasSubstr("Deployment default/web rolls out: 1 of 2"));
  const TopOwner top = top_owner(world.replicas[0], world.scene());
  EXPECT_EQ(top.uid, "dep");
  EXPECT_EQ(top.name, "Deployment default/web");
}

TEST(MoveOwners, WhereNothingIsKnownOfItsObjectItsPodsSayIt) {
  OwnerWorld world;
  EXPECT_EQ(world.why(), "");
  EXPECT_EQ(top_owner(world.replicas[0], world.scene()).name, "ReplicaSet default/web");
  world.replicas[1].conditions[0].status = "False";
  EXPECT_THAT(world.why(), HasSubstr("pod default/b of its owner is not Ready"));
  world.replicas[1] = replica("b");
  world.replicas[1].started = kNow - 59s;
  EXPECT_THAT(world.why(), HasSubstr("started less than a minute ago"));
  world.knows_time = false;
  EXPECT_EQ(world.why(), "") << "the newest time of a file says nothing of now";
  world.replicas[1].node.clear();
  EXPECT_THAT(world.why(), HasSubstr("not Ready"));
}

TEST(MoveOwners, OwnersInARingEndInAnAnswer) {
  OwnerWorld world;
  world.add("rs", "ReplicaSet", "rs", "");
  EXPECT_EQ(world.why(), "");
  EXPECT_EQ(top_owner(world.replicas[0], world.scene()).uid, "rs");
}

}  // namespace
}  // namespace elbowroom::policy

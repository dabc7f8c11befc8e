// What selects a pod, and how a pod without constraints is spread by it.
#include "policy/placement/default_spread.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "test/cluster_world.h"

namespace elbowroom::policy {
namespace {

Selecting service(const std::string& name, Labels labels, const std::string& ns = "default") {
  return {.kind = SelectingKind::Service,
          .ns = ns,
          .name = name,
          .selector = {.match_labels = std::move(labels)}};
}
Selecting of_controller(SelectingKind kind, const std::string& name, LabelSelector selector) {
  return {.kind = kind, .ns = "default", .name = name, .selector = std::move(selector)};
}
Pod web(std::optional<Owner> owner = {}) {
  Pod pod = test::ClusterWorld::pending("web", 0, 100);
  pod.labels = {{"app", "web"}, {"tier", "front"}};
  pod.controller = std::move(owner);
  return pod;
}

struct Case {
  std::string about;
  std::vector<Selecting> objects{};
  Pod pod = web();
  std::optional<LabelSelector> expected{};
};

TEST(SelectingIndex, MergesServicesAndTheController) {
  const LabelExpression has_tier{.key = "tier", .op = LabelOperator::Exists};
  const std::vector<Case> cases = {
      {.about = "nothing there"},
      {.about = "a service of its labels",
       .objects = {service("a", {{"app", "web"}})},
       .expected = LabelSelector{.match_labels = {{"app", "web"}}}},
      {.about = "services of other labels, of another namespace, of no labels",
       .objects = {service("a", {{"app", "db"}}), service("b", {{"app", "web"}, {"x", "y"}}),
                   service("c", {{"app", "web"}}, "other"), service("d", {})}},
      {.about = "two services",
       .objects = {service("a", {{"app", "web"}}), service("b", {{"tier", "front"}})},
       .expected = LabelSelector{.match_labels = {{"app", "web"}, {"tier", "front"}}}},
      {.about = "a replica set beside a service",
       .objects = {service("a", {{"app", "web"}}),
                   of_controller(SelectingKind::ReplicaSet, "rs",
                                 {.match_labels = {{"app", "web"}}, .expressions = {has_tier}})},
       .pod = web(Owner{.kind = "ReplicaSet", .name = "rs", .uid = "u"}),
       .expected = LabelSelector{.match_labels = {{"app", "web"}}, .expressions = {has_tier}}},
      {.about = "a stateful set that contradicts a service",
       .objects = {service("a", {{"app", "web"}}),
                   of_controller(SelectingKind::StatefulSet, "set",
                                 {.match_labels = {{"app", "db"}}})},
       .pod = web(Owner{.kind = "StatefulSet", .name = "set", .uid = "u"}),
       .expected =
           LabelSelector{
               .match_labels = {{"app", "web"}},
               .expressions = {{.key = "app", .op = LabelOperator::In, .values = {"db"}}}}},
      {.about = "a replication controller that contradicts a service",
       .objects = {service("a", {{"app", "web"}}),
                   of_controller(SelectingKind::ReplicationController, "rc",
                                 {.match_labels = {{"app", "db"}}})},
       .pod = web(Owner{.kind = "ReplicationController", .name = "rc", .uid = "u"}),
       .expected = LabelSelector{.match_labels = {{"app", "db"}}}},
      {.about = "a controller that is not known, of another kind, of another group",
       .objects = {of_controller(SelectingKind::StatefulSet, "set",
                                 {.match_labels = {{"app", "web"}}})},
       .pod = web(Owner{.kind = "StatefulSet.apps.kruise.io", .name = "set", .uid = "u"})},
  };
  for (const Case& each : cases) {
    SelectingIndex index;
    for (const Selecting& object : each.objects) index.put(object);
    EXPECT_EQ(index.selector_of(each.pod), each.expected) << each.about;
    // Each may come again, and all may go.
    for (const Selecting& object : each.objects) index.put(object);
    EXPECT_EQ(index.selector_of(each.pod), each.expected) << each.about;
    for (const Selecting& object : each.objects) index.remove(object.kind, object.ns, object.name);
    EXPECT_EQ(index.selector_of(each.pod), std::nullopt) << each.about;
  }
}

TEST(SelectingIndex, AServiceThatChangesSelectsOtherPods) {
  SelectingIndex index;
  index.put(service("a", {{"app", "web"}}));
  index.put(service("a", {{"app", "db"}}));
  EXPECT_EQ(index.selector_of(web()), std::nullopt);
  EXPECT_EQ(index.keys_of(SelectingKind::Service), (std::vector<std::string>{"default/a"}));
  index.remove(SelectingKind::Service, "default", "b");
  index.remove(SelectingKind::Service, "default", "a");
  EXPECT_TRUE(index.keys_of(SelectingKind::Service).empty());
}

// Without a service the last by name of two equal nodes would never be taken.
TEST(DefaultSpread, PodsOfAServiceSpreadOverNodesAndZones) {
  test::ClusterWorld world;
  for (const char* name : {"a-1", "a-2", "b-1"}) {
    world.node(name, 4000).labels["topology.kubernetes.io/zone"] = std::string(name).substr(0, 1);
  }
  for (const char* on : {"a-1", "a-2"}) {
    Pod& pod = world.runs(std::string("web-") + on, on, 0, 0);
    pod.labels = web().labels;
  }
  world.runs("else", "b-1", 0, 1000);
  EXPECT_EQ(world.ask(web()).node, "a-1");
  world.selecting = {service("web", {{"app", "web"}})};
  EXPECT_EQ(world.ask(web()).node, "b-1");
  // A constraint of its own, though it refuses nothing, takes the place of the defaults.
  Pod own = web();
  own.placement.spread = {{.topology_key = "kubernetes.io/hostname",
                           .selector = LabelSelector{.match_labels = {{"app", "other"}}}}};
  EXPECT_EQ(world.ask(own).node, "a-1");
}

TEST(DefaultSpread, ANodeWithoutAZoneIsScoredByItsPods) {
  test::ClusterWorld world;
  world.node("a", 4000);
  world.node("b", 4000);
  world.runs("web-1", "a", 0, 0).labels = web().labels;
  world.selecting = {service("web", {{"app", "web"}})};
  EXPECT_EQ(world.ask(web()).node, "b");
}

}  // namespace
}  // namespace elbowroom::policy

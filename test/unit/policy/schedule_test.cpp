#include "policy/placement/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "policy/model/removal_mark.h"
#include "test/cluster_world.h"

namespace elbowroom::policy {
namespace {

using test::answer_of;
using test::ClusterWorld;
using test::names_of;
using test::terminate;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

using Names = std::set<std::string>;

constexpr NodeCode kUnresolvable = NodeCode::UnschedulableAndUnresolvable;

// ---- filters ----

struct FilterRow {
  std::string what;
  void (*change)(ClusterWorld& world, Pod& pod);
  NodeCode code;
  std::vector<std::string> reasons;
};

LabelSelector labelled(const std::string& key, const std::string& value) {
  return {.match_labels = {{key, value}}};
}

PodTerm near_app(const std::string& app, const std::string& key = "kubernetes.io/hostname") {
  return {.selector = labelled("app", app), .namespaces = {"default"}, .topology_key = key};
}

NodeTerm node_term(const std::string& key, NodeOperator op, std::vector<std::string> values = {}) {
  return {.labels = {{.key = key, .op = op, .values = std::move(values)}}};
}

// One node of 1 cpu with a pod "there" (app=there) of half of that; a pod that wants 400m.
const std::vector<FilterRow>& filter_rows() {
  static const std::vector<FilterRow> rows = {
      {"fits", [](ClusterWorld&, Pod&) {}, NodeCode::Success, {}},
      {"cordoned",
       [](ClusterWorld& w, Pod&) { w.nodes[0].unschedulable = true; },
       kUnresolvable,
       {"node(s) were unschedulable"}},
      {"cordoned, tolerated",
       [](ClusterWorld& w, Pod& p) {
         w.nodes[0].unschedulable = true;
         p.placement.tolerations = {
             {.key = "node.kubernetes.io/unschedulable", .op = TolerationOperator::Exists}};
       },
       NodeCode::Success,
       {}},
      {"tainted",
       [](ClusterWorld& w, Pod&) { w.nodes[0].taints = {{.key = "a", .value = "b"}}; },
       kUnresolvable,
       {"node(s) had untolerated taint(s)"}},
      {"tainted, another value tolerated",
       [](ClusterWorld& w, Pod& p) {
         w.nodes[0].taints = {{.key = "a", .value = "b", .effect = TaintEffect::NoExecute}};
         p.placement.tolerations = {{.key = "a", .value = "c"}};
       },
       kUnresolvable,
       {"node(s) had untolerated taint(s)"}},
      {"tainted, tolerated",
       [](ClusterWorld& w, Pod& p) {
         w.nodes[0].taints = {{.key = "a", .value = "b", .effect = TaintEffect::NoExecute}};
         p.placement.tolerations = {{.key = "a", .value = "b", .effect = TaintEffect::NoExecute}};
       },
       NodeCode::Success,
       {}},
      {"softly tainted",
       [](ClusterWorld& w, Pod&) {
         w.nodes[0].taints = {{.key = "a", .effect = TaintEffect::PreferNoSchedule}};
       },
       NodeCode::Success,
       {}},
      {"selector",
       [](ClusterWorld&, Pod& p) { p.placement.node_selector = {{"disk", "ssd"}}; },
       kUnresolvable,
       {"node(s) didn't match Pod's node affinity/selector"}},
      {"affinity, one of two terms",
       [](ClusterWorld& w, Pod& p) {
         w.nodes[0].labels["cores"] = "8";
         p.placement.required_nodes = {node_term("disk", NodeOperator::Exists),
                                       node_term("cores", NodeOperator::Gt, {"7"})};
       },
       NodeCode::Success,
       {}},
      {"affinity, not more than",
       [](ClusterWorld& w, Pod& p) {
         w.nodes[0].labels["cores"] = "8";
         p.placement.required_nodes = {node_term("cores", NodeOperator::Gt, {"8"})};
       },
       kUnresolvable,
       {"node(s) didn't match Pod's node affinity/selector"}},
      {"affinity, a label that is not there is not in a list",
       [](ClusterWorld&, Pod& p) {
         p.placement.required_nodes = {node_term("disk", NodeOperator::NotIn, {"hdd"})};
       },
       NodeCode::Success,
       {}},
      {"affinity, no terms match no node",
       [](ClusterWorld&, Pod& p) { p.placement.required_nodes = {NodeTerm{}}; },
       kUnresolvable,
       {"node(s) didn't match Pod's node affinity/selector"}},
      {"affinity by name",
       [](ClusterWorld&, Pod& p) {
         p.placement.required_nodes = {NodeTerm{
             .names = {{.key = "metadata.name", .op = NodeOperator::In, .values = {"other"}}}}};
       },
       kUnresolvable,
       {"node(s) didn't match Pod's node affinity/selector"}},
      {"host port",
       [](ClusterWorld& w, Pod& p) {
         w.pods[0].placement.host_ports = {{.ip = "10.0.0.1", .port = 80}};
         p.placement.host_ports = {{.port = 80}};
       },
       NodeCode::Unschedulable,
       {"node(s) didn't have free ports for the requested pod ports"}},
      {"host port of another address, and of another protocol",
       [](ClusterWorld& w, Pod& p) {
         w.pods[0].placement.host_ports = {{.ip = "10.0.0.1", .port = 80}};
         p.placement.host_ports = {{.ip = "10.0.0.2", .port = 80},
                                   {.protocol = Protocol::Udp, .port = 80}};
       },
       NodeCode::Success,
       {}},
      {"too many pods",
       [](ClusterWorld& w, Pod&) { w.nodes[0].allowed_pods = 1; },
       NodeCode::Unschedulable,
       {"Too many pods"}},
      {"a node that takes no pod, and one that asks for nothing",
       [](ClusterWorld& w, Pod& p) {
         w.nodes[0].allowed_pods = 0;
         p.containers[0].desired.requests = {};
       },
       NodeCode::Unschedulable,
       {"Too many pods"}},
      {"a node of which nothing is known, and one that asks for nothing",
       [](ClusterWorld& w, Pod& p) {
         w.nodes[0].allocatable = {};
         w.nodes[0].allowed_pods = 0;
         p.containers[0].desired.requests = {};
       },
       NodeCode::Unschedulable,
       {"Too many pods"}},
      {"too little room",
       [](ClusterWorld& w, Pod& p) {
         w.nodes[0].allowed_pods = 1;
         p.containers[0].desired.requests = test::figures(501, test::kNodeMemory);
         w.pods[0].containers[0].desired.requests.memory.value = 1;
       },
       NodeCode::Unschedulable,
       {"Too many pods", "Insufficient cpu", "Insufficient memory"}},
      {"above allocatable",
       [](ClusterWorld&, Pod& p) { p.containers[0].desired.requests = test::figures(1001); },
       kUnresolvable,
       {"Insufficient cpu"}},
      {"above allocatable of one, too little of another",
       [](ClusterWorld&, Pod& p) {
         p.containers[0].desired.requests = test::figures(900, test::kNodeMemory + 1);
       },
       kUnresolvable,
       {"Insufficient cpu", "Insufficient memory"}},
      {"what is not asked for is not looked at",
       [](ClusterWorld& w, Pod& p) {
         w.nodes[0].allocatable.memory.value = 0;
         w.pods[0].containers[0].desired.requests.memory.value = 7;
         p.containers[0].desired.requests = test::figures(1);
       },
       NodeCode::Success,
       {}},
      {"a resource of others that the node does not have",
       [](ClusterWorld&, Pod& p) {
         set_amount(p.containers[0].desired.requests, "example.com/gpu", 1);
       },
       kUnresolvable,
       {"Insufficient example.com/gpu"}},
      {"a resource of others that is used",
       [](ClusterWorld& w, Pod& p) {
         set_amount(w.nodes[0].allocatable, "example.com/gpu", 2);
         set_amount(w.pods[0].containers[0].desired.requests, "example.com/gpu", 1);
         set_amount(p.containers[0].desired.requests, "example.com/gpu", 2);
       },
       NodeCode::Unschedulable,
       {"Insufficient example.com/gpu"}},
      {"gated",
       [](ClusterWorld&, Pod& p) { p.placement.gates = {"g"}; },
       kUnresolvable,
       {"Scheduling is blocked due to non-empty scheduling gates"}},
      {"claims",
       [](ClusterWorld&, Pod& p) { p.has_resource_claims = true; },
       kUnresolvable,
       {"resource claims are not supported"}},
      {"volumes",
       [](ClusterWorld&, Pod& p) { p.placement.claims = {{.name = "c"}}; },
       kUnresolvable,
       {"persistentvolumeclaim \"c\" not found"}},
      {"spread: no such label",
       [](ClusterWorld&, Pod& p) {
         p.placement.spread = {{.topology_key = "zone", .selector = LabelSelector{}}};
       },
       kUnresolvable,
       {"node(s) didn't match pod topology spread constraints (missing required label)"}},
      {"spread: the only domain is never too crowded",
       [](ClusterWorld&, Pod& p) {
         p.placement.spread = {
             {.topology_key = "kubernetes.io/hostname", .selector = LabelSelector{}}};
       },
       NodeCode::Success,
       {}},
      {"spread: too few domains",
       [](ClusterWorld&, Pod& p) {
         p.placement.spread = {{.topology_key = "kubernetes.io/hostname",
                                .selector = LabelSelector{},
                                .min_domains = 2}};
       },
       NodeCode::Unschedulable,
       {"node(s) didn't match pod topology spread constraints"}},
      {"near somebody who is not there",
       [](ClusterWorld&, Pod& p) { p.placement.required_affinity = {near_app("db")}; },
       kUnresolvable,
       {"node(s) didn't match pod affinity rules"}},
      {"near somebody who is there",
       [](ClusterWorld&, Pod& p) { p.placement.required_affinity = {near_app("there")}; },
       NodeCode::Success,
       {}},
      {"near its own kind, of which it is the first",
       [](ClusterWorld&, Pod& p) {
         p.labels = {{"app", "web"}};
         p.placement.required_affinity = {near_app("web")};
       },
       NodeCode::Success,
       {}},
      {"near somebody of another namespace",
       [](ClusterWorld& w, Pod& p) {
         w.pods[0].ns = "other";
         p.placement.required_affinity = {near_app("there")};
       },
       kUnresolvable,
       {"node(s) didn't match pod affinity rules"}},
      {"near somebody of a namespace with that label",
       [](ClusterWorld& w, Pod& p) {
         w.pods[0].ns = "other";
         w.namespaces["other"] = {{"team", "a"}};
         p.placement.required_affinity = {near_app("there")};
         p.placement.required_affinity[0].namespaces.clear();
         p.placement.required_affinity[0].namespace_selector = labelled("team", "a");
       },
       NodeCode::Success,
       {}},
      {"apart from somebody who is there",
       [](ClusterWorld&, Pod& p) { p.placement.required_anti_affinity = {near_app("there")}; },
       NodeCode::Unschedulable,
       {"node(s) didn't match pod anti-affinity rules"}},
      {"somebody who is there wants it elsewhere",
       [](ClusterWorld& w, Pod& p) {
         p.labels = {{"app", "web"}};
         w.pods[0].placement.required_anti_affinity = {near_app("web")};
       },
       NodeCode::Unschedulable,
       {"node(s) didn't satisfy existing pods anti-affinity rules"}},
  };
  return rows;
}

TEST(Filters, EachSaysItsReasonAndWhetherPreemptionCouldHelp) {
  for (const FilterRow& row : filter_rows()) {
    ClusterWorld world;
    world.node("node1", 1000);
    world.runs("there", "node1", 5000, 500).labels = {{"app", "there"}};
    Pod pod = ClusterWorld::pending("web", 100, 400);
    row.change(world, pod);
    for (const RuleSet rules : {RuleSet::Elbowroom, RuleSet::Upstream}) {
      const SchedulingDecision decision = world.ask(pod, rules);
      const NodeAnswer& answer = answer_of(decision, "node1");
      EXPECT_EQ(answer.code, row.code) << row.what;
      EXPECT_EQ(answer.reasons, row.reasons) << row.what;
      EXPECT_EQ(answer.score.has_value(), row.code == NodeCode::Success) << row.what;
    }
  }
}

TEST(Filters, ANodeWithoutTheLabelIsInNoDomainThatAPodKeepsAwayFrom) {
  ClusterWorld world;
  world.node("node1", 1000);
  world.runs("foe", "node1", 0, 10).labels = {{"app", "foe"}};
  Pod pod = ClusterWorld::pending("web", 0, 100);
  pod.placement.spread = {{.topology_key = "kubernetes.io/hostname", .selector = LabelSelector{}}};
  pod.placement.required_anti_affinity = {near_app("foe", "zone")};
  EXPECT_EQ(world.ask(pod).result, SchedulingResult::Bind);
  world.nodes[0].labels["zone"] = "a";
  EXPECT_EQ(world.ask(pod).result, SchedulingResult::Unschedulable);
}

TEST(Filters, SpreadCountsTheDomainsThatThePodMayUse) {
  ClusterWorld world;
  for (const char* name : {"a1", "a2", "b1", "c1"}) world.node(name, 4000).labels["zone"] = name[0];
  world.nodes[3].labels["pool"] = "other";
  for (int i = 0; i < 2; ++i) {
    world.runs("a-" + std::to_string(i), "a1", 0, 1).labels = {{"app", "web"}};
  }
  world.runs("b-0", "b1", 0, 1).labels = {{"app", "web"}};
  Pod pod = ClusterWorld::pending("web", 0, 1);
  pod.labels = {{"app", "web"}};
  pod.placement.spread = {{.topology_key = "zone", .selector = labelled("app", "web")}};
  const auto codes = [&] {
    const SchedulingDecision decision = world.ask(pod);
    std::string text;
    for (const NodeAnswer& each : decision.nodes) text += each.score ? 'y' : 'n';
    return text;
  };
  EXPECT_EQ(codes(), "nnny") << "zone c is empty, so the skew in b would be 2";
  // A zone that the pod may not use is none: b has the fewest.
  pod.placement.required_nodes = {node_term("pool", NodeOperator::DoesNotExist)};
  EXPECT_EQ(codes(), "nnyn");
  pod.placement.spread[0].honors_node_affinity = false;
  EXPECT_EQ(codes(), "nnnn");
  pod.placement.spread[0].max_skew = 2;
  EXPECT_EQ(codes(), "nnyn");
  // A terminating pod does not count.
  world.pods[0].deletion = world.now;
  EXPECT_EQ(codes(), "yyyn");
}

// ---- the choice, where a node fits ----

TEST(Scores, TheEmptierNodeIsBetterAndTiesGoByName) {
  ClusterWorld world;
  world.node("node2", 1000);
  world.node("node1", 1000);
  world.node("node3", 1000);
  world.runs("there", "node1", 0, 500);
  const Pod pod = ClusterWorld::pending("web", 0, 100);
  const SchedulingDecision decision = world.ask(pod);
  EXPECT_EQ(decision.result, SchedulingResult::Bind);
  EXPECT_EQ(decision.node, "node2");
  EXPECT_EQ(decision.message, "");
  EXPECT_GT(answer_of(decision, "node2").score, answer_of(decision, "node1").score);
  EXPECT_EQ(answer_of(decision, "node2").score, answer_of(decision, "node3").score);
}

// ln(4 + 2) is 1.79: the costs are 5.4, 3.6, 1.8 and 0, and upstream rounds them to 5, 4, 2 and 0.
TEST(Scores, TheSumOfASpreadIsRoundedNotItsParts) {
  ClusterWorld world;
  for (int node = 0; node < 4; ++node) {
    const std::string name = "node" + std::to_string(node);
    world.node(name, 10'000);
    for (int i = node; i < 3; ++i) {
      world.runs("there" + name + std::to_string(i), name, 0, 100).labels["app"] = "x";
    }
  }
  Pod pod = ClusterWorld::pending("web", 0, 100);
  const SchedulingDecision without = world.ask(pod);
  pod.placement.spread = {{.topology_key = "kubernetes.io/hostname",
                           .required = false,
                           .selector = LabelSelector{.match_labels = {{"app", "x"}}}}};
  const SchedulingDecision with = world.ask(pod);
  std::vector<std::int64_t> scores;
  for (int node = 0; node < 4; ++node) {
    const std::string name = "node" + std::to_string(node);
    scores.push_back((*answer_of(with, name).score - *answer_of(without, name).score) / 2);
  }
  EXPECT_EQ(scores, (std::vector<std::int64_t>{0, 20, 60, 100}));
}

struct ScoreRow {
  std::string what;
  void (*change)(ClusterWorld& world, Pod& pod);
};

// Of two nodes the first is the better one by name and by what it has; each row turns it over.
TEST(Scores, WishesOutweighALittleMoreRoom) {
  const std::vector<ScoreRow> rows = {
      {"soft taint",
       [](ClusterWorld& w, Pod&) {
         w.nodes[0].taints = {{.key = "a", .effect = TaintEffect::PreferNoSchedule}};
       }},
      {"preferred nodes",
       [](ClusterWorld& w, Pod& p) {
         w.nodes[1].labels["disk"] = "ssd";
         p.placement.preferred_nodes = {
             {.weight = 1, .term = node_term("disk", NodeOperator::In, {"ssd"})}};
       }},
      {"preferred neighbours",
       [](ClusterWorld&, Pod& p) {
         p.placement.preferred_affinity = {{.weight = 1, .term = near_app("there")}};
       }},
      {"neighbours that prefer it",
       [](ClusterWorld& w, Pod& p) {
         p.labels = {{"app", "web"}};
         w.pods[0].placement.preferred_affinity = {{.weight = 1, .term = near_app("web")}};
       }},
      {"neighbours that need it",
       [](ClusterWorld& w, Pod& p) {
         p.labels = {{"app", "web"}};
         w.pods[0].placement.required_affinity = {near_app("web")};
       }},
      {"neighbours to keep away from",
       [](ClusterWorld& w, Pod& p) {
         w.runs("bad", "node1", 0, 1).labels = {{"app", "bad"}};
         p.placement.preferred_anti_affinity = {{.weight = 1, .term = near_app("bad")}};
       }},
      {"spread",
       [](ClusterWorld& w, Pod& p) {
         w.runs("web-0", "node1", 0, 1).labels = {{"app", "web"}};
         p.labels = {{"app", "web"}};
         p.placement.spread = {{.topology_key = "kubernetes.io/hostname",
                                .required = false,
                                .selector = labelled("app", "web")}};
       }},
      {"to be avoided",
       [](ClusterWorld& w, Pod& p) {
         p.controller = Owner{"ReplicaSet", "web", "rs-1"};
         w.nodes[0].avoided_controllers = {{"rs-0", {}}, {"rs-1", {}}};
         // Even against every wish at once.
         w.nodes[0].labels["disk"] = "ssd";
         p.placement.preferred_nodes = {
             {.weight = 100, .term = node_term("disk", NodeOperator::Exists)}};
         w.nodes[1].taints = {{.key = "a", .effect = TaintEffect::PreferNoSchedule}};
       }},
  };
  for (const ScoreRow& row : rows) {
    ClusterWorld world;
    world.node("node1", 1000);
    world.node("node2", 1000);
    world.runs("there", "node2", 0, 100).labels = {{"app", "there"}};
    Pod pod = ClusterWorld::pending("web", 0, 100);
    ASSERT_EQ(world.ask(pod).node, "node1");
    row.change(world, pod);
    EXPECT_EQ(world.ask(pod).node, "node2") << row.what;
  }
}

// ---- messages ----

TEST(Messages, ReasonsAreCountedAndSortedAsTexts) {
  ClusterWorld world;
  for (int i = 0; i < 12; ++i) {
    world.node("node" + std::to_string(i), 1000).unschedulable = i < 10;
  }
  world.runs("a", "node10", 1000, 800);
  world.runs("b", "node11", 1000, 800);
  Pod pod = ClusterWorld::pending("web", 100, 500);
  EXPECT_EQ(world.ask(pod).message,
            "0/12 nodes are available: 10 node(s) were unschedulable, 2 Insufficient cpu. "
            "preemption: 0/12 nodes are available: 10 Preemption is not helpful for scheduling, "
            "2 No preemption victims found for incoming pod.");
  pod.preemption_policy = PreemptionPolicy::Never;
  EXPECT_EQ(world.ask(pod).message,
            "0/12 nodes are available: 10 node(s) were unschedulable, 2 Insufficient cpu. "
            "preemption: not eligible due to preemptionPolicy=Never.");
  world.pods[1].priority = 0;
  pod.preemption_policy = PreemptionPolicy::PreemptLowerPriority;
  const SchedulingDecision decision = world.ask(pod);
  EXPECT_EQ(decision.result, SchedulingResult::Preempt);
  EXPECT_EQ(decision.message,
            "0/12 nodes are available: 10 node(s) were unschedulable, 2 Insufficient cpu.");
}

TEST(Messages, WhatIsStillLackingWithAllGoneIsTold) {
  ClusterWorld world;
  world.node("node1", 1000);
  world.runs("high", "node1", 1000, 600);
  world.runs("low", "node1", 0, 300);
  EXPECT_EQ(world.ask(ClusterWorld::pending("web", 100, 500)).message,
            "0/1 nodes are available: 1 Insufficient cpu. "
            "preemption: 0/1 nodes are available: 1 Insufficient cpu.");
}

TEST(Messages, WithoutNodesThereIsNothingToCount) {
  const SchedulingDecision decision = ClusterWorld{}.ask(ClusterWorld::pending("web", 0, 1));
  EXPECT_EQ(decision.result, SchedulingResult::Unschedulable);
  EXPECT_THAT(decision.message, StartsWith("0/0 nodes are available: "));
}

// ---- preemption ----

TEST(Preemption, EveryUnschedulableNodeHasItsCandidate) {
  ClusterWorld world;
  world.node("node1", 1000);
  world.node("node2", 1000);
  world.node("node3", 1000).unschedulable = true;
  world.runs("a", "node1", 50, 900);
  world.runs("b", "node2", 10, 500);
  world.runs("c", "node2", 0, 400);
  world.runs("d", "node3", 0, 900);
  const SchedulingDecision decision = world.ask(ClusterWorld::pending("web", 100, 600));
  EXPECT_EQ(decision.result, SchedulingResult::Preempt);
  EXPECT_EQ(decision.node, "node2") << "its highest victim has the lower priority";
  EXPECT_EQ(names_of(decision.victims), Names{"b"}) << "c fits beside the pod";
  EXPECT_THAT(decision.victims[0].why, HasSubstr("500m cpu"));
  EXPECT_THAT(answer_of(decision, "node1").candidate->victims, ElementsAre("default/a"));
  EXPECT_THAT(answer_of(decision, "node2").candidate->victims, ElementsAre("default/b"));
  EXPECT_EQ(answer_of(decision, "node3").candidate, std::nullopt);
}

TEST(Preemption, OfEqualPriorityNobodyGoes) {
  ClusterWorld world;
  world.node("node1", 1000);
  world.runs("a", "node1", 100, 900);
  EXPECT_EQ(world.ask(ClusterWorld::pending("web", 100, 600)).result,
            SchedulingResult::Unschedulable);
}

TEST(Preemption, StaticAndMirrorPodsStay) {
  ClusterWorld world;
  world.node("node1", 1000);
  world.runs("a", "node1", 0, 400).is_static = true;
  world.runs("b", "node1", 0, 400).is_mirror = true;
  EXPECT_EQ(world.ask(ClusterWorld::pending("web", 100, 600)).result,
            SchedulingResult::Unschedulable);
}

// The ports and extended resources of a pod nominated to the node count, though no pod on the node
// has any.
TEST(Nominated, TheirPortsAndFurtherResourcesCount) {
  ClusterWorld world;
  set_amount(world.node("node1", 4'000).allocatable, "example.com/gpu", 1);
  world.runs("plain", "node1", 0, 100);
  Pod& promised = world.waits("promised", 100, 100, "node1");
  promised.placement.host_ports = {{.port = 80}};
  set_amount(promised.containers[0].desired.requests, "example.com/gpu", 1);
  const auto reasons = [&](auto dress) {
    Pod pod = ClusterWorld::pending("web", 50, 100);
    dress(pod);
    return answer_of(world.ask(pod), "node1").reasons;
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(reasons([](Pod&) {}), Texts{});
  EXPECT_EQ(reasons([](Pod& pod) { pod.placement.host_ports = {{.port = 81}}; }), Texts{});
  EXPECT_EQ(reasons([](Pod& pod) { pod.placement.host_ports = {{.port = 80}}; }),
            Texts{"node(s) didn't have free ports for the requested pod ports"});
  EXPECT_EQ(reasons([](Pod& pod) {
              set_amount(pod.containers[0].desired.requests, "example.com/gpu", 1);
            }),
            Texts{"Insufficient example.com/gpu"});
  EXPECT_EQ(reasons([](Pod& pod) { pod.containers[0].desired.requests.cpu.value = 3'850; }),
            Texts{"Insufficient cpu"});
}

TEST(Preemption, WhoTakesTheHostPortOrIsNotWantedGoes) {
  ClusterWorld world;
  world.node("node1", 1000);
  world.runs("port", "node1", 0, 1).placement.host_ports = {{.port = 80}};
  world.runs("unwanted", "node1", 10, 1).labels = {{"app", "db"}};
  world.runs("jealous", "node1", 20, 1).placement.required_anti_affinity = {near_app("web")};
  world.runs("bystander", "node1", 0, 500);
  Pod pod = ClusterWorld::pending("web", 100, 100);
  pod.labels = {{"app", "web"}};
  pod.placement.host_ports = {{.port = 80}};
  pod.placement.required_anti_affinity = {near_app("db")};
  const SchedulingDecision decision = world.ask(pod);
  EXPECT_EQ(decision.result, SchedulingResult::Preempt) << decision.message;
  EXPECT_EQ(names_of(decision.victims), (Names{"port", "unwanted", "jealous"}));
  for (const VictimReport& each : decision.victims) {
    EXPECT_THAT(each.why, HasSubstr("with it there: node(s) didn't")) << each.pod;
  }
}

// The seed's two decisions.
TEST(Preemption, NobodyIsKeptForAffinityAndNobodyGoesOnAnotherNode) {
  ClusterWorld world;
  world.node("node1", 1000).labels["zone"] = "z";
  world.node("node2", 1000).labels["zone"] = "z";
  world.runs("friend", "node1", 0, 900).labels = {{"app", "friend"}};
  Pod pod = ClusterWorld::pending("web", 100, 600);
  pod.placement.required_affinity = {near_app("friend")};
  const SchedulingDecision alone = world.ask(pod);
  EXPECT_EQ(alone.result, SchedulingResult::Unschedulable);

  // The pod that must not be in the zone runs on the other node, which is full of others' pods.
  world.pods.clear();
  world.runs("foe", "node2", 0, 10).labels = {{"app", "foe"}};
  world.runs("full", "node2", 1000, 900);
  pod.placement.required_affinity.clear();
  pod.placement.required_anti_affinity = {near_app("foe", "zone")};
  EXPECT_EQ(world.ask(pod).result, SchedulingResult::Unschedulable);
}

TEST(Preemption, ByUpstreamsRulesAPodThatNeverStartedHidesNoneThatDid) {
  ClusterWorld world;
  world.node("node1", 1000);
  world.node("node2", 1000);
  world.runs("long", "node1", 0, 500, 10);
  world.runs("not-yet", "node1", 0, 500).started.reset();
  world.runs("b1", "node2", 0, 500, 20);
  world.runs("b2", "node2", 0, 500, 20);
  const Pod pod = ClusterWorld::pending("new", 100, 1000);
  EXPECT_EQ(world.ask(pod, RuleSet::Upstream).node, "node2") << "they started later";
}

TEST(Preemption, BudgetsAreChargedFromTheLeastImportantUpAndHardOnesForbid) {
  ClusterWorld world;
  world.node("node1", 1000);
  world.runs("first", "node1", 10, 500, 1).labels = {{"app", "web"}};
  world.runs("second", "node1", 10, 500, 2).labels = {{"app", "web"}};
  world.budgets.upstream = {
      {.ns = "default", .name = "web", .selector = LabelSelector{}, .disruptions_allowed = 1}};
  const Pod pod = ClusterWorld::pending("new", 100, 500);
  EXPECT_EQ(names_of(world.ask(pod).victims), Names{"second"});
  EXPECT_EQ(world.ask(pod).budget_violations, 0);
  EXPECT_EQ(names_of(world.ask(pod, RuleSet::Upstream).victims), Names{"first"});

  world.budgets.ours = {{.ns = "default",
                         .name = "hard",
                         .selector = LabelSelector{},
                         .max_unavailable = IntOrPercent{0},
                         .hard = true}};
  EXPECT_EQ(world.ask(pod).result, SchedulingResult::Unschedulable);
  EXPECT_EQ(world.ask(pod, RuleSet::Upstream).result, SchedulingResult::Preempt);
}

TEST(Preemption, AnUnhealthyPodThatAPodDisruptionBudgetSparesBreaksNone) {
  ClusterWorld world;
  world.node("node1", 1000);
  world.node("node2", 1000);
  Pod& crashes = world.runs("crashes", "node1", 0, 900);
  crashes.labels = {{"app", "web"}};
  crashes.phase = Phase::Running;
  std::erase_if(crashes.conditions, [](const Condition& each) { return each.type == kReady; });
  crashes.conditions.push_back(test::condition(kReady, "", "False"));
  world.runs("free", "node2", 90, 900);
  world.budgets.upstream = {{.ns = "default",
                             .name = "web",
                             .selector = labelled("app", "web"),
                             .disruptions_allowed = 0,
                             .current_healthy = 1,
                             .desired_healthy = 2}};
  const Pod pod = ClusterWorld::pending("new", 100, 500);
  EXPECT_EQ(world.ask(pod).node, "node2") << "too few are healthy";
  world.budgets.upstream[0].desired_healthy = 1;
  EXPECT_EQ(world.ask(pod).node, "node1");
  EXPECT_EQ(world.ask(pod).budget_violations, 0);
  EXPECT_EQ(world.ask(pod, RuleSet::Upstream).node, "node2") << "kube-scheduler charges it";
}

TEST(Preemption, FewestViolationsDecideBetweenNodes) {
  ClusterWorld world;
  world.node("node1", 1000);
  world.node("node2", 1000);
  world.runs("covered", "node1", 0, 900).labels = {{"app", "web"}};
  world.runs("free", "node2", 90, 900);
  world.budgets.upstream = {{.ns = "default",
                             .name = "web",
                             .selector = labelled("app", "web"),
                             .disruptions_allowed = 0}};
  const SchedulingDecision decision = world.ask(ClusterWorld::pending("new", 100, 500));
  EXPECT_EQ(decision.node, "node2");
  EXPECT_EQ(answer_of(decision, "node1").candidate->budget_violations, 1);
}

// A DisruptionBudget of label app: web that allows nothing more, and is not hard.
DisruptionBudget used_up() {
  return {.ns = "default",
          .name = "web",
          .selector = labelled("app", "web"),
          .rate_disruptions = 0,
          .rate_per = std::chrono::hours(1)};
}

TEST(Preemption, ASoftDisruptionBudgetCostsNoPodOfHigherPriorityOnTheNode) {
  ClusterWorld world;
  world.node("node1", 1000);
  world.runs("bronze", "node1", 10, 500).labels = {{"app", "web"}};
  world.runs("silver", "node1", 20, 500);
  world.budgets.ours = {used_up()};
  const Pod pod = ClusterWorld::pending("gold", 100, 500);
  const SchedulingDecision got = world.ask(pod);
  EXPECT_EQ(names_of(got.victims), Names{"bronze"});
  EXPECT_EQ(got.budget_violations, 1) << "it is counted all the same";
  EXPECT_TRUE(got.victims.at(0).violates_budget);
  EXPECT_EQ(names_of(world.ask(pod, RuleSet::Upstream).victims), Names{"silver"});
}

TEST(Preemption, ASoftDisruptionBudgetDecidesAmongPodsOfOnePriority) {
  ClusterWorld world;
  world.node("node1", 1000);
  world.runs("covered", "node1", 10, 500, 2).labels = {{"app", "web"}};
  world.runs("free", "node1", 10, 500, 1);
  world.budgets.ours = {used_up()};
  EXPECT_EQ(names_of(world.ask(ClusterWorld::pending("new", 100, 500)).victims), Names{"free"})
      << "although it started first";
}

TEST(Preemption, ASoftDisruptionBudgetDecidesAmongNodesBehindPriorities) {
  ClusterWorld world;
  world.node("node1", 1000);
  world.node("node2", 1000);
  world.runs("covered", "node1", 10, 900, 2).labels = {{"app", "web"}};
  Pod& free = world.runs("free", "node2", 11, 900, 1);
  world.budgets.ours = {used_up()};
  const Pod pod = ClusterWorld::pending("new", 100, 500);
  EXPECT_EQ(world.ask(pod).node, "node1") << "its victim is less important";
  free.priority = 10;
  EXPECT_EQ(world.ask(pod).node, "node2") << "although its victim started first";
}

TEST(Preemption, AStuckNodeLosesNobody) {
  ClusterWorld world;
  world.node("node1", 1000);
  world.runs("low", "node1", 0, 900);
  const Pod pod = ClusterWorld::pending("web", 100, 600);
  world.nodes[0].ready = NodeReady::Unknown;
  EXPECT_EQ(world.ask(pod).result, SchedulingResult::Unschedulable);
  EXPECT_EQ(world.ask(pod, RuleSet::Upstream).result, SchedulingResult::Preempt);
}

// ---- room that is on its way ----

TEST(AwaitingVictims, TheNominatedNodeBeforeOthers) {
  ClusterWorld world;
  for (const char* name : {"node1", "node2", "node3"}) world.node(name, 1000);
  for (const char* name : {"node1", "node2"}) {
    terminate(world.runs(std::string("low-") + name, name, 500, 900), world.now, 10);
  }
  world.runs("victim", "node3", 0, 900);
  Pod pod = ClusterWorld::pending("web", 100, 600);
  const SchedulingDecision first = world.ask(pod);
  EXPECT_EQ(first.result, SchedulingResult::AwaitingVictims);
  EXPECT_EQ(first.node, "node1");
  EXPECT_TRUE(first.victims.empty());
  pod.nominated_node = "node2";
  EXPECT_EQ(world.ask(pod).node, "node2");
  // Upstream waits only for what it preempted itself.
  EXPECT_EQ(world.ask(pod, RuleSet::Upstream).node, "node3");
}

TEST(AwaitingVictims, OverdueCountsAsStayingAndIsNoVictim) {
  ClusterWorld world;
  world.node("node1", 1000);
  terminate(world.runs("low", "node1", 0, 900), world.now, -29);
  const Pod pod = ClusterWorld::pending("web", 100, 600);
  EXPECT_EQ(world.ask(pod).result, SchedulingResult::AwaitingVictims);
  terminate(world.pods[0], world.now, -30);
  EXPECT_EQ(world.ask(pod).result, SchedulingResult::Unschedulable);
}

TEST(AwaitingVictims, OnlyAdditionalVictimsAreChosen) {
  ClusterWorld world;
  world.node("node1", 1000);
  terminate(world.runs("leaving", "node1", 0, 400), world.now, 10);
  world.runs("low", "node1", 0, 300);
  world.runs("high", "node1", 1000, 200);
  EXPECT_EQ(world.ask(ClusterWorld::pending("web", 100, 400)).result,
            SchedulingResult::AwaitingVictims);
  const SchedulingDecision decision = world.ask(ClusterWorld::pending("web", 100, 700));
  EXPECT_EQ(decision.result, SchedulingResult::Preempt);
  EXPECT_EQ(names_of(decision.victims), Names{"low"});
  // Upstream's rules count no pod as leaving: among equal pods the order of uids decides.
  EXPECT_EQ(names_of(world.ask(ClusterWorld::pending("web", 100, 700), RuleSet::Upstream).victims),
            (Names{"leaving", "low"}));
}

TEST(AwaitingVictims, UpstreamWaitsForWhatItPreemptedOnTheNominatedNode) {
  ClusterWorld world;
  world.node("node1", 1000);
  Pod& leaving = world.runs("leaving", "node1", 0, 900);
  terminate(leaving, world.now, 10);
  leaving.conditions.push_back(test::condition(kDisruptionTarget, kReasonPreemptionByScheduler));
  Pod pod = ClusterWorld::pending("web", 100, 600);
  EXPECT_EQ(world.ask(pod, RuleSet::Upstream).result, SchedulingResult::Preempt);
  pod.nominated_node = "node1";
  EXPECT_EQ(world.ask(pod, RuleSet::Upstream).result, SchedulingResult::AwaitingVictims);
  world.nodes[0].unschedulable = true;
  EXPECT_EQ(world.ask(pod, RuleSet::Upstream).result, SchedulingResult::Unschedulable);
}

// ---- nominated pods ----

TEST(Nominated, ThoseOfEqualPriorityKeepTheirPlaceThoseBelowDoNot) {
  ClusterWorld world;
  world.node("node1", 1000);
  world.waits("promised", 100, 800, "node1");
  EXPECT_EQ(world.ask(ClusterWorld::pending("web", 100, 400)).result,
            SchedulingResult::Unschedulable);
  EXPECT_EQ(world.ask(ClusterWorld::pending("web", 101, 400)).result, SchedulingResult::Bind);
  // Its own place is not taken by itself.
  EXPECT_EQ(world.ask(world.pods[0]).result, SchedulingResult::Bind);
}

TEST(Nominated, WhoMayNeverArriveCountsForNoAffinity) {
  ClusterWorld world;
  world.node("node1", 1000);
  world.waits("promised", 200, 10, "node1").labels = {{"app", "db"}};
  Pod pod = ClusterWorld::pending("web", 100, 400);
  pod.placement.required_affinity = {near_app("db")};
  EXPECT_EQ(world.ask(pod).result, SchedulingResult::Unschedulable) << "it is not there yet";
  pod.placement.required_affinity.clear();
  pod.placement.required_anti_affinity = {near_app("db")};
  EXPECT_EQ(world.ask(pod).result, SchedulingResult::Unschedulable) << "it may come";
}

TEST(Nominated, AMoreImportantPodEndsTheirNominations) {
  ClusterWorld world;
  world.node("node1", 1000);
  world.runs("low", "node1", 0, 900);
  world.waits("promised", 100, 800, "node1");
  const SchedulingDecision decision = world.ask(ClusterWorld::pending("web", 200, 600));
  EXPECT_EQ(decision.result, SchedulingResult::Preempt);
  EXPECT_THAT(decision.outranked, ElementsAre("default/promised"));
}

// Only those that do not fit there beside it, the least important first.
TEST(Nominated, WhoFitsBesideAMoreImportantPodKeepsItsNomination) {
  ClusterWorld world;
  world.node("node1", 1000);
  world.runs("low", "node1", 0, 900);
  world.waits("small", 100, 300, "node1");
  world.waits("large", 90, 200, "node1");
  world.waits("tiny", 80, 100, "node1");
  const SchedulingDecision decision = world.ask(ClusterWorld::pending("web", 200, 600));
  EXPECT_EQ(decision.result, SchedulingResult::Preempt);
  EXPECT_THAT(decision.outranked, ElementsAre("default/large"));
}

TEST(Nominated, AnotherPortOrDislikeEndsTheNomination) {
  ClusterWorld world;
  world.node("node1", 1000).labels["host"] = "1";
  world.runs("low", "node1", 0, 900);
  const HostPort port{.port = 80};
  world.waits("port", 100, 10, "node1").placement.host_ports = {port};
  world.waits("other", 100, 10, "node1");
  Pod web = ClusterWorld::pending("web", 200, 600);
  web.placement.host_ports = {port};
  EXPECT_THAT(world.ask(web).outranked, ElementsAre("default/port"));
}

// ---- pods that leave late ----

void leaves(ClusterWorld& world, const std::string& name, std::chrono::seconds after) {
  for (Pod& each : world.pods) {
    if (each.name == name) each.deletion = world.now + after;
  }
}

TEST(LeavesLate, IsNotWaitedForWhereAnotherNodeWouldDo) {
  ClusterWorld world;
  world.node("node1", 1000);
  world.runs("old", "node1", 0, 900);
  world.node("node2", 1000);
  world.runs("low", "node2", 0, 900);
  const Pod web = ClusterWorld::pending("web", 100, 600);
  leaves(world, "old", std::chrono::minutes(10));
  EXPECT_EQ(world.ask(web).result, SchedulingResult::AwaitingVictims);
  EXPECT_EQ(world.ask(web).node, "node1");
  leaves(world, "old", std::chrono::minutes(10) + std::chrono::seconds(1));
  const SchedulingDecision decision = world.ask(web);
  EXPECT_EQ(decision.result, SchedulingResult::Preempt);
  EXPECT_EQ(decision.node, "node2");
  EXPECT_EQ(decision.victims.size(), 1U);
  // Once the victims are terminating, the pod waits for them.
  leaves(world, "low", std::chrono::seconds(30));
  EXPECT_EQ(world.ask(web).result, SchedulingResult::AwaitingVictims);
  EXPECT_EQ(world.ask(web).node, "node2");
}

// Otherwise the pod would have a second set removed while its first one is terminating.
TEST(LeavesLate, IsWaitedForByThePodThatItMakesRoomFor) {
  ClusterWorld world;
  world.node("node1", 1000);
  world.runs("old", "node1", 0, 900);
  world.node("node2", 1000);
  world.runs("low", "node2", 0, 900);
  const Pod web = ClusterWorld::pending("web", 100, 600);
  leaves(world, "old", std::chrono::hours(1));
  for (const std::string& uid : {web.uid, std::string("another")}) {
    for (Pod& each : world.pods) {
      if (each.name != "old") continue;
      each.conditions = {marking_condition(each, kReasonPreemptionByScheduler, "for a pod",
                                           {.uid = uid, .generation = web.generation}, world.now)};
    }
    const SchedulingDecision decision = world.ask(web);
    const bool is_its_own = uid == web.uid;
    EXPECT_EQ(decision.result,
              is_its_own ? SchedulingResult::AwaitingVictims : SchedulingResult::Preempt);
    EXPECT_EQ(decision.node, is_its_own ? "node1" : "node2");
  }
}

TEST(LeavesLate, IsWaitedForWhereNoOtherNodeWouldDo) {
  ClusterWorld world;
  world.node("node1", 1000);
  world.runs("old", "node1", 0, 500);
  world.runs("beside", "node1", 0, 500);
  world.node("node2", 1000);
  world.runs("important", "node2", 1000, 900);
  leaves(world, "old", std::chrono::hours(1));
  const SchedulingDecision decision = world.ask(ClusterWorld::pending("web", 100, 500));
  EXPECT_EQ(decision.result, SchedulingResult::AwaitingVictims);
  EXPECT_EQ(decision.node, "node1") << "and nobody goes beside it";
  EXPECT_TRUE(decision.victims.empty());
  Pod never = ClusterWorld::pending("web", 1000, 500);
  never.preemption_policy = PreemptionPolicy::Never;
  EXPECT_EQ(world.ask(never).result, SchedulingResult::AwaitingVictims);
}

// More victims would be needed here: better elsewhere, where no pod terminates late.
TEST(LeavesLate, IsNotCountedUponBesideVictimsWhereAnotherNodeWouldDo) {
  ClusterWorld world;
  world.node("node1", 1000);
  world.runs("old", "node1", 0, 500);
  world.runs("low", "node1", 0, 500);
  leaves(world, "old", std::chrono::hours(1));
  const Pod web = ClusterWorld::pending("web", 100, 1000);
  EXPECT_EQ(world.ask(web).node, "node1");
  EXPECT_EQ(world.ask(web).victims.size(), 1U);
  world.node("node2", 1000);
  world.runs("higher", "node2", 50, 900);
  EXPECT_EQ(world.ask(web).result, SchedulingResult::Preempt);
  EXPECT_EQ(world.ask(web).node, "node2");
}

// Upstream: a terminating pod counts like others.
TEST(LeavesLate, UpstreamsRulesHaveNoSuchTerm) {
  ClusterWorld world;
  world.node("node1", 1000);
  world.runs("old", "node1", 0, 900);
  leaves(world, "old", std::chrono::hours(1));
  EXPECT_EQ(world.ask(ClusterWorld::pending("web", 100, 600), RuleSet::Upstream).result,
            SchedulingResult::Preempt);
}

}  // namespace
}  // namespace elbowroom::policy

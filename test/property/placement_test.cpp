// Properties of placing pending pods over random small clusters, compared with a second, plain
// implementation of the filters (test/plain_filters.h).
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "policy/placement/schedule.h"
#include "test/cluster_world.h"
#include "test/plain_filters.h"

namespace elbowroom::policy {
namespace {

using test::ClusterWorld;
using test::PlainCluster;

int below(int limit) { return *rc::gen::inRange(0, limit); }
bool chance(int one_in) { return below(one_in) == 0; }

std::string one_of(const std::vector<std::string>& texts) { return *rc::gen::elementOf(texts); }

LabelSelector random_selector() {
  if (chance(4)) return {};
  return {.match_labels = {{"app", one_of({"a", "b"})}}};
}

PodTerm random_term() {
  PodTerm made{.selector = random_selector(),
               .topology_key = one_of({"kubernetes.io/hostname", "zone", "rack"})};
  if (!chance(3)) made.namespaces = {one_of({"default", "default", "other"})};
  if (made.namespaces.empty() || chance(4)) {
    made.namespace_selector.emplace();
    if (!chance(3)) made.namespace_selector->match_labels = {{"team", one_of({"x", "y"})}};
    if (chance(4))
      made.namespace_selector->match_labels = {{"kubernetes.io/metadata.name", "other"}};
  }
  return made;
}

void ask_for_more(Pod& pod) {
  Placement& placement = pod.placement;
  if (chance(6)) placement.node_selector = {{"zone", one_of({"x", "y"})}};
  if (chance(8)) {
    placement.required_nodes = {
        NodeTerm{.labels = {{.key = "cores", .op = NodeOperator::Gt, .values = {"1"}}}},
        NodeTerm{.labels = {{.key = "zone", .op = NodeOperator::NotIn, .values = {"x"}}}}};
  }
  if (chance(4)) placement.tolerations = {{.key = "t", .op = TolerationOperator::Exists}};
  if (chance(3)) {
    placement.spread.push_back({.max_skew = 1 + below(2),
                                .topology_key = one_of({"kubernetes.io/hostname", "zone"}),
                                .required = !chance(4),
                                .selector = random_selector(),
                                .min_domains = 1 + below(3),
                                .honors_node_affinity = !chance(3),
                                .honors_taints = chance(2)});
  }
  if (chance(4))
    placement.spread.push_back({.topology_key = "rack", .selector = random_selector()});
  if (chance(4)) placement.required_affinity.push_back(random_term());
  if (chance(6)) placement.required_affinity.push_back(random_term());
  if (chance(3)) placement.required_anti_affinity.push_back(random_term());
  if (chance(4)) placement.host_ports = {{.port = 1 + below(2)}};
  if (chance(3)) placement.images = {below(3)};
  if (chance(4)) placement.preferred_affinity = {{.weight = 1 + below(9), .term = random_term()}};
}

void dress(Pod& pod) {
  if (chance(4)) pod.ns = "other";
  if (!chance(3)) pod.labels["app"] = one_of({"a", "b"});
  pod.qos_in_status = *rc::gen::element(Qos::Guaranteed, Qos::Burstable, Qos::BestEffort);
  if (chance(5)) set_amount(pod.containers[0].desired.requests, "example.com/gpu", 1);
}

// A pending pod of priority 2 or 3 among pods of priorities 0 to 3.
struct Random {
  ClusterWorld world{};
  Pod pod{};
};

Random random_cluster() {
  Random made;
  for (const char* ns : {"default", "other"}) {
    if (!chance(3)) made.world.namespaces[ns] = {{"team", one_of({"x", "y"})}};
  }
  if (chance(3)) {
    made.world.selecting = {
        {.ns = one_of({"default", "other"}), .name = "s", .selector = random_selector()}};
  }
  const int nodes = 1 + below(3);
  for (int i = 0; i < nodes; ++i) {
    Node& node = made.world.node("n" + std::to_string(i), 2 + below(4), 5);
    if (!chance(5)) node.labels["zone"] = one_of({"x", "y"});
    if (!chance(2)) node.labels["rack"] = one_of({"1", "2"});
    if (chance(2)) node.labels["cores"] = std::to_string(below(4));
    if (chance(6)) node.unschedulable = true;
    if (chance(5)) {
      node.taints = {
          {.key = "t",
           .effect = *rc::gen::element(TaintEffect::NoSchedule, TaintEffect::PreferNoSchedule)}};
    }
    if (chance(3)) set_amount(node.allocatable, "example.com/gpu", 1);
    node.allowed_pods = 2 + below(4);
    for (int image = below(3); image < 3; ++image) {
      node.images.push_back({.name = image, .bytes = std::int64_t{below(2000)} << 20});
    }
  }
  const int pods = below(12);
  for (int i = 0; i < pods; ++i) {
    Pod& pod = made.world.runs("p" + std::to_string(i), made.world.nodes[0].name, below(4),
                               below(4), below(3));
    pod.node = "n" + std::to_string(below(nodes));
    pod.uid = std::string(1, static_cast<char>('a' + below(26))) + std::to_string(i);
    dress(pod);
    if (chance(4)) pod.placement.required_anti_affinity.push_back(random_term());
    if (chance(4)) pod.placement.host_ports = {{.port = 1 + below(2)}};
    if (chance(4)) test::terminate(pod, made.world.now, below(80) - 40);
    if (const int claim = below(6); claim < 3) {
      pod.claimed = {{std::vector<std::string>{"", "c", "d"}.at(static_cast<std::size_t>(claim)),
                      test::figures(1 + claim)}};
    }
  }
  for (int i = below(3); i > 0; --i) {
    Pod& pod = made.world.waits("w" + std::to_string(i), 1 + below(3), below(3),
                                "n" + std::to_string(below(nodes)));
    dress(pod);
    if (chance(3)) pod.placement.host_ports = {{.port = 1 + below(2)}};
  }
  made.pod = ClusterWorld::pending("web", 2, 1 + below(4), below(3));
  made.pod.priority = 2 + below(2);
  dress(made.pod);
  ask_for_more(made.pod);
  if (chance(3))
    made.world.budgets.upstream = {{.ns = "default",
                                    .name = "b",
                                    .selector = random_selector(),
                                    .disruptions_allowed = below(2)}};
  return made;
}

bool nominated_before(const Pod& each, const Pod& pod) {
  return each.node.empty() && each.uid != pod.uid && priority_of(each) >= priority_of(pod);
}

// The existing pods except those that `gone` selects; and those nominated to `to`.
template <class Gone>
PlainCluster plain(const Random& random, const std::string& to, Gone gone) {
  PlainCluster cluster{.nodes = random.world.nodes, .namespaces = random.world.namespaces};
  for (const Pod& each : random.world.pods) {
    if (!each.node.empty() && !gone(each)) cluster.pods.push_back(each);
    if (!to.empty() && each.nominated_node == to && nominated_before(each, random.pod)) {
      cluster.pods.push_back(each);
      cluster.pods.back().node = to;
    }
  }
  return cluster;
}

template <class Gone>
bool fits_without(const Random& random, const Node& node, Gone gone) {
  return test::plain_fits(plain(random, node.name, gone), random.pod, node) &&
         test::plain_fits(plain(random, "", gone), random.pod, node);
}

bool nobody(const Pod&) { return false; }

bool leaving(const ClusterWorld& world, const Pod& pod) {
  return pod.deletion && world.now < *pod.deletion + std::chrono::seconds{30};
}

const Node& node_named(const Random& random, const std::string& name) {
  return *std::ranges::find(random.world.nodes, name, &Node::name);
}

TEST(PlacementProperties, TheFiltersAreThePlainOnes) {
  EXPECT_TRUE(rc::check([] {
    const Random random = random_cluster();
    for (const NodeAnswer& each : random.world.ask(random.pod).nodes) {
      const Node& node = node_named(random, each.node);
      RC_LOG() << each.node << " " << to_string(each.code) << "\n";
      const bool fits = fits_without(random, node, nobody);
      RC_ASSERT((each.code == NodeCode::Success) == fits);
      RC_ASSERT(each.reasons.empty() == fits);
      if (!test::plain_standing(random.pod, node)) {
        RC_ASSERT(each.code == NodeCode::UnschedulableAndUnresolvable);
      }
      RC_CLASSIFY(fits, "fits");
    }
  }));
}

TEST(PlacementProperties, TheBestNodeBinds) {
  EXPECT_TRUE(rc::check([] {
    const Random random = random_cluster();
    const SchedulingDecision decision = random.world.ask(random.pod);
    const bool any = std::ranges::any_of(decision.nodes,
                                         [](const auto& each) { return each.score.has_value(); });
    RC_ASSERT((decision.result == SchedulingResult::Bind) == any);
    if (!any) return;
    const std::int64_t score = *test::answer_of(decision, decision.node).score;
    for (const NodeAnswer& each : decision.nodes) {
      if (!each.score) continue;
      RC_ASSERT(*each.score < score || (*each.score == score && each.node >= decision.node));
    }
  }));
}

// The cluster without a decision's victims on that node and without terminating pods.
template <class Names>
auto gone_with(const Random& random, RuleSet rules, const Names& victims) {
  return [&random, rules, &victims](const Pod& pod) {
    if (rules == RuleSet::Elbowroom && leaving(random.world, pod)) return true;
    return std::ranges::find(victims, key_of(pod)) != victims.end();
  };
}

void check_candidates(RuleSet rules) {
  const Random random = random_cluster();
  const SchedulingDecision decision = random.world.ask(random.pod, rules);
  RC_CLASSIFY(decision.result == SchedulingResult::Preempt, "preempts");
  RC_CLASSIFY(decision.result == SchedulingResult::AwaitingVictims, "awaits");
  for (const NodeAnswer& each : decision.nodes) {
    const Node& node = node_named(random, each.node);
    std::vector<std::string> lower;
    for (const Pod& pod : random.world.pods) {
      if (pod.node != each.node || priority_of(pod) >= priority_of(random.pod)) continue;
      if (rules == RuleSet::Upstream || !is_terminating(pod)) lower.push_back(key_of(pod));
    }
    if (!each.candidate) {
      if (decision.result == SchedulingResult::Preempt && each.code == NodeCode::Unschedulable) {
        RC_ASSERT(!fits_without(random, node, gone_with(random, rules, lower)));
      }
      continue;
    }
    RC_ASSERT(each.code == NodeCode::Unschedulable);
    std::vector<std::string> victims = each.candidate->victims;
    RC_ASSERT(!victims.empty());
    RC_ASSERT(std::ranges::all_of(
        victims, [&](const auto& key) { return std::ranges::find(lower, key) != lower.end(); }));
    RC_ASSERT(fits_without(random, node, gone_with(random, rules, victims)));
    // No victim could be reprieved.
    for (std::size_t i = 0; i < victims.size(); ++i) {
      std::vector<std::string> others = victims;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      if (random.pod.placement.spread.empty() && random.pod.placement.required_affinity.empty()) {
        RC_ASSERT(!fits_without(random, node, gone_with(random, rules, others)));
      }
    }
  }
}

TEST(PlacementProperties, VictimsAreLowerEnoughAndNoneTooMany) {
  EXPECT_TRUE(rc::check([] { check_candidates(RuleSet::Elbowroom); }));
}

TEST(PlacementProperties, UpstreamsVictimsAreToo) {
  EXPECT_TRUE(rc::check([] { check_candidates(RuleSet::Upstream); }));
}

TEST(PlacementProperties, RoomOnItsWayIsWaitedFor) {
  EXPECT_TRUE(rc::check([] {
    const Random random = random_cluster();
    const SchedulingDecision decision = random.world.ask(random.pod);
    const std::vector<std::string> none;
    bool any = false;
    for (const NodeAnswer& each : decision.nodes) {
      const Node& node = node_named(random, each.node);
      if (each.code != NodeCode::Unschedulable) continue;
      any = any || fits_without(random, node, gone_with(random, RuleSet::Elbowroom, none));
    }
    const bool awaits = decision.result == SchedulingResult::AwaitingVictims;
    RC_ASSERT(awaits == (any && decision.result != SchedulingResult::Bind));
    if (awaits) RC_ASSERT(decision.victims.empty());
  }));
}

template <class T>
std::vector<T> shuffled(std::vector<T> all) {
  for (std::size_t i = all.size(); i > 1; --i) {
    std::swap(all[i - 1], all[static_cast<std::size_t>(below(static_cast<int>(i)))]);
  }
  return all;
}

TEST(PlacementProperties, OrderChangesNothing) {
  EXPECT_TRUE(rc::check([] {
    Random random = random_cluster();
    const RuleSet rules = *rc::gen::element(RuleSet::Elbowroom, RuleSet::Upstream);
    const SchedulingDecision decision = random.world.ask(random.pod, rules);
    random.world.nodes = shuffled(random.world.nodes);
    random.world.pods = shuffled(random.world.pods);
    const bool same = random.world.ask(random.pod, rules) == decision;
    RC_ASSERT(same);
  }));
}

// A room that has seen other pods, other labels, and nodes that were added and removed.
TEST(PlacementProperties, ARoomThatIsKeptIsARoomMadeAnew) {
  EXPECT_TRUE(rc::check([] {
    const Random random = random_cluster();
    const Random before = random_cluster();
    const RuleSet rules = *rc::gen::element(RuleSet::Elbowroom, RuleSet::Upstream);
    ClusterRoom room(rules);
    const ScheduleTerms terms{.lapsed = overdue_pods_at(random.world.pods, random.world.now),
                              .all_nodes = true};
    for (const Node& each : before.world.nodes) room.put(each);
    for (const auto& [name, labels] : before.world.namespaces) room.put_namespace(name, labels);
    for (const Selecting& each : before.world.selecting) room.selecting().put(each);
    for (const Pod& each : before.world.pods) room.add(each);
    for (const PodDisruptionBudget& each : before.world.budgets.upstream) room.put(each);
    const SchedulingDecision ignored = schedule(room, random.pod, terms);
    for (const Node& each : shuffled(before.world.nodes)) {
      if (chance(2)) room.remove_node(each.name);
    }
    for (const Pod& each : shuffled(before.world.pods)) room.remove(each);
    for (const Node& each : before.world.nodes) room.remove_node(each.name);
    for (const auto& [name, labels] : before.world.namespaces) room.remove_namespace(name);
    for (const auto& [name, labels] : random.world.namespaces) room.put_namespace(name, labels);
    for (const Selecting& each : before.world.selecting) {
      room.selecting().remove(each.kind, each.ns, each.name);
    }
    for (const Selecting& each : random.world.selecting) room.selecting().put(each);
    if (!before.world.budgets.upstream.empty()) room.remove_pod_disruption_budget("default", "b");
    for (const Pod& each : shuffled(random.world.pods)) room.add(each);
    for (const PodDisruptionBudget& each : random.world.budgets.upstream) room.put(each);
    for (const Node& each : shuffled(random.world.nodes)) room.put(each);
    const bool same = schedule(room, random.pod, terms) == random.world.ask(random.pod, rules);
    RC_ASSERT(same);
  }));
}

// ---- what a refused pod waits for ----

void use_claims(Pod& pod, int one_in) {
  if (pod.ns != "default" || !chance(one_in)) return;
  for (int i = below(3); i < 3; i += 1 + below(2)) {
    pod.placement.claims.push_back({.name = "c" + std::to_string(i)});
  }
}

// Three claims with volumes of a driver whose volumes some nodes limit, and pods that use them.
VolumeObjects random_volumes(Random& random) {
  VolumeObjects made;
  if (chance(2)) return made;
  for (int i = 0; i < 3; ++i) {
    const std::string number = std::to_string(i);
    PersistentVolume volume{.name = "v" + number,
                            .driver = "d",
                            .handle = number,
                            .claim = ClaimRef{.ns = "default", .name = "c" + number}};
    if (chance(2)) {
      volume.nodes = {NodeTerm{
          .labels = {{.key = "zone", .op = NodeOperator::In, .values = {one_of({"x", "y"})}}}}};
    }
    if (chance(4)) volume.labels["topology.kubernetes.io/zone"] = one_of({"x", "y"});
    made.volumes.push_back(volume);
    made.claims.push_back({.ns = "default",
                           .name = "c" + number,
                           .volume = volume.name,
                           .access_modes = chance(3) ? kReadWriteOncePod : kReadWriteOnce,
                           .is_completed = true});
  }
  for (const Node& each : random.world.nodes) {
    if (chance(2)) made.csi_nodes.push_back({.name = each.name, .limits = {{"d", below(3)}}});
  }
  use_claims(random.pod, 1);
  for (Pod& each : random.world.pods) use_claims(each, 2);
  return made;
}

// A cluster that changes, and what its last change brings.
class Changing {
 public:
  explicit Changing(Random& random)
      : random_(random), volumes_(random_volumes(random)), room_(room_of(moment())) {}

  ClusterRoom& room() { return room_; }
  [[nodiscard]] SchedulingDecision ask() {
    return schedule(room_, random_.pod,
                    {.now = random_.world.now,
                     .lapsed = overdue_pods_at(random_.world.pods, random_.world.now),
                     .waits_until = random_.world.now + kLongestAwaited,
                     .asks_want = true});
  }

  // The pods of the change are kept until the next one.
  RoomChange change() {
    before_ = after_ = {};
    switch (below(4)) {
      case 0:
        return change_node();
      case 1:
        return add_pod();
      default:
        return random_.world.pods.empty() ? add_pod() : change_pod();
    }
  }

 private:
  ClusterMoment moment() const {
    return {.nodes = random_.world.nodes,
            .pods = random_.world.pods,
            .budgets = random_.world.budgets,
            .volumes = &volumes_,
            .now = random_.world.now};
  }

  RoomChange change_node() {
    std::vector<Node>& nodes = random_.world.nodes;
    if (chance(3)) {
      Node& node = random_.world.node("m" + std::to_string(nodes.size()), 1 + below(6), 5);
      node.labels["zone"] = one_of({"x", "y"});
      if (chance(3)) node.taints = {{.key = "t"}};
      room_.put(node);
      return {.brings = Relief::Room | Relief::Node,
              .node = room_.find_node(node.name),
              .is_new_node = true};
    }
    Node& node = nodes[static_cast<std::size_t>(below(static_cast<int>(nodes.size())))];
    Reliefs brings = Relief::Node;
    switch (below(6)) {
      case 0:
        node.labels["zone"] = one_of({"x", "y"});
        break;
      case 5:
        node.labels["topology.kubernetes.io/zone"] = one_of({"x", "y"});
        break;
      case 1:
        node.labels["cores"] = std::to_string(below(4));
        break;
      case 2:
        node.unschedulable = !node.unschedulable;
        break;
      case 3:
        if (!node.taints.empty()) {
          node.taints.clear();
        } else {
          node.taints = {{.key = "t"}};
        }
        break;
      default:
        node.allocatable.cpu.value = 1 + below(7);
        node.allowed_pods = 2 + below(4);
        brings = Relief::Room;
    }
    room_.put(node);
    return {.brings = brings, .node = room_.find_node(node.name)};
  }

  RoomChange add_pod() {
    const auto& nodes = random_.world.nodes;
    const std::string on =
        nodes[static_cast<std::size_t>(below(static_cast<int>(nodes.size())))].name;
    Pod& pod = random_.world.runs("q" + std::to_string(++added_), on, below(4), below(3), below(3));
    pod.uid = "added" + std::to_string(added_);
    dress(pod);
    if (chance(4)) pod.placement.required_anti_affinity.push_back(random_term());
    if (!volumes_.claims.empty()) use_claims(pod, 2);
    room_.add(pod);
    after_ = pod;
    return {.brings = Relief::Company, .node = room_.find_node(on), .after = &*after_};
  }

  RoomChange change_pod() {
    std::vector<Pod>& pods = random_.world.pods;
    const auto at = pods.begin() + below(static_cast<int>(pods.size()));
    before_ = *at;
    room_.remove(*at);
    const std::string on = at->node.empty() ? at->nominated_node : at->node;
    Reliefs brings = Relief::Room | Relief::Company;
    if (chance(2)) {
      pods.erase(at);
    } else if (chance(2) && !at->node.empty() && !at->deletion) {
      test::terminate(*at, random_.world.now, 20);
      after_ = *at;
    } else {
      at->labels["app"] = one_of({"a", "b"});
      after_ = *at;
      brings = Relief::Company;
    }
    if (after_) room_.add(*after_);
    return {.brings = brings,
            .node = room_.find_node(on),
            .before = &*before_,
            .after = after_ ? &*after_ : nullptr};
  }

  Random& random_;
  const VolumeObjects volumes_;
  ClusterRoom room_;
  std::optional<Pod> before_{};
  std::optional<Pod> after_{};
  int added_ = 0;
};

// A pod that is the first of its kind once another has left: a node is awaited only where it lacks
// room as well, so that a pod which takes room there changes the answer, and helps nobody.
bool may_be_first_later(const Random& random) {
  return !random.pod.placement.required_affinity.empty() &&
         std::ranges::any_of(random.world.pods, is_terminating);
}

TEST(PlacementProperties, NoReliefIsMissed) {
  int refused = 0;
  int passed_over = 0;
  EXPECT_TRUE(rc::check([&] {
    Random random = random_cluster();
    Changing changing(random);
    const SchedulingDecision first = changing.ask();
    RC_ASSERT(first.want.has_value() == (first.result == SchedulingResult::Unschedulable));
    if (!first.want) return;
    ++refused;
    Want want = *first.want;
    for (int step = 0; step < 6; ++step) {
      const RoomChange change = changing.change();
      if (may_be_first_later(random)) return;
      if (ReliefOf(changing.room(), change).helps(want)) return;
      note(want, change);
      ++passed_over;
      const SchedulingDecision now = changing.ask();
      if (now.result != SchedulingResult::Unschedulable) {
        RC_FAIL(first.message + " | " + now.message + " -> " + now.node);
      }
    }
  }));
  std::cout << refused << " refused, " << passed_over << " changes passed over\n";
}

}  // namespace
}  // namespace elbowroom::policy

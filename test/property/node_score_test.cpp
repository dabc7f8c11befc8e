// Scores of nodes over random small clusters, compared with a second implementation of the formulas
// of policy/placement/node_score.h: pod by pod, in floating point, from the objects themselves.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "policy/model/selector.h"
#include "policy/placement/schedule.h"
#include "test/cluster_world.h"

namespace elbowroom::policy {
namespace {

using test::ClusterWorld;

int below(int limit) { return *rc::gen::inRange(0, limit); }
bool chance(int one_in) { return below(one_in) == 0; }
std::string one_of(const std::vector<std::string>& texts) { return *rc::gen::elementOf(texts); }

// ---- the formulas ----

// By name, of the nodes that fit; a function for each line of the table.
using Scores = std::map<std::string, double>;

// Floating point may be slightly below the intended whole number.
double whole(double value) { return std::floor(value + 1e-7); }

struct Question {
  const ClusterWorld& world;
  const Pod& pod;
  std::vector<const Node*> fit;

  [[nodiscard]] const Node* node_of(const Pod& each) const {
    const auto at = std::ranges::find(world.nodes, each.node, &Node::name);
    return at == world.nodes.end() ? nullptr : &*at;
  }
  [[nodiscard]] std::vector<const Pod*> pods() const {
    std::vector<const Pod*> all;
    for (const Pod& each : world.pods) {
      if (node_of(each) != nullptr) all.push_back(&each);
    }
    return all;
  }
};

double most_of(const Scores& scores) {
  double most = 0;
  for (const auto& [node, score] : scores) most = std::max(most, score);
  return most;
}

Scores taints(const Question& of) {
  Scores scores;
  for (const Node* node : of.fit) {
    for (const Taint& each : node->taints) {
      scores[node->name] += each.effect == TaintEffect::PreferNoSchedule &&
                                    !tolerates(of.pod.placement.tolerations, each)
                                ? 1
                                : 0;
    }
  }
  const double most = most_of(scores);
  for (const Node* node : of.fit) {
    double& each = scores[node->name];
    each = 100 - (most > 0 ? whole(100 * each / most) : 0);
  }
  return scores;
}

Scores affinity(const Question& of) {
  Scores scores;
  for (const Node* node : of.fit) {
    for (const PreferredNodes& each : of.pod.placement.preferred_nodes) {
      // They are made below: one label, one value.
      const NodeExpression& label = each.term.labels.at(0);
      const auto at = node->labels.find(label.key);
      if (at != node->labels.end() && at->second == label.values.at(0)) {
        scores[node->name] += each.weight;
      }
    }
  }
  const double most = most_of(scores);
  for (auto& [node, each] : scores) each = most > 0 ? whole(100 * each / most) : 0;
  return scores;
}

bool fits_selector(const std::optional<LabelSelector>& selector, const Pod& pod) {
  if (!selector) return false;
  return std::ranges::all_of(selector->match_labels, [&](const auto& wanted) {
    const auto at = pod.labels.find(wanted.first);
    return at != pod.labels.end() && at->second == wanted.second;
  });
}

// What all objects ask for that select the pod; none: none does.
std::vector<LabelSelector> selected_by(const Question& of) {
  std::vector<LabelSelector> all;
  for (const Selecting& each : of.world.selecting) {
    const bool is_controller = of.pod.controller && of.pod.controller->kind == "ReplicaSet" &&
                               of.pod.controller->name == each.name &&
                               each.kind == SelectingKind::ReplicaSet;
    const bool serves = each.kind == SelectingKind::Service && fits_selector(each.selector, of.pod);
    const bool asks = !each.selector.match_labels.empty();
    if (each.ns == of.pod.ns && asks && (is_controller || serves)) all.push_back(each.selector);
  }
  return all;
}

// Constraints, or what stands for them.
struct Spreading {
  std::string topology_key;
  int max_skew = 1;
  std::vector<std::optional<LabelSelector>> selectors{};  // all of them
};

Scores spread(const Question& of) {
  std::vector<Spreading> soft;
  for (const SpreadConstraint& each : of.pod.placement.spread) {
    if (!each.required) soft.push_back({each.topology_key, each.max_skew, {each.selector}});
  }
  const bool by_default = of.pod.placement.spread.empty();
  const std::vector<LabelSelector> selected = selected_by(of);
  if (by_default && !selected.empty()) {
    const std::vector<std::optional<LabelSelector>> all(selected.begin(), selected.end());
    soft = {{"kubernetes.io/hostname", 3, all}, {"topology.kubernetes.io/zone", 5, all}};
  }
  if (soft.empty()) return {};  // then it scores no node
  const auto value_of = [](const Node& node, const std::string& key) {
    const auto at = node.labels.find(key);
    return at == node.labels.end() ? std::string("none") : at->second;
  };
  const auto has_labels = [&](const Node& node) {
    return by_default || std::ranges::all_of(soft, [&](const Spreading& each) {
             return node.labels.contains(each.topology_key);
           });
  };
  Scores costs;
  for (const Node* node : of.fit) {
    if (!has_labels(*node)) continue;
    double sum = 0;
    for (const Spreading& each : soft) {
      if (!node->labels.contains(each.topology_key)) continue;
      std::set<std::string> domains;
      for (const Node* other : of.fit) {
        const bool by_node = each.topology_key == "kubernetes.io/hostname";
        if (has_labels(*other)) {
          domains.insert(by_node ? other->name : value_of(*other, each.topology_key));
        }
      }
      int pods = 0;
      for (const Pod* there : of.pods()) {
        const Node& home = *of.node_of(*there);
        const bool counts = has_labels(home) && !there->deletion && there->ns == of.pod.ns &&
                            value_of(home, each.topology_key) == node->labels.at(each.topology_key);
        const bool is_selected = std::ranges::all_of(
            each.selectors, [&](const auto& one) { return fits_selector(one, *there); });
        if (counts && is_selected) ++pods;
      }
      sum += pods * std::log(static_cast<double>(domains.size()) + 2) + each.max_skew - 1;
    }
    costs[node->name] = std::round(sum);
  }
  double least = 1e9;
  for (const auto& [node, cost] : costs) least = std::min(least, cost);
  const double most = most_of(costs);
  Scores scores;
  for (const auto& [node, cost] : costs) {
    scores[node] = most > 0 ? whole(100 * (most + least - cost) / most) : 100;
  }
  return scores;
}

Scores pods_beside(const Question& of) {
  Scores wishes;
  bool any = false;
  for (const Pod* there : of.pods()) {
    const Node& home = *of.node_of(*there);
    const auto wish = [&](const PodTerm& term, const Pod& about, double weight) {
      if (about.ns != term.namespaces.at(0) || !fits_selector(term.selector, about)) return;
      any = true;
      const auto domain = home.labels.find(term.topology_key);
      if (domain == home.labels.end()) return;
      for (const Node* node : of.fit) {
        const auto at = node->labels.find(term.topology_key);
        if (at != node->labels.end() && at->second == domain->second) {
          wishes[node->name] += weight;
        }
      }
    };
    const Placement& mine = of.pod.placement;
    const Placement& theirs = there->placement;
    for (const PreferredPods& each : mine.preferred_affinity) wish(each.term, *there, each.weight);
    for (const PreferredPods& each : mine.preferred_anti_affinity)
      wish(each.term, *there, -each.weight);
    for (const PreferredPods& each : theirs.preferred_affinity)
      wish(each.term, of.pod, each.weight);
    for (const PreferredPods& each : theirs.preferred_anti_affinity)
      wish(each.term, of.pod, -each.weight);
    for (const PodTerm& each : theirs.required_affinity) wish(each, of.pod, 1);
  }
  if (!any) return {};
  double least = 1e9;
  double most = -1e9;
  for (const Node* node : of.fit) {
    least = std::min(least, wishes[node->name]);
    most = std::max(most, wishes[node->name]);
  }
  for (auto& [node, each] : wishes) {
    each = most > least ? whole(100 * (each - least) / (most - least)) : 0;
  }
  return wishes;
}

// Requests of cpu in millicores, of memory in bytes.
double asked(const Pod& pod, bool of_cpu) {
  const Resources& requests = pod.containers.at(0).desired.requests;
  return static_cast<double>(of_cpu ? requests.cpu.value : requests.memory.value);
}

// The same; each counts with a default amount where there is none.
double at_least(const Pod& pod, bool of_cpu) {
  if (asked(pod, of_cpu) > 0) return asked(pod, of_cpu);
  return of_cpu ? 100 : 200.0 * 1024 * 1024;
}

// What the pods of the node have asked for.
double used_on(const Question& of, const Node& node, bool of_cpu,
               const std::function<double(const Pod&, bool)>& figure) {
  double used = 0;
  for (const Pod* there : of.pods()) {
    if (there->node == node.name) used += figure(*there, of_cpu);
  }
  return used;
}

double allocatable(const Node& node, bool of_cpu) {
  return static_cast<double>(of_cpu ? node.allocatable.cpu.value : node.allocatable.memory.value);
}

double alike(const Question& of, const Node& node, double with) {
  std::vector<double> shares;
  for (const bool of_cpu : {true, false}) {
    const double all = allocatable(node, of_cpu);
    if (all <= 0) return 100;
    shares.push_back(
        std::min(1.0, (used_on(of, node, of_cpu, asked) + with * asked(of.pod, of_cpu)) / all));
  }
  return whole(100 * (1 - std::abs(shares[0] - shares[1]) / 2));
}

Scores room(const Question& of) {
  Scores scores;
  for (const Node* node : of.fit) {
    double left = 0;
    double resources = 0;
    for (const bool of_cpu : {true, false}) {
      const double all = allocatable(*node, of_cpu);
      if (all <= 0) continue;
      ++resources;
      const double used = used_on(of, *node, of_cpu, at_least) + at_least(of.pod, of_cpu);
      left += used < all ? std::floor((all - used) * 100 / all) : 0;
    }
    scores[node->name] = std::floor(left / std::max(1.0, resources));
    if (asked(of.pod, true) + asked(of.pod, false) == 0) continue;
    scores[node->name] += 50 + std::floor((50 + alike(of, *node, 1) - alike(of, *node, 0)) / 2);
  }
  return scores;
}

// Image by image, node by node.
Scores images(const Question& of) {
  constexpr double kMiB = 1024.0 * 1024;
  const auto bytes_on = [](const Node& node, ImageName name) {
    const auto at = std::ranges::find(node.images, name, &NodeImage::name);
    return at == node.images.end() ? -1.0 : static_cast<double>(at->bytes);
  };
  Scores scores;
  for (const Node* node : of.fit) {
    double sum = 0;
    for (const ImageName name : of.pod.placement.images) {
      if (bytes_on(*node, name) < 0) continue;
      const auto with = static_cast<double>(std::ranges::count_if(
          of.world.nodes, [&](const Node& other) { return bytes_on(other, name) >= 0; }));
      sum += whole(bytes_on(*node, name) * with / static_cast<double>(of.world.nodes.size()));
    }
    const double most = 1000 * kMiB * static_cast<double>(of.pod.placement.images.size());
    if (sum <= 23 * kMiB) continue;
    scores[node->name] = whole(100 * (std::min(sum, most) - 23 * kMiB) / (most - 23 * kMiB));
  }
  return scores;
}

// These nodes rank ahead of nodes that avoid the pods of its controller, if any node of the cluster
// does, or did until a time.
Scores not_avoided(const Question& of) {
  const auto names_it = [&](const Node& node) {
    return of.pod.controller && std::ranges::count(node.avoided_controllers, of.pod.controller->uid,
                                                   &AvoidedController::uid) > 0;
  };
  const auto avoids = [&](const Node& node) {
    return of.pod.controller &&
           std::ranges::count_if(node.avoided_controllers, [&](const AvoidedController& each) {
             const bool is_over = each.until.has_value() && *each.until <= of.world.now;
             return each.uid == of.pod.controller->uid && !is_over;
           }) > 0;
  };
  Scores scores;
  if (std::ranges::none_of(of.world.nodes, names_it)) return scores;
  for (const Node* node : of.fit) scores[node->name] = avoids(*node) ? 0 : 1;
  return scores;
}

// ---- the clusters ----

PodTerm random_term() {
  return {.selector = LabelSelector{.match_labels = {{"app", one_of({"a", "b"})}}},
          .namespaces = {"default"},
          .topology_key = one_of({"kubernetes.io/hostname", "zone"})};
}

void wish(Placement& placement) {
  for (int i = below(3); i > 0; --i) {
    placement.preferred_affinity.push_back({.weight = 1 + below(100), .term = random_term()});
  }
  for (int i = below(2); i > 0; --i) {
    placement.preferred_anti_affinity.push_back({.weight = 1 + below(100), .term = random_term()});
  }
}

ClusterWorld random_world() {
  ClusterWorld world;
  for (int i = 1 + below(5); i > 0; --i) {
    Node& node = world.node("n" + std::to_string(i), 1000 + below(9000),
                            (std::int64_t{1} << 30) + below(1'000'000'000));
    if (!chance(4)) node.labels["zone"] = one_of({"x", "y", "z"});
    if (!chance(3)) node.labels["topology.kubernetes.io/zone"] = one_of({"x", "y"});
    if (chance(9)) node.labels.erase("kubernetes.io/hostname");
    if (chance(4)) {
      const std::vector<std::optional<Time>> untils = {
          {}, world.now, world.now + std::chrono::seconds(1)};
      node.avoided_controllers = {{"u-rs", untils[static_cast<std::size_t>(below(3))]}};
    }
    for (int name = below(3); name < 5; name += 1 + below(3)) {
      node.images.push_back({.name = name, .bytes = std::int64_t{below(3000)} << 20});
    }
    for (int taint = below(4); taint > 0; --taint) {
      node.taints.push_back(
          {.key = "t" + std::to_string(below(3)), .effect = TaintEffect::PreferNoSchedule});
    }
  }
  for (int i = below(10); i > 0; --i) {
    Pod& pod = world.runs("p" + std::to_string(i), "n1", 0, 50 * below(5));
    pod.node = "n" + std::to_string(1 + below(static_cast<int>(world.nodes.size())));
    pod.containers[0].desired.requests.memory.value = chance(3) ? 0 : below(300'000'000);
    pod.containers[0].allocated_requests = pod.containers[0].actual_requests =
        pod.containers[0].desired.requests;
    if (!chance(4)) pod.labels["app"] = one_of({"a", "b"});
    if (chance(3)) wish(pod.placement);
    if (chance(5)) pod.placement.required_affinity.push_back(random_term());
    if (chance(6)) pod.deletion = world.now + std::chrono::seconds(below(60));
  }
  for (int i = below(3); i > 0; --i) {
    Selecting& made = world.selecting.emplace_back();
    made.kind = chance(2) ? SelectingKind::ReplicaSet : SelectingKind::Service;
    made.ns = chance(4) ? "other" : "default";
    made.name = made.kind == SelectingKind::Service ? "s" + std::to_string(i) : "rs";
    if (!chance(6)) made.selector.match_labels["app"] = one_of({"a", "b"});
  }
  if (world.selecting.size() > 1 && world.selecting[0].kind == world.selecting[1].kind &&
      world.selecting[0].name == world.selecting[1].name) {
    world.selecting.pop_back();
  }
  return world;
}

Pod random_pod() {
  Pod pod = ClusterWorld::pending("web", 0, 100 * below(4), chance(2) ? 0 : below(300'000'000));
  pod.labels["app"] = one_of({"a", "b"});
  Placement& placement = pod.placement;
  for (int i = below(3); i > 0; --i) {
    placement.preferred_nodes.push_back(
        {.weight = 1 + below(100),
         .term = {
             .labels = {{.key = "zone", .op = NodeOperator::In, .values = {one_of({"x", "y"})}}}}});
  }
  for (int i = below(4); i > 0; --i) placement.images.push_back(below(6));
  if (chance(2)) placement.tolerations = {{.key = "t0", .op = TolerationOperator::Exists}};
  for (int i = below(3); i > 0; --i) {
    placement.spread.push_back(
        {.max_skew = 1 + below(3),
         .topology_key = one_of({"kubernetes.io/hostname", "zone"}),
         .required = false,
         .selector = LabelSelector{.match_labels = {{"app", one_of({"a", "b"})}}}});
  }
  if (chance(2)) wish(placement);
  if (chance(2)) pod.controller = {.kind = "ReplicaSet", .name = "rs", .uid = "u-rs"};
  return pod;
}

TEST(NodeScoreProperties, AreTheFormulas) {
  EXPECT_TRUE(rc::check([] {
    const ClusterWorld world = random_world();
    const Pod pod = random_pod();
    const SchedulingDecision decision = world.ask(pod);
    Question question{.world = world, .pod = pod, .fit = {}};
    for (const Node& node : world.nodes) {
      if (test::answer_of(decision, node.name).score) question.fit.push_back(&node);
    }
    using Formula = std::pair<double, std::function<Scores(const Question&)>>;
    const std::vector<Formula> formulas = {{3, taints},          {2, affinity}, {2, spread},
                                           {2, pods_beside},     {1, room},     {1, images},
                                           {10'000, not_avoided}};
    Scores total;
    for (const auto& [weight, formula] : formulas) {
      for (const auto& [node, score] : formula(question)) total[node] += weight * score;
    }
    RC_CLASSIFY(!pod.placement.spread.empty(), "spread");
    RC_CLASSIFY(!images(question).empty(), "images");
    RC_CLASSIFY(pod.placement.spread.empty() && !selected_by(question).empty(), "by default");
    for (const Node* node : question.fit) {
      RC_LOG() << node->name << "\n";
      RC_ASSERT(static_cast<double>(*test::answer_of(decision, node->name).score) ==
                total[node->name]);
    }
  }));
}

}  // namespace
}  // namespace elbowroom::policy

#include "rescheduler/moving/move_pass.h"

#include <utility>
#include <vector>

#include "control/listed.h"
#include "policy/ledger/strictest_budget.h"

namespace elbowroom::rescheduler {
namespace {

std::vector<policy::Replica> replicas_of(const MoveRoom& moves, const policy::Pod& pod) {
  std::vector<policy::Replica> replicas = moves.replicas_of(pod.controller->uid);
  for (const policy::Pod& each : moves.pending_in(pod.ns)) {
    const bool is_one = each.controller && each.controller->uid == pod.controller->uid;
    if (!is_one) continue;
    if (auto replica = policy::replica_of(each)) replicas.push_back(*std::move(replica));
  }
  return replicas;
}

// Those that cannot be understood may cover every pod, and allow none.
policy::Budgets budgets_of(const ClusterState& cluster, const std::string& ns,
                           policy::Time server) {
  policy::Budgets budgets = cluster.snapshot().budgets_of(ns, server);
  for (const auto& [key, why] : cluster.odd_budgets()) {
    const auto [of, name] = control::name_parts(key);
    if (of != ns) continue;
    budgets.ours.push_back(policy::strictest_budget(ns, name));
    budgets.strengths.emplace_back();
  }
  return budgets;
}

policy::PodsByNode preferring(const cluster::Snapshot& snapshot, const MoveRoom& moves) {
  policy::PodsByNode nodes;
  for (const auto& [node, keys] : moves.preferring()) {
    if (moves.is_restless(node)) continue;
    std::vector<policy::Pod>& pods = nodes[node];
    for (const std::string& key : keys) {
      if (auto pod = snapshot.pod(key)) pods.push_back(*std::move(pod));
    }
  }
  return nodes;
}

}  // namespace

policy::MoveScene MovePass::scene(policy::ClusterRoom& room, policy::Time server) const {
  const cluster::Snapshot& snapshot = cluster_.snapshot();
  const MoveRoom& moves = cluster_.moves();
  return {.room = room,
          .pods_on = [&snapshot](std::string_view node) { return snapshot.pods_of(node); },
          .preferring = [&snapshot, &moves] { return preferring(snapshot, moves); },
          .pending = [&moves] { return moves.pending(); },
          .replicas_of =
              [&moves](const policy::Pod& pod) { return rescheduler::replicas_of(moves, pod); },
          .budgets_of =
              [this, server](const std::string& ns) { return budgets_of(cluster_, ns, server); },
          .named_by = [&snapshot](const policy::Ledger& ledger,
                                  const std::string& ns) { return snapshot.named_by(ledger, ns); },
          .owner = [&moves](std::string_view uid) { return moves.owner(uid); },
          .now = server,
          .knows_time = true};
}

policy::MovePlan MovePass::plan(const policy::MoveRules& rules, policy::Time server) {
  return plan(cluster_.moves().room(), rules, server, "");
}

policy::MovePlan MovePass::plan(policy::ClusterRoom& room, const policy::MoveRules& rules,
                                policy::Time server, const std::string& explained) const {
  return policy::plan_moves(scene(room, server), rules,
                            {.left_alone = cluster_.left_alone(),
                             .resting = rests_.resting(server),
                             .moves_made = rests_.moves_in_hour(server),
                             .moves_off = rests_.moves_off(server),
                             .taken = arrivals_.taken(),
                             .explained = explained});
}

std::string MovePass::explain(const policy::MoveRules& rules, policy::Time server,
                              const policy::Pod& pod) const {
  if (!rules.is_on()) return "no policy is on";
  if (pod.node.empty()) return "it is on no node";
  if (const auto why = policy::why_not_moved(pod); !why.empty()) return std::string(why);
  if (const auto why = policy::why_not_moved(pod, rules); !why.empty()) return std::string(why);
  if (const policy::Node* node = cluster_.snapshot().node(pod.node)) {
    if (!policy::takes_part(*node)) return "its node is cordoned, or not Ready";
  }
  if (const auto alone = cluster_.left_alone(); alone.contains(pod.node)) {
    return "its node is left alone: " + alone.at(pod.node);
  }
  policy::ClusterRoom room = std::as_const(cluster_).moves().room();
  return plan(room, rules, server, policy::key_of(pod)).explanation;
}

policy::TopOwner MovePass::owner_of(const policy::Pod& pod) const {
  policy::ClusterRoom none;
  return policy::top_owner(pod, scene(none, {}));
}

}  // namespace elbowroom::rescheduler

#include "cli/lab/move_demo.h"

#include <algorithm>
#include <iostream>

#include "api/transport/kubeconfig.h"
#include "cli/input/cluster_reader.h"
#include "cli/input/from_cluster.h"
#include "cli/input/skipped_objects.h"
#include "cli/simulate_reschedule.h"

namespace elbowroom::cli {
namespace {

using lab::Json;

constexpr std::size_t kReplicas = 2;

Json config_map(const std::string& name, const std::string& key, const std::string& text) {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", {{"name", name}, {"namespace", "kube-system"}}},
          {"data", {{key, text}}}};
}

// None of its pods may go.
Json closed_budget(const std::string& app) {
  return {{"apiVersion", "elbowroom.dev/v1alpha1"},
          {"kind", "DisruptionBudget"},
          {"metadata", {{"name", app}, {"namespace", "default"}}},
          {"spec", {{"selector", {{"matchLabels", {{"app", app}}}}}, {"minAvailable", kReplicas}}}};
}

}  // namespace

bool MoveDemo::play() {
  return begin() && tells_what_would_move() && moves() && tells_what_was_refused() &&
         stop_daemons();
}

bool MoveDemo::begin() {
  title(
      "16. One node is full: two Deployments of two pods. A budget keeps the pods of one of them");
  if (!start_cluster()) return false;
  // Without a record of earlier moves all owners would rest first.
  create(config_map("elbowroom-rescheduler-rests", "rests.json", "{}"));
  configure("underutilizedNode: {enabled: false}");
  if (!start_daemons()) return false;
  cordon("node-2", true);
  create(closed_budget("db"));
  create(deployment("web", kReplicas));
  create(deployment("db", kReplicas));
  return runs(2 * kReplicas, "node-1");
}

bool MoveDemo::tells_what_would_move() {
  title("17. node-2 is added; elbowroom simulate reschedule says what would move, and why not");
  cordon("node-2", false);
  // Asked first: the rescheduler moves at once what it is told to.
  if (!simulate()) return false;
  configure("underutilizedNode: {enabled: true}");
  return true;
}

bool MoveDemo::moves() {
  title("18. elbowroom-rescheduler moves one pod of an owner, and then lets the owner rest");
  return runs(1, "node-2") && runs(2 * kReplicas - 1, "node-1") &&
         waits("it is a pod of web",
               [&] { return running_on("node-2").begin()->starts_with("web-"); }) &&
         waits("the pod that left has an event Rescheduled",
               [&] { return was_told("web-", "Rescheduled", "UnderutilizedNode"); });
}

bool MoveDemo::tells_what_was_refused() {
  title("19. What the budget refuses is told at the pod, and the rest of the owner in a ConfigMap");
  return waits("a pod of db has an event EvictionBlocked that names the budget",
               [&] { return was_told("db-", "EvictionBlocked", "default/db"); }) &&
         waits("the record has the rest of Deployment default/web", [&] {
           const Json maps = list("", "v1", "configmaps", "kube-system");
           return std::ranges::any_of(maps, [](const Json& map) {
             return lab::text_at(map, {"data", "rests.json"}).find("default/web") !=
                    std::string::npos;
           });
         });
}

void MoveDemo::configure(const std::string& policies) {
  create(config_map("elbowroom-rescheduler", "config.yaml",
                    "apiVersion: elbowroom.dev/v1alpha1\nkind: ReschedulerConfiguration\n"
                    "interval: 10s\npolicies:\n  " +
                        policies + "\n"));
  say("  wrote   configmaps/elbowroom-rescheduler " + policies);
}

bool MoveDemo::was_told(const std::string& pod, const std::string& reason,
                        const std::string& words) {
  return std::ranges::any_of(list("events.k8s.io", "v1", "events"), [&](const Json& event) {
    return lab::text_at(event, {"regarding", "name"}).starts_with(pod) &&
           lab::text_at(event, {"reason"}) == reason &&
           lab::text_at(event, {"note"}).find(words) != std::string::npos;
  });
}

bool MoveDemo::simulate() {
  const auto access = api::user_access(kubeconfig(), {}, "");
  if (!access) return fail(access.error().message);
  ClusterReader reader(*access);
  auto read = read_cluster(reader, Owners::Yes);
  if (!read) return fail(read.error().message);
  const auto input = understand(std::move(read->objects), "", reader.server());
  if (!input) return fail(input.error().message);
  Manifests manifests = input->manifests;
  if (!manifests.move_rules) return fail("there is no configuration of elbowroom-rescheduler");
  manifests.move_rules->policies.underutilized_node.enabled = true;
  // Without a time: whatever has just started would count as rolling out.
  const policy::MovePlan plan = answer(manifests, RescheduleQuery{});
  std::cout << "\n" << printed(plan, OutputFormat::Table) << std::flush;
  const bool moves_web = plan.moves.size() == 1 && plan.moves[0].pod.starts_with("default/web-");
  const bool keeps_db = std::ranges::any_of(
      plan.blocked, [](const auto& each) { return each.pod.starts_with("default/db-"); });
  return holds("a pod of web would move, and a pod of db but for its budget",
               moves_web && keeps_db);
}

}  // namespace elbowroom::cli

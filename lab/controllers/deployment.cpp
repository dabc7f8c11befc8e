#include "lab/controllers/deployment.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "lab/controllers/app_condition.h"
#include "lab/controllers/owned_objects.h"
#include "lab/controllers/pod_state.h"
#include "lab/controllers/pod_template.h"
#include "lab/controllers/rollout.h"

namespace elbowroom::lab {
namespace {

constexpr const char* kRevision = "deployment.kubernetes.io/revision";
constexpr const char* kHashLabel = "pod-template-hash";

const Kind& replica_sets() { return controller_kind("replicasets"); }

std::int64_t revision_of(const Json& set) {
  const std::string text = text_at(set, {"metadata", "annotations", kRevision});
  std::int64_t revision = 0;
  std::from_chars(text.data(), text.data() + text.size(), revision);
  return revision;
}

std::int64_t next_revision(const Rollout& rollout) {
  std::int64_t last = 0;
  for (const Object& set : rollout.old()) last = std::max(last, revision_of(set));
  return last + 1;
}

// A name that no ReplicaSet has: templates that differ may have the same hash.
std::string free_hash(const World& world, const Json& deployment) {
  const std::string ns = text_at(deployment, {"metadata", "namespace"});
  const std::string name = text_at(deployment, {"metadata", "name"});
  for (int turn = 0;; ++turn) {
    std::string hash = template_hash(map_at(deployment, {"spec", "template"}), turn);
    if (world.peek(replica_sets(), ns, name + "-" + hash) == nullptr) return hash;
  }
}

bool create_newest(World& world, const Rollout& rollout) {
  const Json& deployment = rollout.deployment();
  const std::string hash = free_hash(world, deployment);
  Json set = {
      {"metadata",
       {{"name", text_at(deployment, {"metadata", "name"}) + "-" + hash},
        {"annotations", map_at(deployment, {"metadata", "annotations"})},
        {"ownerReferences",
         Json::array({controller_reference(controller_kind("deployments"), deployment)})}}},
      {"spec",
       {{"replicas", rollout.first_replicas()},
        {"minReadySeconds", integer_at(deployment, {"spec", "minReadySeconds"}).value_or(0)},
        {"selector", map_at(deployment, {"spec", "selector"})},
        {"template", map_at(deployment, {"spec", "template"})}}}};
  set["metadata"]["annotations"].erase("kubectl.kubernetes.io/last-applied-configuration");
  set["metadata"]["annotations"][kRevision] = std::to_string(next_revision(rollout));
  make_at(set, {"spec", "selector", "matchLabels"})[kHashLabel] = hash;
  make_at(set, {"spec", "template", "metadata", "labels"})[kHashLabel] = hash;
  set["metadata"]["labels"] = set["spec"]["template"]["metadata"]["labels"];
  return world
      .create(replica_sets(), text_at(deployment, {"metadata", "namespace"}), std::move(set),
              {.manager = "kube-controller-manager"})
      .has_value();
}

// The newest set has the highest revision, also after a rollback; the Deployment shows it.
bool write_revision(World& world, const Rollout& rollout) {
  if (!rollout.newest()) return false;
  const Object& newest = *rollout.newest();
  if (revision_of(newest) < next_revision(rollout)) {
    Json set = newest;
    make_at(set, {"metadata", "annotations"})[kRevision] = std::to_string(next_revision(rollout));
    return write_object(world, replica_sets(), std::move(set));
  }
  if (revision_of(rollout.deployment()) == revision_of(newest)) return false;
  Json deployment = rollout.deployment();
  make_at(deployment, {"metadata", "annotations"})[kRevision] = std::to_string(revision_of(newest));
  return write_object(world, controller_kind("deployments"), std::move(deployment));
}

bool scale(World& world, const Scaling& scaling) {
  Json set = scaling.set;
  set["spec"]["replicas"] = scaling.replicas;
  return write_object(world, replica_sets(), std::move(set));
}

// Recreate: no pod of an old set may be there any more, except those that have finished.
bool waits_for_old_pods(const Rollout& rollout, const Dependants& pods) {
  if (!rollout.recreates()) return false;
  return std::ranges::any_of(rollout.old(), [&](const Object& set) {
    if (desired_replicas(set) > 0) return true;
    return std::ranges::any_of(dependants_of(pods, set),
                               [](const Object& pod) { return !is_finished_pod(pod); });
  });
}

bool is_complete(const Rollout& rollout) {
  const std::int64_t replicas = desired_replicas(rollout.deployment());
  return rollout.newest() &&
         integer_at(*rollout.newest(), {"status", "replicas"}).value_or(0) == replicas &&
         rollout.total_in_status("replicas") == replicas &&
         rollout.total_in_status("availableReplicas") == replicas;
}

// Empty sets beyond revisionHistoryLimit, the oldest first.
bool remove_history(World& world, const Rollout& rollout) {
  if (!is_complete(rollout)) return false;
  const std::int64_t limit =
      integer_at(rollout.deployment(), {"spec", "revisionHistoryLimit"}).value_or(10);
  if (std::ssize(rollout.old()) <= limit) return false;
  for (const Object& set : rollout.old()) {
    const bool is_empty =
        desired_replicas(set) == 0 && integer_at(set, {"status", "replicas"}).value_or(0) == 0;
    if (is_empty && !is_leaving(set)) return remove_object(world, replica_sets(), set);
  }
  return false;
}

Json conditions_of(const Rollout& rollout, policy::Time now) {
  const std::int64_t least = desired_replicas(rollout.deployment()) - rollout.max_unavailable();
  const bool is_available = rollout.total_in_status("availableReplicas") >= least;
  Json conditions = with_condition(
      list_at(rollout.deployment(), {"status", "conditions"}),
      {.type = "Available",
       .is_true = is_available,
       .reason = is_available ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
       .message = is_available ? "Deployment has minimum availability."
                               : "Deployment does not have minimum availability."},
      now);
  const bool is_done = is_complete(rollout);
  return with_condition(std::move(conditions),
                        {.type = "Progressing",
                         .is_true = true,
                         .reason = is_done ? "NewReplicaSetAvailable" : "ReplicaSetUpdated",
                         .message = is_done ? "ReplicaSet has successfully progressed."
                                            : "ReplicaSet is progressing."},
                        now);
}

bool tell_status(World& world, const Rollout& rollout, policy::Time now) {
  const Json& deployment = rollout.deployment();
  const std::int64_t available = rollout.total_in_status("availableReplicas");
  Json status = {
      {"observedGeneration", integer_at(deployment, {"metadata", "generation"}).value_or(0)},
      {"conditions", conditions_of(rollout, now)}};
  put_count(status, "replicas", rollout.total_in_status("replicas"));
  put_count(status, "readyReplicas", rollout.total_in_status("readyReplicas"));
  put_count(status, "availableReplicas", available);
  put_count(status, "unavailableReplicas",
            std::max<std::int64_t>(rollout.total_desired() - available, 0));
  if (rollout.newest()) {
    put_count(status, "updatedReplicas",
              integer_at(*rollout.newest(), {"status", "replicas"}).value_or(0));
  }
  return write_status(world, controller_kind("deployments"), deployment, std::move(status));
}

bool step_one(World& world, const Rollout& rollout, const Dependants& pods, policy::Time now) {
  if (!is_leaving(rollout.deployment())) {
    const bool waits = rollout.is_paused() || waits_for_old_pods(rollout, pods);
    if (!rollout.newest() && !waits && create_newest(world, rollout)) return true;
    if (write_revision(world, rollout)) return true;
    const auto scaling = rollout.next_scaling();
    const bool grows = scaling && scaling->replicas > desired_replicas(scaling->set);
    const bool may_scale = !grows || rollout.is_paused() || !waits;
    if (scaling && may_scale && scale(world, *scaling)) return true;
    if (remove_history(world, rollout)) return true;
  }
  return tell_status(world, rollout, now);
}

}  // namespace

ControllerStep step_deployments(World& world, policy::Time now) {
  ControllerStep step;
  const auto deployments = stored_objects(world, controller_kind("deployments"));
  if (deployments.empty()) return step;
  const Dependants sets = controlled_objects(world, replica_sets());
  const Dependants pods = controlled_objects(world, controlled_pods());
  for (const Object& deployment : deployments) {
    const Rollout rollout(deployment, dependants_of(sets, deployment));
    step.changed = step_one(world, rollout, pods, now) || step.changed;
  }
  return step;
}

}  // namespace elbowroom::lab

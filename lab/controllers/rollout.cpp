#include "lab/controllers/rollout.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "lab/controllers/amount_of_replicas.h"
#include "lab/controllers/owned_objects.h"

namespace elbowroom::lab {
namespace {

std::int64_t in_status(const Json& set, const char* count) {
  return integer_at(set, {"status", count}).value_or(0);
}

// The template without the label that tells the ReplicaSets apart.
Json plain_template(const Json& object) {
  Json plain = map_at(object, {"spec", "template"});
  if (find_at(plain, {"metadata", "labels"}) != nullptr) {
    plain["metadata"]["labels"].erase("pod-template-hash");
  }
  return plain;
}

}  // namespace

Rollout::Rollout(Object deployment, std::vector<Object> sets)
    : deployment_(std::move(deployment)), old_(std::move(sets)) {
  std::ranges::sort(old_, {}, [](const Object& set) {
    return std::tuple(text_at(set, {"metadata", "creationTimestamp"}),
                      text_at(set, {"metadata", "name"}));
  });
  const Json wanted = plain_template(deployment_);
  const auto is_newest = [&](const Object& set) { return plain_template(set) == wanted; };
  // Of several the oldest, as in upstream's FindNewReplicaSet.
  if (const auto found = std::ranges::find_if(old_, is_newest); found != old_.end()) {
    newest_ = *found;
    old_.erase(found);
  }
  if (recreates()) return;
  const std::int64_t replicas = desired_replicas(deployment_);
  surge_ = amount_of_replicas(deployment_, {"spec", "strategy", "rollingUpdate", "maxSurge"},
                              replicas, Round::Up)
               .value_or(0);
  unavailable_ =
      amount_of_replicas(deployment_, {"spec", "strategy", "rollingUpdate", "maxUnavailable"},
                         replicas, Round::Down)
          .value_or(0);
  // Two percentages may both round to 0. Source: deployment util ResolveFenceposts.
  if (surge_ == 0 && unavailable_ == 0) unavailable_ = 1;
  unavailable_ = std::min(unavailable_, replicas);
}

bool Rollout::recreates() const {
  return text_at(deployment_, {"spec", "strategy", "type"}) == "Recreate";
}

bool Rollout::is_paused() const { return truth_at(deployment_, {"spec", "paused"}); }

std::int64_t Rollout::total_desired() const {
  std::int64_t total = newest_ ? desired_replicas(*newest_) : 0;
  for (const Object& set : old_) total += desired_replicas(set);
  return total;
}

std::int64_t Rollout::total_in_status(const char* count) const {
  std::int64_t total = newest_ ? in_status(*newest_, count) : 0;
  for (const Object& set : old_) total += in_status(set, count);
  return total;
}

std::int64_t Rollout::first_replicas() const {
  const std::int64_t replicas = desired_replicas(deployment_);
  if (recreates()) return replicas;
  return std::clamp(replicas + surge_ - total_desired(), std::int64_t{0}, replicas);
}

std::optional<Scaling> Rollout::next_scaling() const {
  if (is_paused()) return scaling_while_paused();
  if (!recreates()) {
    if (auto scaling = scaling_of_newest()) return scaling;
    return scaling_of_old();
  }
  for (const Object& set : old_) {
    if (desired_replicas(set) > 0) return Scaling{set, 0};
  }
  const std::int64_t replicas = desired_replicas(deployment_);
  if (newest_ && desired_replicas(*newest_) != replicas) return Scaling{*newest_, replicas};
  return std::nullopt;
}

// While it is paused, a Deployment with one set in use is still scaled.
std::optional<Scaling> Rollout::scaling_while_paused() const {
  std::vector<Object> used;
  const auto consider = [&](const Object& set) {
    if (desired_replicas(set) > 0) used.push_back(set);
  };
  std::ranges::for_each(old_, consider);
  if (newest_) consider(*newest_);
  if (used.empty() && newest_) used.push_back(*newest_);
  const std::int64_t replicas = desired_replicas(deployment_);
  if (used.size() != 1 || desired_replicas(used.front()) == replicas) return std::nullopt;
  return Scaling{used.front(), replicas};
}

std::optional<Scaling> Rollout::scaling_of_newest() const {
  if (!newest_) return std::nullopt;
  const std::int64_t replicas = desired_replicas(deployment_);
  const std::int64_t has = desired_replicas(*newest_);
  if (has > replicas) return Scaling{*newest_, replicas};
  const std::int64_t room = replicas + surge_ - total_desired();
  if (has == replicas || room <= 0) return std::nullopt;
  return Scaling{*newest_, has + std::min(room, replicas - has)};
}

// Pods that are not available go first, then as many as the available ones allow.
std::optional<Scaling> Rollout::scaling_of_old() const {
  const std::int64_t least = desired_replicas(deployment_) - unavailable_;
  const std::int64_t not_yet =
      newest_ ? desired_replicas(*newest_) - in_status(*newest_, "availableReplicas") : 0;
  const std::int64_t most = total_desired() - least - not_yet;
  if (most <= 0) return std::nullopt;
  for (const Object& set : old_) {
    const std::int64_t sick = desired_replicas(set) - in_status(set, "availableReplicas");
    if (desired_replicas(set) > 0 && sick > 0) {
      return Scaling{set, desired_replicas(set) - std::min(most, sick)};
    }
  }
  const std::int64_t spare = total_in_status("availableReplicas") - least;
  if (spare <= 0) return std::nullopt;
  for (const Object& set : old_) {
    const std::int64_t has = desired_replicas(set);
    if (has > 0) return Scaling{set, has - std::min(has, spare)};
  }
  return std::nullopt;
}

}  // namespace elbowroom::lab

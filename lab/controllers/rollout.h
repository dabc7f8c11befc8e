// A Deployment with its ReplicaSets, and what its strategy makes of them. It only reads.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lab/world/json.h"
#include "lab/world/object.h"

namespace elbowroom::lab {

// The number of replicas that one ReplicaSet gets.
struct Scaling {
  Object set;
  std::int64_t replicas = 0;
};

class Rollout {
 public:
  // `sets` are those that the Deployment controls.
  Rollout(Object deployment, std::vector<Object> sets);

  [[nodiscard]] const Object& deployment() const { return deployment_; }
  // The set of the present template; nothing: there is none yet.
  [[nodiscard]] const std::optional<Object>& newest() const { return newest_; }
  // All others, the oldest first.
  [[nodiscard]] const std::vector<Object>& old() const { return old_; }

  [[nodiscard]] bool recreates() const;
  [[nodiscard]] bool is_paused() const;
  [[nodiscard]] std::int64_t max_unavailable() const { return unavailable_; }

  // How many replicas a newest set has that is created now.
  [[nodiscard]] std::int64_t first_replicas() const;
  // The next scaling that is due; nothing: none, or it waits for pods.
  [[nodiscard]] std::optional<Scaling> next_scaling() const;

  // Sums over all sets.
  [[nodiscard]] std::int64_t total_desired() const;
  [[nodiscard]] std::int64_t total_in_status(const char* count) const;

 private:
  [[nodiscard]] std::optional<Scaling> scaling_of_newest() const;
  [[nodiscard]] std::optional<Scaling> scaling_of_old() const;
  [[nodiscard]] std::optional<Scaling> scaling_while_paused() const;

  Object deployment_;
  std::optional<Object> newest_{};
  std::vector<Object> old_{};
  std::int64_t surge_ = 0;
  std::int64_t unavailable_ = 0;
};

}  // namespace elbowroom::lab

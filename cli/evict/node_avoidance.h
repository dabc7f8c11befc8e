// The entry that keeps the pods of a controller away from a node, for the time of one eviction: it
// is written, and taken back where the pod is not evicted.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "api/codec/avoid_entries.h"
#include "api/write/node_annotation.h"
#include "base/result.h"
#include "cli/evict/cluster_writer.h"
#include "policy/model/time.h"

namespace elbowroom::cli {

// Who is to avoid which node, and how long.
struct AvoidanceWish {
  std::string node{};
  api::ControllerReference controller{};
  std::string pod_uid{};
  std::chrono::seconds lasts{0};
};

class NodeAvoidance {
 public:
  // `writer` must outlive this object. `tell` gets what the user is to know.
  NodeAvoidance(ClusterWriter& writer, std::function<void(const std::string&)> tell)
      : writer_(writer), tell_(std::move(tell)) {}

  // Tries it on the server, and changes nothing.
  [[nodiscard]] Result<policy::Time> ask(const AvoidanceWish& wish);
  // Writes the entry, and returns when it ends. Where another program writes the annotation
  // meanwhile it reads and decides again, five times. Conflict: the annotation keeps changing;
  // Invalid: it cannot be read, or the server does not take it; Exhausted: others' entries leave no
  // room; all with the Node and the annotation.
  [[nodiscard]] Result<policy::Time> write(const AvoidanceWish& wish);
  // Takes back what was written. What cannot be taken back is told; it ends by itself.
  void take_back();

 private:
  [[nodiscard]] Result<api::AvoidChange> put(const AvoidanceWish& wish, bool dry_run);
  [[nodiscard]] Result<void> remove(const api::AvoidChange& change);
  [[nodiscard]] Result<api::NodeAnnotation> read(const std::string& node);
  [[nodiscard]] Result<void> store(const api::NodeAnnotation& read,
                                   const std::optional<std::string>& value, bool dry_run);

  ClusterWriter& writer_;
  std::function<void(const std::string&)> tell_;
  std::string node_{};
  std::optional<api::AvoidChange> written_{};
};

}  // namespace elbowroom::cli

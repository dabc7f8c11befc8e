// Tells the owner of a pod that its eviction is blocked: an Event on the pod, once for each news.
#pragma once

#include <functional>
#include <string>

#include "cli/evict/cluster_writer.h"
#include "cli/evict/eviction_decision.h"

namespace elbowroom::cli {

class BlockedNews {
 public:
  // `writer` must outlive this object. `tell` gets, once, why an event could not be written.
  BlockedNews(ClusterWriter& writer, std::function<void(const std::string&)> tell)
      : writer_(writer), tell_(std::move(tell)) {}

  // Writes the event, unless it says the same as the last one. Its name comes from what it says, so
  // the server keeps one of those that several programs write. Nothing depends on it.
  void tell(const EvictionDecision& blocked);

 private:
  ClusterWriter& writer_;
  std::function<void(const std::string&)> tell_;
  std::string last_{};
  bool has_failed_ = false;
};

}  // namespace elbowroom::cli

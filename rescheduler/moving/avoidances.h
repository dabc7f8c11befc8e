// What this process wrote into the annotations of nodes for pods that it is about to evict, so that
// it can be taken back where a pod is not evicted.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "api/codec/avoid_entries.h"
#include "api/transport/http.h"
#include "base/result.h"
#include "rescheduler/effect.h"

namespace elbowroom::rescheduler {

class Avoidances {
 public:
  // The request that writes the entry: of the pod and the Node, both as the server's JSON. The
  // errors of AvoidNode; what it writes is remembered by the pod's uid.
  [[nodiscard]] Result<api::Request> put(const AvoidNode& avoid, const std::string& pod,
                                         const std::string& node);
  // The request that takes it back; none: there is nothing to take back.
  [[nodiscard]] Result<std::optional<api::Request>> take_back(const AllowNode& allow,
                                                              const std::string& node);

 private:
  // Each move has one, and few are under way.
  static constexpr std::size_t kMost = 64;

  std::deque<std::pair<std::string, api::AvoidChange>> written_{};  // by pod uid, oldest first
};

}  // namespace elbowroom::rescheduler

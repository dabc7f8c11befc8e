// A cluster as one observer knows it at one moment, and the node that a pending pod gets in it,
// computed in the plainest way. It uses none of the code that places pods; filters are those of
// plain_filters.h, and assumed and nominated pods count as the published rules say.
#pragma once

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "policy/model/node.h"
#include "policy/model/pod.h"
#include "test/plain_filters.h"

namespace elbowroom::test {

using Uids = std::set<std::string, std::less<>>;

struct PlainMoment {
  PlainCluster cluster{};  // the pods that hold room or are being bound, and their nodes
  std::vector<policy::Pod> nominated{};          // each with the node that it is nominated to
  Uids leaving{};                                // terminating, and not overdue
  std::map<std::string, std::string> avoided{};  // nodes that are not for it now, and why
};

// Nodes that rejected pods, and for how long pods of that owner avoid them: plain copy of a
// published rule.
class TurnedOut {
 public:
  using Time = std::chrono::milliseconds;

  // The pod has failed at that time, on its node.
  void note(const policy::Pod& failed, Time at, Time now);
  // By node, with the reason.
  [[nodiscard]] std::map<std::string, std::string> avoided_by(const policy::Pod& pod,
                                                              Time now) const;

 private:
  struct Stay {
    std::set<std::string> uids{};
    std::string why{};
    Time latest{0};
  };
  std::map<std::pair<std::string, std::string>, Stay> stays_{};  // by owner and node
};

// A claim of a history has its zone before its first dash: "a-data". Its volume can be used there
// alone, bound or not.
[[nodiscard]] bool plain_claims(const policy::Pod& pod, const policy::Node& node);

// Beside all but the removed pods, with the nominated pods of its priority or more, and without.
[[nodiscard]] bool fits_beside(const PlainMoment& moment, const policy::Pod& pod,
                               const policy::Node& node, const Uids& gone);

// The nodes that take it now.
[[nodiscard]] std::vector<std::string> nodes_that_take(const PlainMoment& moment,
                                                       const policy::Pod& pod);
// The nodes that take it once the terminating pods are gone; an overdue pod is not waited for.
[[nodiscard]] std::vector<std::string> nodes_that_empty(const PlainMoment& moment,
                                                        const policy::Pod& pod);

// The reasons of all filters against the pod on that node, in the words of the event.
[[nodiscard]] std::set<std::string> reasons_of(const PlainMoment& moment, const policy::Pod& pod,
                                               const policy::Node& node);
// The untrue parts of "0/3 nodes are available: 2 Insufficient cpu, ...": a reason must hold of as
// many nodes as it says. A reason may be older than the present obstacles: the event is not
// repeated for a change that cannot help. "": nothing.
[[nodiscard]] std::string untruth_in(const std::string& message, const PlainMoment& moment,
                                     const policy::Pod& pod);

}  // namespace elbowroom::test

// Explains why a node loses a further set of pods to one resize (docs/decisions/0019). No decision
// depends on it. It compares the node at the removal of the last set with the node now, and returns
// what got worse.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cluster/snapshot.h"
#include "policy/model/pod.h"
#include "policy/model/pod_text.h"
#include "policy/model/resources.h"

namespace elbowroom::scheduler {

// The inputs of the choice of a set.
struct SetRecord {
  using Uids = std::set<std::string, std::less<>>;

  std::int64_t generation = 0;  // of the resize
  policy::Resources desired{};
  policy::Resources allocatable{};
  std::map<std::string, policy::Resources, std::less<>> held{};  // by uid, of every pod on the node
  Uids asked{};                                                  // the set, and earlier ones
  Uids leaving{};                                                // already terminating
  Uids shrinking{};                                              // hold more than they request
  Uids nominated{};
  std::set<std::pair<std::string, std::int64_t>> deferred{};  // resizes, by uid and generation
};

// `preemptor` is among the view's pods; `asked` are the uids of the set.
[[nodiscard]] SetRecord record_of(const cluster::NodeView& view, const policy::Pod& preemptor,
                                  SetRecord::Uids asked);

// Returns "pod default/y came" and the like: what has changed since, so that the earlier sets do
// not suffice any more.
[[nodiscard]] policy::PodText cause_since(const SetRecord& before, const cluster::NodeView& now,
                                          const policy::Pod& preemptor);

}  // namespace elbowroom::scheduler

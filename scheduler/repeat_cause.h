// Why a node loses a further set of pods to one resize (docs/decisions/0019). It decides nothing;
// it compares the node as it was when the last set was asked to go with the node as it is, and says
// what is worse.
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

// What a set was chosen by.
struct SetRecord {
  using Uids = std::set<std::string, std::less<>>;

  std::int64_t generation = 0;  // of the resize
  policy::Resources desired{};
  policy::Resources allocatable{};
  std::map<std::string, policy::Resources, std::less<>> held{};  // by uid, of everybody there
  Uids asked{};                                                  // the set, and those before it
  Uids leaving{};                                                // on their way out already
  Uids nominated{};
  std::set<std::pair<std::string, std::int64_t>> deferred{};  // resizes, by uid and generation
};

// `preemptor` is among the view's pods; `asked` are the uids of the set.
[[nodiscard]] SetRecord record_of(const cluster::NodeView& view, const policy::Pod& preemptor,
                                  SetRecord::Uids asked);

// "pod default/y came" and the like: what has changed since, so that the earlier sets are not
// enough any more.
[[nodiscard]] policy::PodText cause_since(const SetRecord& before, const cluster::NodeView& now,
                                          const policy::Pod& preemptor);

}  // namespace elbowroom::scheduler

// What a pass of the rescheduler reads: the room of every node, and ways to ask for what it needs
// of the rest, so that of a large cluster only little is unpacked; and what binds it besides the
// rules.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/model/budget.h"
#include "policy/model/pod.h"
#include "policy/model/time.h"
#include "policy/moves/move_owner.h"
#include "policy/moves/replica.h"
#include "policy/placement/cluster_room.h"
#include "policy/placement/schedule.h"
#include "policy/preemption/budget_charge.h"

namespace elbowroom::policy {

using PodsByNode = std::map<std::string, std::vector<Pod>>;

// The same questions have the same answers throughout a pass.
struct MoveScene {
  ClusterRoom& room;                                            // at the end it is as before
  std::function<std::vector<Pod>(std::string_view)> pods_on{};  // those bound to a node
  // The nodes on which nothing is about to be removed, with their pods that prefer nodes.
  std::function<PodsByNode()> preferring{};
  std::function<std::vector<Pod>()> pending{};  // those that wait for a node
  // Those of its controller, the pod among them.
  std::function<std::vector<Replica>(const Pod&)> replicas_of{};
  // The budgets of a namespace, with the strengths of ours.
  std::function<Budgets(const std::string&)> budgets_of{};
  // The pods of a namespace that entries of a ledger name, as far as they exist.
  std::function<std::vector<Pod>(const Ledger&, const std::string&)> named_by{};
  // By uid; nullptr: it is not known.
  std::function<const MoveOwner*(std::string_view)> owner{};
  Time now{};
  bool knows_time = true;  // false: `now` is only the latest time of the objects
};

// What binds one pass.
struct MoveTerms {
  AvoidedByName left_alone{};  // nodes that no pod leaves or comes to, each with the reason
  std::map<std::string, std::string> resting{};     // uids of owners, each with why it rests
  std::int64_t moves_made = 0;                      // of the hour
  std::map<std::string, std::int64_t> moves_off{};  // of the hour, by the node that was left
  std::vector<Pod> taken{};  // pods that are expected, each with its node: their room is taken
  std::string explained{};   // the key of a pod that is asked about; "": none
};

}  // namespace elbowroom::policy

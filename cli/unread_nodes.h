// What the pods of a cluster tell where its nodes may not be read: which resizes wait, as their
// nodes say, and which pods leave. Who makes room is not known then.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "policy/model/pod.h"
#include "policy/model/time.h"
#include "policy/overview/overview.h"

namespace elbowroom::cli {

// `pods`: all that are bound to the node; `nominated`: as of policy::NodeScene. The part's `node`
// has only its name.
[[nodiscard]] policy::NodePart overview_of_unread_node(const std::string& node,
                                                       const std::vector<policy::Pod>& pods,
                                                       std::span<const policy::Pod> nominated,
                                                       policy::Time now);

// Of a whole cluster: waiting and leaving pods, node by node.
[[nodiscard]] policy::Overview overview_of_unread_nodes(std::span<const policy::Pod> pods,
                                                        policy::Time now);

}  // namespace elbowroom::cli

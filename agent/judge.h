// One pass over a node's pending resizes, in retry order. Each pod sees what the earlier ones of
// the pass were given, and room that is being made for a Deferred pod is not given away to later
// ones.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/model/charge.h"
#include "policy/model/node.h"
#include "policy/model/pod.h"
#include "policy/model/pod_text.h"
#include "policy/model/removal_mark.h"
#include "policy/resize/resize.h"

namespace elbowroom::agent {

// A pod as the pass needs it. The pointer must live through the pass.
struct Judged {
  const policy::Pod* pod = nullptr;  // allocated and actual figures as the agent knows them
  std::uint64_t arrival = 0;
  bool judgeable = false;  // its allocation is known, and it is running and not on its way out
  // The resize that it was chosen to make room for, until it is overdue.
  std::optional<policy::RemovalMark> makes_room_for{};
  // Pods were chosen to go for its resize, which may be gone by now: room is kept for it.
  bool room_is_made = false;
};

// Decisions by pod uid, for every judgeable pod.
using Judgements = std::map<std::string, policy::ResizeDecision, std::less<>>;

// `unreadable` names a pod of the node that cannot be understood (""; none): while there is one,
// nothing grows, because what it holds is not known. No message names a pod of another namespace.
[[nodiscard]] Judgements judge_pass(const policy::Node& node, const std::vector<Judged>& pods,
                                    const policy::ManagerPolicies& managers,
                                    const std::string& unreadable);

// The decision's message in both its forms. The decision has the one that is written onto the pod,
// of namespace `reader`; the full one names the pod that cannot be read, wherever it is.
[[nodiscard]] policy::PodText message_of(const policy::ResizeDecision& decision,
                                         std::string_view reader, const std::string& unreadable);

}  // namespace elbowroom::agent

// One pass over a node's pending resizes, in retry order. Each pod sees what earlier pods of the
// pass were allocated. Room that is being made for a Deferred pod is not allocated to later ones.
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
  bool judgeable = false;  // its allocation is known, and it is running and not terminating
  bool is_new = false;     // it awaits admission: nothing is allocated, and the managers take any
  // The resize that this pod is a victim for, until it is overdue.
  std::optional<policy::RemovalMark> makes_room_for{};
  // Victims were chosen for its resize, and may be gone by now: their room is reserved for it.
  bool room_is_made = false;
};

// Decisions by pod uid, for every judgeable pod.
using Judgements = std::map<std::string, policy::ResizeDecision, std::less<>>;

// `unreadable` names a pod of the node that cannot be read (""; none). While there is one, no pod
// grows, because what it holds is unknown. No message names a pod of another namespace.
[[nodiscard]] Judgements judge_pass(const policy::Node& node, const std::vector<Judged>& pods,
                                    const policy::ManagerPolicies& managers,
                                    const std::string& unreadable);

// Returns the decision's message in both forms. The decision has the form for the pod, of namespace
// `reader`; the full form names the unreadable pod in any namespace.
[[nodiscard]] policy::PodText message_of(const policy::ResizeDecision& decision,
                                         std::string_view reader, const std::string& unreadable);

}  // namespace elbowroom::agent

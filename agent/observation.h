// Everything the agent's reactor can see, as values. The one thing to know: time arrives here too,
// so the same observations give the same effects, on any machine and in any year.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "agent/checkpoint.h"
#include "base/result.h"
#include "cri/types.h"
#include "policy/node.h"
#include "policy/pod.h"
#include "policy/time.h"

namespace elbowroom::agent {

// When something was observed. `since_start` is our own monotonic clock, for every deadline; `wall`
// is for display and conditions only.
struct Moment {
  std::chrono::milliseconds since_start{0};
  policy::Time wall{};
};

// What the runtime and the cgroup say of one container.
struct ContainerReport {
  std::string id{};
  policy::RunState state = policy::RunState::None;
  std::optional<cri::RuntimeResources> size{};  // what it really has; none: not read yet
  bool may_swap = false;

  friend bool operator==(const ContainerReport&, const ContainerReport&) = default;
};

struct PodReport {
  std::map<std::string, ContainerReport, std::less<>> containers{};  // by container name
  std::optional<cri::RuntimeResources> pod_cgroup{};                 // the pod's own, as read back

  friend bool operator==(const PodReport&, const PodReport&) = default;
};

// ---- what was seen ----
struct NodeSeen {
  policy::Node node{};
};
struct NodeGone {  // or it cannot be understood, so its room is not known
  std::string why{};
};
struct PodSeen {  // added or changed
  policy::Pod pod{};
};
struct PodGone {
  std::string uid{};
};
// A pod of this node that cannot be understood: it may hold room, so nothing grows while it is
// there.
struct PodUnreadable {
  std::string key{};  // NAMESPACE/NAME
  std::string why{};
};
// A complete list: pods that are not in it are gone.
struct PodsListed {
  std::vector<policy::Pod> pods{};
  std::vector<PodUnreadable> unreadable{};
};
struct PodReadableAgain {  // or gone
  std::string key{};
};
// Whether the API server keeps Node.spec.podPreemptionPolicy.
struct PolicyFieldProbed {
  bool kept = false;
};
struct ApiLost {
  std::string why{};
};
struct ApiBack {};
struct RuntimeSeen {  // a complete list: pods that are not in it have no containers
  std::map<std::string, PodReport, std::less<>> pods{};  // by pod uid
};
struct RuntimeLost {
  std::string why{};
};
struct TimePassed {};

using EffectId = std::uint64_t;

// An effect was performed. After one on a container or pod cgroup, `size` is what it has now.
struct Done {
  EffectId effect = 0;
  std::optional<cri::RuntimeResources> size{};
};
struct Failed {
  EffectId effect = 0;
  Error error{};
};

struct Observation {
  Moment at{};
  std::variant<NodeSeen, NodeGone, PodSeen, PodGone, PodsListed, PodUnreadable, PodReadableAgain,
               PolicyFieldProbed, ApiLost, ApiBack, RuntimeSeen, RuntimeLost, TimePassed, Done,
               Failed>
      what{};
};

}  // namespace elbowroom::agent

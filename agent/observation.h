// Everything the agent's reactor can see, as values. Time arrives here too, so the same
// observations give the same effects, on any machine and in any year.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "agent/checkpoint/checkpoint.h"
#include "base/result.h"
#include "control/observation.h"
#include "cri/types.h"
#include "policy/model/budget.h"
#include "policy/model/node.h"
#include "policy/model/pod.h"
#include "policy/model/time.h"

namespace elbowroom::agent {

using control::EffectId;
using control::Failed;
using control::kMostTogether;
using control::Moment;
using control::PolicyFieldProbed;
using control::TimePassed;

// What the runtime and the cgroup say of one container.
struct ContainerReport {
  std::string id{};
  policy::RunState state = policy::RunState::None;
  std::optional<cri::RuntimeResources> size{};  // what it really has; none: not read yet
  bool may_swap = false;
  std::optional<policy::Bytes> memory_request{};  // it was created with; none: not known

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

  friend bool operator==(const NodeSeen&, const NodeSeen&) = default;
};
struct NodeGone {  // or it cannot be understood, so its room is not known
  std::string why{};

  friend bool operator==(const NodeGone&, const NodeGone&) = default;
};
struct PodSeen {  // added or changed
  policy::Pod pod{};
  // When a kubelet last wrote into its status, by the API server's clock; none: it never did.
  std::optional<policy::Time> kubelet_wrote{};

  friend bool operator==(const PodSeen&, const PodSeen&) = default;
};
struct PodGone {
  std::string uid{};

  friend bool operator==(const PodGone&, const PodGone&) = default;
};
// A pod of this node that cannot be understood: it may hold room, so nothing grows while it is
// there.
struct PodUnreadable {
  std::string key{};  // NAMESPACE/NAME
  std::string why{};

  friend bool operator==(const PodUnreadable&, const PodUnreadable&) = default;
};
// A complete list: pods that are not in it are gone.
struct PodsListed {
  std::vector<policy::Pod> pods{};
  std::vector<PodUnreadable> unreadable{};

  friend bool operator==(const PodsListed&, const PodsListed&) = default;
};
struct PodReadableAgain {  // or gone
  std::string key{};

  friend bool operator==(const PodReadableAgain&, const PodReadableAgain&) = default;
};
struct ApiLost {
  std::string why{};

  friend bool operator==(const ApiLost&, const ApiLost&) = default;
};
struct ApiBack {
  friend bool operator==(const ApiBack&, const ApiBack&) = default;
};
struct RuntimeSeen {  // a complete list: pods that are not in it have no containers
  std::map<std::string, PodReport, std::less<>> pods{};  // by pod uid

  friend bool operator==(const RuntimeSeen&, const RuntimeSeen&) = default;
};
struct RuntimeLost {
  std::string why{};

  friend bool operator==(const RuntimeLost&, const RuntimeLost&) = default;
};
// A kubelet is on this machine.
struct KubeletSeen {
  std::string where{};  // http://127.0.0.1:10248/healthz
  bool silent = false;  // it takes connections and does not answer

  friend bool operator==(const KubeletSeen&, const KubeletSeen&) = default;
};

// The answer to ReadBudgets. One that cannot be understood is a hard one that allows nothing.
struct BudgetsRead {
  EffectId effect = 0;
  std::vector<policy::DisruptionBudget> budgets{};
  policy::Time server{};  // by the API server's clock

  friend bool operator==(const BudgetsRead&, const BudgetsRead&) = default;
};

// An effect was performed. After one on a container or pod cgroup, `size` is what it has now.
struct Done {
  EffectId effect = 0;
  std::optional<cri::RuntimeResources> size{};

  friend bool operator==(const Done&, const Done&) = default;
};

struct Observation {
  Moment at{};
  std::variant<NodeSeen, NodeGone, PodSeen, PodGone, PodsListed, PodUnreadable, PodReadableAgain,
               PolicyFieldProbed, ApiLost, ApiBack, RuntimeSeen, RuntimeLost, KubeletSeen,
               TimePassed, Done, Failed, BudgetsRead>
      what{};
  // Another one is at hand already: what to do is decided with that one.
  bool more = false;

  friend bool operator==(const Observation&, const Observation&) = default;
};

}  // namespace elbowroom::agent

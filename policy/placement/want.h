// What a pending pod that no node admits waits for. Each reason of the filters names the reliefs
// that can cure it; a change of the cluster says which reliefs it may bring, and where. A pod is
// looked at again only after a change that could help it: most changes are about other nodes, other
// pods, or too little room.
//
// The answer may be yes in vain, and is never no where the change makes a node admit the pod or
// makes preemption possible there. What time alone changes (nodes to avoid, pods that cannot be
// removed for a while) is no change: such a pod has a time of its own at which it is looked at.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/model/placement.h"
#include "policy/model/pod.h"
#include "policy/model/resources.h"
#include "policy/placement/cluster_room.h"
#include "policy/placement/reason.h"

namespace elbowroom::policy {

// What a change can bring.
enum class Relief : std::uint8_t {
  Room = 1U << 0U,     // on a node: a pod left, leaves or shrank, allocatable changed, it is Ready
  Node = 1U << 1U,     // a node came, or its labels, taints or whether it is schedulable changed
  Company = 1U << 2U,  // a pod came, left or changed, or the labels of a namespace did
  Budget = 1U << 3U,   // a hard budget or a pod group: other pods may be victims
  Own = 1U << 4U,      // the pending pod itself, or its group
};

// A set of reliefs.
class Reliefs {
 public:
  constexpr Reliefs() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): one relief is a set of reliefs
  constexpr Reliefs(Relief one) : bits_(static_cast<std::uint8_t>(one)) {}

  [[nodiscard]] constexpr bool has(Relief one) const {
    return (bits_ & static_cast<std::uint8_t>(one)) != 0;
  }
  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }
  constexpr Reliefs& operator|=(Reliefs other) {
    bits_ = static_cast<std::uint8_t>(bits_ | other.bits_);
    return *this;
  }
  friend constexpr Reliefs operator|(Reliefs a, Reliefs b) { return a |= b; }
  friend constexpr bool operator==(Reliefs, Reliefs) = default;

 private:
  std::uint8_t bits_ = 0;
};
constexpr Reliefs operator|(Relief a, Relief b) { return Reliefs(a) | Reliefs(b); }

// Which reliefs can cure a refusal with that reason. Source: the events that kube-scheduler's
// plugins register (EventsToRegister, 1.37).
[[nodiscard]] Reliefs cures_of(Reason reason);
// The same for a set of reasons, one bit for each.
[[nodiscard]] Reliefs cures_of_all(std::uint32_t reasons);

struct Want {
  Reliefs cures{};
  Resources request{};
  std::int32_t priority = 0;
  bool may_preempt = true;
  // By the node's number: whether the node itself admits the pod, so that only room or company is
  // missing there.
  std::vector<bool> admitted{};
  // What says which pods matter to it, and which it matters to.
  std::string ns{};
  Labels labels{};
  std::vector<SpreadConstraint> spread{};
  std::vector<PodTerm> affinity{};
  std::vector<PodTerm> anti_affinity{};
  std::vector<std::string> claims{};  // that it uses, by name

  friend bool operator==(const Want&, const Want&) = default;
};

// The want of a pod without a node, as far as the pod itself says it.
[[nodiscard]] Want want_of(const Pod& pod);

// A change, after it happened.
struct RoomChange {
  Reliefs brings{};
  std::optional<std::uint32_t> node{};  // by number; none: it is not known, or not one node
  bool is_new_node = false;
  // The pod that it is about, before and after. Both nullptr: it is not known.
  const Pod* before = nullptr;
  const Pod* after = nullptr;
};

// After a change that does not help: the node may admit the pod from now on, and only lack room.
void note(Want& want, const RoomChange& change);

// Whether a change could help; the room on its node is summed up once for all wants.
class ReliefOf {
 public:
  // Both must outlive this object.
  ReliefOf(const ClusterRoom& room, const RoomChange& change);

  [[nodiscard]] bool helps(const Want& want) const;

 private:
  // What the pods of at least that priority use.
  struct Level {
    std::int32_t priority = 0;
    std::int64_t cpu = 0;
    std::int64_t memory = 0;
    std::int64_t ephemeral_storage = 0;
    std::int64_t pods = 0;
  };

  void sum_up();
  [[nodiscard]] bool has_room_for(const Want& want) const;
  [[nodiscard]] bool admits(const Want& want) const;
  [[nodiscard]] bool is_company_of(const Want& want) const;
  [[nodiscard]] bool matters(const Want& want, const Pod& pod) const;

  const ClusterRoom& room_;
  const RoomChange& change_;
  std::vector<Level> levels_{};  // from the highest priority down; the first: pods that always stay
};

}  // namespace elbowroom::policy

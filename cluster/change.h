// What an event changed, limited to changes that could alter a decision about the node. A waiting
// pod lists the changes that could help it, and only those requeue it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "policy/model/node.h"
#include "policy/model/pod.h"

namespace elbowroom::cluster {

enum class Change : std::uint16_t {
  PodArrived = 1U << 0U,  // holds room now, and did not before
  PodLeft = 1U << 1U,     // no longer holds room: deleted, finished, or its containers have ended
  PodGrew = 1U << 2U,     // some desired, allocated or actual resource grew
  PodShrank = 1U << 3U,   // ... or shrank
  PodLeaving = 1U << 4U,  // was deleted (terminating), or its deadline moved
  PodChanged = 1U << 5U,  // what decides whether and when it may be a victim: priority, labels, ...
  Nominated = 1U << 6U,   // a pod nominated to the node was added, changed or removed
  Allocatable = 1U << 7U,    // of the Node, in either direction; the Node was added
  Ready = 1U << 8U,          // the Node's Ready condition
  NodePolicy = 1U << 9U,     // the owners that disable preemption for resizes
  CriticalBy = 1U << 10U,    // which component makes room for critical pods
  Budget = 1U << 11U,        // a budget that covers a pod of the node
  Own = 1U << 12U,           // the waiting pod's own spec or conditions
  RemovalEnded = 1U << 13U,  // of the victims of another pod on the node
  Placing = 1U << 14U        // of the Node: labels, taints, whether it is schedulable
};

// A set of changes.
class Changes {
 public:
  constexpr Changes() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): one change is a set of changes
  constexpr Changes(Change one) : bits_(static_cast<std::uint16_t>(one)) {}

  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }
  [[nodiscard]] constexpr bool intersects(Changes other) const {
    return (bits_ & other.bits_) != 0;
  }
  // Whether the change with that bit number is set; 0 is the first change of the list.
  [[nodiscard]] constexpr bool has_bit(unsigned bit) const { return (bits_ >> bit & 1U) != 0; }
  static constexpr unsigned kBits = 15;
  [[nodiscard]] static constexpr Changes all() {
    Changes made;
    made.bits_ = 0x7fff;
    return made;
  }
  constexpr Changes& operator|=(Changes other) {
    bits_ = static_cast<std::uint16_t>(bits_ | other.bits_);
    return *this;
  }
  friend constexpr Changes operator|(Changes a, Changes b) { return a |= b; }
  friend constexpr bool operator==(Changes, Changes) = default;

 private:
  std::uint16_t bits_ = 0;
};
constexpr Changes operator|(Change a, Change b) { return Changes(a) | Changes(b); }

// Between two states of one pod of a node; nullptr where it does not exist (or not on that node).
[[nodiscard]] Changes changes_of(const policy::Pod* before, const policy::Pod* after);

// Between two states of one Node; nullptr where it does not exist.
[[nodiscard]] Changes changes_of(const policy::Node* before, const policy::Node* after);

// "PodLeft, Ready": for explanations.
[[nodiscard]] std::vector<std::string_view> names_of(Changes changes);

}  // namespace elbowroom::cluster

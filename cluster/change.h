// What an event changed, as far as a decision about its node could come out differently. Whoever
// waits names the changes that could help it, and nothing else wakes it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "policy/model/node.h"
#include "policy/model/pod.h"

namespace elbowroom::cluster {

enum class Change : std::uint16_t {
  PodArrived = 1U << 0U,     // holds room now, and did not
  PodLeft = 1U << 1U,        // holds none any more: gone, finished, or its containers have ended
  PodGrew = 1U << 2U,        // some resource of what it asks for, was promised or has
  PodShrank = 1U << 3U,      // the same
  PodLeaving = 1U << 4U,     // was asked to go, or its deadline moved
  PodChanged = 1U << 5U,     // what decides whether and when it goes: priority, mark, labels, ...
  Nominated = 1U << 6U,      // a pending pod was nominated to the node, changed, or is no more
  Allocatable = 1U << 7U,    // of the Node, in either direction; the Node came
  Ready = 1U << 8U,          // the Node's Ready condition
  NodePolicy = 1U << 9U,     // who forbids preemption for resizes
  CriticalBy = 1U << 10U,    // who makes room for critical pods
  Budget = 1U << 11U,        // a budget that covers a pod of the node
  Own = 1U << 12U,           // the waiting pod's own spec or conditions
  RemovalEnded = 1U << 13U,  // of the pods that went for another one of the node
  Placing = 1U << 14U        // of the Node: labels, taints, whether it takes pods at all
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
  // Of the bit's number, 0 for the first change of the list.
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

// Between two states of one pod of a node; nullptr where it is not there (or not on that node).
[[nodiscard]] Changes changes_of(const policy::Pod* before, const policy::Pod* after);

// Between two states of one Node; nullptr where it is not there.
[[nodiscard]] Changes changes_of(const policy::Node* before, const policy::Node* after);

// "PodLeft, Ready": for explanations.
[[nodiscard]] std::vector<std::string_view> names_of(Changes changes);

}  // namespace elbowroom::cluster

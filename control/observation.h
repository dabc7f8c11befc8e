// What the reactor of every leader-elected daemon can see, as values. Time arrives here too, so the
// same observations give the same effects, on any machine and in any year.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "api/write/lease.h"
#include "base/result.h"
#include "policy/model/time.h"

namespace elbowroom::control {

// When something was observed. `since_start` is our own monotonic clock, for every deadline; `wall`
// is for display and the Lease only; what counts in wall time uses ServerDated.
struct Moment {
  std::chrono::milliseconds since_start{0};
  policy::Time wall{};

  friend bool operator==(const Moment&, const Moment&) = default;
};

// An object that cannot be understood; its last known state is kept, except for a budget, which
// counts as the strictest. Of a pod its uid, and the node where it holds room
// (api/codec/bound_node.h), as far as they can be read.
struct Unreadable {
  std::string kind{};
  std::string key{};
  std::string why{};
  std::string uid{};
  std::string node{};

  friend bool operator==(const Unreadable&, const Unreadable&) = default;
};

// A collection of a daemon is no longer followed; and is followed again. Collection is an
// enumeration in the order of the daemon's table (control/collection.h).
template <class Collection>
struct Lost {
  Collection of{};
  std::string why{};

  friend bool operator==(const Lost&, const Lost&) = default;
};
template <class Collection>
struct Back {
  Collection of{};

  friend bool operator==(const Back&, const Back&) = default;
};

// Whether the API server keeps Node.spec.podPreemptionPolicy.
struct PolicyFieldProbed {
  bool kept = false;

  friend bool operator==(const PolicyFieldProbed&, const PolicyFieldProbed&) = default;
};

// What the API server's clock shows (its Date header); where it is another one than was believed.
struct ServerDated {
  policy::Time date{};

  friend bool operator==(const ServerDated&, const ServerDated&) = default;
};

// The Lease as it is now; none: it does not exist.
struct LeaseSeen {
  std::optional<api::Lease> lease{};

  friend bool operator==(const LeaseSeen&, const LeaseSeen&) = default;
};
// The Lease cannot be followed or understood, and why; "": it can again.
struct LeaseUnseen {
  std::string why{};

  friend bool operator==(const LeaseUnseen&, const LeaseUnseen&) = default;
};
// The program is to end: hand over.
struct StopAsked {
  friend bool operator==(const StopAsked&, const StopAsked&) = default;
};
struct TimePassed {
  friend bool operator==(const TimePassed&, const TimePassed&) = default;
};

// A burst is handled in portions of at most so many observations.
inline constexpr std::size_t kMostTogether = 64;

using EffectId = std::uint64_t;

struct Failed {
  EffectId effect = 0;
  Error error{};

  friend bool operator==(const Failed&, const Failed&) = default;
};

// An effect was done. After the Lease was written: as it is now.
struct Done {
  EffectId effect = 0;
  std::optional<api::Lease> lease{};

  friend bool operator==(const Done&, const Done&) = default;
};

// What a daemon sees that needs nothing beside its collections: Kinds are Listed, Seen and Gone of
// each, in the table's order.
template <class Collection, class... Kinds>
struct DaemonObservation {
  Moment at{};
  std::variant<Kinds..., Unreadable, Lost<Collection>, Back<Collection>, ServerDated, LeaseSeen,
               LeaseUnseen, StopAsked, TimePassed, Done, Failed>
      what{};

  friend bool operator==(const DaemonObservation&, const DaemonObservation&) = default;
};

}  // namespace elbowroom::control

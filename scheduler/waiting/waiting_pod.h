// What the reactor keeps about one pod that waits for a decision: for room for its resize, or for a
// node; or about a gang, whose pods wait for nodes together. It is created again when the pod's uid
// or generation changes, so nothing of an earlier resize applies to a later one.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "policy/model/pod.h"
#include "scheduler/waiting/requeue_hints.h"

namespace elbowroom::scheduler {

// The last event that was sent to the owner.
struct Said {
  std::string words{};                              // without the time; "": nothing yet
  std::optional<std::chrono::milliseconds> time{};  // that it names, on the reactor's clock
  bool time_matters = false;                        // another time is reported
  bool expects_room = false;                        // room is expected by then
};

struct Waiting {
  using Time = std::chrono::milliseconds;  // on the reactor's clock

  std::string uid{};
  std::int64_t generation = 0;
  bool is_pending = false;  // it waits for a node
  std::string node{};       // its own; of a pending one: that it is nominated to, or binds to
  std::int32_t priority = 0;
  Time since{0};           // first seen Deferred, or pending, at that generation
  Time deferred_since{0};  // first seen Deferred, and without a pause since, at any generation

  // Of its last turn.
  std::optional<TurnResult> result{};
  std::string message{};
  std::optional<Time> next_look{};  // besides changes on the node

  std::optional<Time> fits_since{};
  bool said_fits = false;    // for more than two minutes
  unsigned refused = 0;      // consecutive sets of which a pod could not be removed
  unsigned unconfirmed = 0;  // times in a row that the API server did not show it
  unsigned outdated = 0;  // times in a row that the API server knew more of it than we were shown
  Said said{};

  // Of a pending pod.
  std::string written{};      // the last reason and message of its condition PodScheduled
  unsigned unwritten = 0;     // writes of its status in a row that failed
  bool looks_around = false;  // other pods beside it matter to it
  bool lacks_claims = false;  // its claims keep it off every node: only they, and volumes, can help
  std::string signature{};    // of the pods that share its refusal; "": it shares none

  // Of a member of a gang: the name and uid of the gang's entry, which stands for it in the queue.
  std::string gang{};
  std::string gang_uid{};
  bool has_own_turn = false;  // all the same, while it is being bound

  // Of a gang, at generation 0: the keys of its waiting members, and the nodes of its placement and
  // of its victims.
  bool is_group = false;
  std::set<std::string> members{};
  std::set<std::string> gated{};  // those with scheduling gates, which are not placed
  // The members that had to be placed together when its last turn refused it; none: it did not.
  std::optional<std::size_t> needs{};
  std::set<std::string> nodes{};
  // Of its nominations, when they were last looked at: ClusterState::node_changes().
  std::uint64_t node_changes = 0;
};

// A gang's entry is named "@NAMESPACE/NAME", as no pod is.
[[nodiscard]] inline std::string gang_id(std::string_view group) {
  return "@" + std::string(group);
}
[[nodiscard]] inline bool is_gang_id(std::string_view id) { return id.starts_with('@'); }
[[nodiscard]] inline std::string_view group_key_in(std::string_view id) { return id.substr(1); }

// Its members wait together, and it is supported.
[[nodiscard]] bool waits_with_its_gang(const policy::Pod& pod);

// It waits for room: its node said so of its resize as it is now.
[[nodiscard]] bool waits_for_room(const policy::Pod& pod);

// It waits for a node, whichever scheduler places it.
[[nodiscard]] bool waits_for_node(const policy::Pod& pod);

}  // namespace elbowroom::scheduler

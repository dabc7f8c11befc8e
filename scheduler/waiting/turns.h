// What every turn of a waiting pod ends with: its entry in the queue rests until something could
// change the result, and an event tells its owner, once for each change.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "policy/model/pod_text.h"
#include "scheduler/event_table.h"
#include "scheduler/reactor_state.h"
#include "scheduler/waiting/owner_event.h"

namespace elbowroom::scheduler {

class Turns {
 public:
  using Time = std::chrono::milliseconds;  // on the reactor's clock

  // Both must live as long.
  Turns(const ReactorOptions& options, ReactorState& state) : options_(options), state_(state) {}

  // The pod's turn ends with that result: it waits until something could change it, or until
  // `next_look`.
  void park(const std::string& key, Waiting& pod, TurnResult result, std::string message,
            std::optional<Time> next_look);
  // The same without a result of its own.
  void rest(const std::string& key, const Waiting& pod, TurnResult result,
            std::optional<Time> next_look);
  // Its turn ends with something that it does now.
  void act(Waiting& pod, TurnResult result, std::string message);
  void count(TurnResult result, const Waiting& pod);
  // The pod needs one of the removals that are under way to end.
  void want_slot(const std::string& key, const Waiting& pod);

  // The event for the pod's owner, if it reports a change.
  void tell(const std::string& key, Waiting& pod, const OwnerEvent& note);
  [[nodiscard]] Said said_by(const OwnerEvent& note) const;
  void say(const Victim& regarding, EventReason reason, const policy::PodText& note,
           Subject kind = Subject::Pod, std::optional<Related> related = std::nullopt);
  // The events of a victim.
  void tell_victim(const VictimEvent& event);
  void count_victim(const VictimEvent& event);

 private:
  const ReactorOptions& options_;
  ReactorState& state_;
};

// The nodes whose changes concern the waiting pod, or gang, at once.
[[nodiscard]] std::set<std::string> nodes_of(const Waiting& pod);

[[nodiscard]] Preemptor preemptor_of(const std::string& key, const Waiting& pod);

// Why a turn ends without a choice: pods of the node are being removed, or of too many nodes.
[[nodiscard]] std::string removing_on(const std::string& node);
inline constexpr std::string_view kManyRemovals = "pods of many other nodes are being asked to go";

// Why nothing may be removed while the circuit breaker's record cannot be stored.
[[nodiscard]] std::string not_kept_in_words(const CircuitBreakerStore& store);

// The earlier of two times; none: never.
[[nodiscard]] std::optional<std::chrono::milliseconds> sooner(
    std::optional<std::chrono::milliseconds> a, std::optional<std::chrono::milliseconds> b);

}  // namespace elbowroom::scheduler

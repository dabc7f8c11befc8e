// The pods that wait for a decision: for room for their resize, or for a node. Each has an entry in
// the queue as long as it waits. The members of a gang, which are placed together, share the gang's
// entry; while a member is being bound it has one of its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "cluster/change.h"
#include "policy/model/pod.h"
#include "policy/model/removal_mark.h"
#include "scheduler/removal/removal_slots.h"
#include "scheduler/removal/repeat_cause.h"
#include "scheduler/waiting/queue.h"
#include "scheduler/waiting/waiting_pod.h"

namespace elbowroom::scheduler {

class WaitingPods {
 public:
  using Time = std::chrono::milliseconds;                   // on the reactor's clock
  using All = std::map<std::string, Waiting, std::less<>>;  // by key; gangs by gang_id()

  // A pod as the watch had it before and has it now, under one name; nullptr: it did not, or does
  // not, exist. `is_to_place`: it waits for a node, and is ours to place. Returns the pod that
  // stopped waiting, if any: also where it waits from now on for something else.
  std::optional<Waiting> follow(const policy::Pod* before, const policy::Pod* after,
                                bool is_to_place, Time now);
  // How long it is Deferred already, whatever size it asks for.
  void follow_deferral(const policy::Pod* before, const policy::Pod* after, Time now);
  // The pod waits no more. Returns its entry, if it did wait.
  std::optional<Waiting> drop(std::string_view key);
  // The name of the entry in the queue that stands for that pod.
  [[nodiscard]] std::string entry_of(std::string_view key) const;
  // A pod of that group that is not ours to place came, went or changed.
  void member_changed(const std::string& group, Time now);
  // The member of a gang gets an entry of its own, or gives it back.
  void begin_own_turn(const std::string& key, Time now);
  void end_own_turn(const std::string& key);

  // A new leadership: each pod gets a turn.
  void begin_again(Time now);

  [[nodiscard]] const All& all() const { return waiting_; }
  // Returns the key and the waiting pod; nullptr: it does not wait.
  [[nodiscard]] All::value_type* entry(std::string_view key);
  // Returns the waiting pod of that name, of that name and uid, or at that generation too; nullptr:
  // it does not wait.
  [[nodiscard]] Waiting* find(std::string_view key);
  [[nodiscard]] const Waiting* find(std::string_view key) const;
  [[nodiscard]] Waiting* find(std::string_view key, std::string_view uid);
  [[nodiscard]] Waiting* find(std::string_view key, std::string_view uid, std::int64_t generation);

  // True if the removal that a pod of the node is marked for may still begin: its preemptor waits
  // at the generation of the mark, and its last turn, if it had one, did not decide otherwise.
  // `goes_with_others`: the marked pod goes with pods of other nodes.
  [[nodiscard]] bool needs(const policy::RemovalMark& mark, const std::string& node,
                           bool goes_with_others = false) const;

  [[nodiscard]] Queue& queue() { return queue_; }
  [[nodiscard]] const Queue& queue() const { return queue_; }
  [[nodiscard]] RemovalSlots& slots() { return slots_; }

  // The last set of pods removed for a resize that still waits; nullptr: there is none.
  [[nodiscard]] const SetRecord* last_set(std::string_view uid) const;
  void put_last_set(const std::string& uid, SetRecord set) { last_sets_[uid] = std::move(set); }

 private:
  // What the watch says of a member of a gang. Its labels: where it may be placed can change, but
  // not how many members there are.
  enum class MemberNews : std::uint8_t { None, Labels, Came, Group };

  void join_gang(const std::string& key, const policy::Pod& pod, MemberNews news, Time now);
  void leave_gang(const std::string& key, const std::string& gang);
  void forget_uid(const std::string& uid, const std::string& key);

  struct DeferredSince {
    std::string uid{};
    Time since{0};
  };

  Queue queue_{};
  All waiting_{};
  RemovalSlots slots_{};
  // Keys of the waiting pods by uid; more than one where objects contradict each other.
  std::map<std::string, std::set<std::string>, std::less<>> by_uid_{};
  std::map<std::string, DeferredSince, std::less<>> deferred_since_{};  // by key
  std::map<std::string, SetRecord, std::less<>> last_sets_{};           // by uid
};

}  // namespace elbowroom::scheduler

// The pods that wait for a decision, by when and why they are looked at next: Deferred resizes and
// pending pods, the most important first. Whoever is turned down names what could cure it, and only
// such a change (of a resize: on its own node), or a time it named, brings it back; nothing that
// happens while it is in flight is lost.
//
//   add --> active --pop--> in flight --park--> parked --wake, deadline, flush--> active
//             ^                 |                  |
//             +---- backoff <---+ retry            | wake from anywhere, before it has rested
//                      ^---------------------------+
//
// A change on any node wakes no more than those who wait for such a change: they are indexed by it.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "cluster/change.h"

namespace elbowroom::scheduler {

class Queue {
 public:
  using Time = std::chrono::milliseconds;  // on the reactor's clock

  static constexpr Time kFirstBackoff{1'000};
  static constexpr Time kLongestBackoff{10'000};
  static constexpr Time kLongestServerDelay{60'000};  // that is heeded
  static constexpr Time kFlushAfter{300'000};

  enum class Where : std::uint8_t { Active, Backoff, Parked, InFlight };

  // What brought a pod to the front, for metrics.
  enum class Cause : std::uint8_t { Added, Change, Deadline, Backoff, Flush };

  // What a pending pod waits for: it may go to any node.
  struct Wish {
    std::string node{};           // that it is nominated to; "": none
    cluster::Changes there{};     // on that node: at once
    cluster::Changes anywhere{};  // on any node: once it has rested, 1 s after the first turn in
                                  // vain, doubling to 10 s
    std::optional<Time> deadline{};
  };

  struct Popped {
    std::string id{};
    Cause cause = Cause::Added;
  };

  // Adds it to the active ones; only its priority is changed where it is known already. A pending
  // pod has no node ("").
  void add(const std::string& id, const std::string& node, std::int32_t priority, Time now);
  void remove(std::string_view id);
  [[nodiscard]] bool contains(std::string_view id) const { return items_.contains(id); }

  // The most important active one, then the one that waits longest; it is in flight until it is
  // parked, retried or removed.
  [[nodiscard]] std::optional<Popped> pop();

  // Turned down: until one of `cures` happens on its node, or until `deadline` (none: for the
  // flush). A cure that happened while it was in flight counts.
  void park(std::string_view id, cluster::Changes requeue_hints, std::optional<Time> deadline,
            Time now);

  // The same for a pending pod.
  void park(std::string_view id, const Wish& wish, Time now);
  // A parked one is looked at by then at the latest.
  void look_by(std::string_view id, Time due);

  // An error: after a while, doubling from 1 s to 10 s, or as long as the other side wished where
  // that is longer; a little more for some uids than for others, so that many that failed together
  // do not come back together.
  void retry(std::string_view id, std::string_view uid, Time wish, Time now);

  // Something changed on the node; `but` is not told, whose doing it is.
  void wake(std::string_view node, cluster::Changes what, Time now, std::string_view but = {});
  // Something changed for that pod alone.
  void wake_one(std::string_view id, cluster::Changes what, Time now);

  // Brings back whoever's time has come.
  void advance(Time now);
  // When advance() has something to do; none: nothing is waited for.
  [[nodiscard]] std::optional<Time> next() const;

  [[nodiscard]] std::optional<Where> where(std::string_view id) const;
  [[nodiscard]] std::size_t count(Where where) const;
  [[nodiscard]] bool has_active() const { return !active_.empty(); }
  // Whether a parked pod of that node waits for one of these changes.
  [[nodiscard]] bool waits_for(std::string_view node, cluster::Changes what) const;

 private:
  struct Item {
    std::string node{};
    std::int32_t priority = 0;
    Where where = Where::Active;
    Cause cause = Cause::Added;
    Time since{0};  // in the active ones
    Time due{0};    // of a backoff, a deadline or the flush
    bool due_is_flush = false;
    cluster::Changes requeue_hints{};  // parked
    cluster::Changes missed{};         // in flight
    unsigned failures = 0;             // in a row
    // Of pending pods.
    cluster::Changes anywhere{};   // parked, or resting
    std::uint64_t told_until = 0;  // the last change before it was taken in flight
    unsigned turns_in_vain = 0;    // in a row
    Time rested{0};                // not before that, by a change anywhere
    bool is_woken = false;         // by one, and resting
  };
  using Items = std::map<std::string, Item, std::less<>>;
  using ActiveKey = std::tuple<std::int64_t, Time, std::string>;  // negated priority, since, id

  using Ids = std::set<std::string, std::less<>>;

  static ActiveKey key_of(const Items::value_type& item);
  void leave(Items::value_type& item);
  void activate(Items::value_type& item, Cause cause, Time now);
  void wait_until(Items::value_type& item, Time due);
  void take_note(Items::value_type& item, cluster::Changes what, Time now);
  void move_to(Items::value_type& item, const std::string& node);
  void wait_anywhere(const Items::value_type& item);
  void wake_from_anywhere(Items::value_type& item, Time now);
  void wake_anywhere(cluster::Changes what, Time now, std::string_view but);
  [[nodiscard]] bool has_missed(const Item& item) const;
  void put_to_rest(Items::value_type& item, std::optional<Time> deadline, Time now);

  Items items_{};
  std::set<ActiveKey> active_{};
  std::set<std::pair<Time, std::string>> due_{};
  std::map<std::string, Ids, std::less<>> by_node_{};
  std::array<Ids, cluster::Changes::kBits>
      by_requeue_hint_{};      // of those that wait for a change anywhere
  std::uint64_t changes_ = 0;  // so far
  std::array<std::uint64_t, cluster::Changes::kBits> latest_{};  // of each, among them
};

}  // namespace elbowroom::scheduler

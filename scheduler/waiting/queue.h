// The queue of pods that wait for a decision: Deferred resizes and pending pods, most important
// first. A rejected pod names the changes that could help. Only such a change (for a resize: on its
// own node), or a deadline of its own, requeues it. No change during a pod's turn is lost.
//
//   add --> active --pop--> in flight --park--> parked --wake, deadline, flush--> active
//             ^                 |                  |
//             +---- backoff <---+ retry            | wake from anywhere, before its backoff ends
//                      ^---------------------------+
//
// A change on a node wakes only the pods that wait for such a change: they are indexed by it.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "cluster/change.h"
#include "scheduler/waiting/unplaced_pods.h"

namespace elbowroom::scheduler {

class Queue {
 public:
  using Time = std::chrono::milliseconds;  // on the reactor's clock

  static constexpr Time kFirstBackoff{1'000};
  static constexpr Time kLongestBackoff{10'000};
  static constexpr Time kLongestServerDelay{60'000};  // the longest Retry-After that is honoured
  static constexpr Time kFlushAfter{300'000};

  enum class Where : std::uint8_t { Active, Backoff, Parked, InFlight };

  // What moved a pod to the front, for metrics.
  enum class Cause : std::uint8_t { Added, Change, Deadline, Backoff, Flush };

  // What a pending pod or gang waits for; it may use any node.
  struct Wish {
    std::set<std::string> nodes{};  // its nominated nodes
    cluster::Changes there{};       // on one of them: at once
    cluster::Changes anywhere{};    // on any node: after a backoff, doubling from 1 s to 10 s
    std::optional<Time> deadline{};
    // Not any such change wakes it, but one that could help pods of that signature, which are among
    // unplaced(). "": any does.
    std::string signature{};
  };

  struct Popped {
    std::string id{};
    Cause cause = Cause::Added;
  };

  // Adds the pod to the active ones; a known one only changes its priority. A pending pod has no
  // node ("").
  void add(const std::string& id, const std::string& node, std::int32_t priority, Time now);
  void remove(std::string_view id);
  // The entry stands for that many pods: its longest backoff after an error grows with their square
  // root, as each try writes more. Source: kube-scheduler backoff_queue (1.37).
  void set_size(std::string_view id, std::size_t pods);
  [[nodiscard]] bool contains(std::string_view id) const { return items_.contains(id); }

  // Returns the most important active pod, longest waiting first. It is in flight until it is
  // parked, retried or removed.
  [[nodiscard]] std::optional<Popped> pop();

  // Rejected: waits until one of `requeue_hints` happens on its node, or until `deadline` (none:
  // until the flush). A change that happened while it was in flight counts.
  void park(std::string_view id, cluster::Changes requeue_hints, std::optional<Time> deadline,
            Time now);

  // The same for a pending pod.
  void park(std::string_view id, const Wish& wish, Time now);
  // A parked pod gets a turn by then at the latest.
  void look_by(std::string_view id, Time due);

  // An error: backs off from 1 s, doubling to 10 s, or for `wish`, the server's Retry-After, if
  // that is longer. A delay that depends on the uid spreads pods that failed together.
  void retry(std::string_view id, std::string_view uid, Time wish, Time now);

  // Something changed on the node; the pod `but`, which caused it, is not woken.
  void wake(std::string_view node, cluster::Changes what, Time now, std::string_view but = {});
  // Something changed for that pod alone.
  void wake_one(std::string_view id, cluster::Changes what, Time now);
  // The pending pod or gang gets a turn for it, but not before its backoff ends, as after a change
  // on any node.
  void wake_later(std::string_view id, Time now);

  // The pending pods that no node admits.
  [[nodiscard]] UnplacedPods& unplaced() { return unplaced_; }

  // Requeues the pods whose time has come.
  void advance(Time now);
  // When advance() has something to do; none: nothing waits.
  [[nodiscard]] std::optional<Time> next() const;

  [[nodiscard]] std::optional<Where> where(std::string_view id) const;
  [[nodiscard]] std::size_t count(Where where) const;
  [[nodiscard]] bool has_active() const { return !active_.empty(); }
  // True if a parked pod of that node waits for one of these changes, or a pod is in flight there.
  [[nodiscard]] bool waits_for(std::string_view node, cluster::Changes what) const;
  // The nodes that pods wait for.
  [[nodiscard]] std::size_t nodes() const { return by_node_.size(); }
  void each_node(const std::function<void(const std::string& node)>& use) const;

 private:
  struct Item {
    std::set<std::string> nodes{};
    std::int32_t priority = 0;
    Where where = Where::Active;
    Cause cause = Cause::Added;
    Time since{0};  // when it became active
    Time due{0};    // of a backoff, a deadline or the flush
    bool due_is_flush = false;
    cluster::Changes requeue_hints{};  // parked
    cluster::Changes missed{};         // in flight
    unsigned failures = 0;             // in a row
    Time longest = kLongestBackoff;    // of its backoffs after errors
    // Of pending pods.
    cluster::Changes anywhere{};   // parked, or in backoff
    std::string signature{};       // where it is parked among unplaced_
    std::uint64_t told_until = 0;  // the last change before it was popped
    unsigned turns_in_vain = 0;    // in a row
    Time rested{0};                // no earlier, after a change on any node
    bool is_woken = false;         // by such a change, and in backoff
    bool has_news = false;         // wake_later() came while it was in flight
  };
  using Items = std::map<std::string, Item, std::less<>>;
  using ActiveKey = std::tuple<std::int64_t, Time, std::string>;  // negated priority, since, id

  using Ids = std::set<std::string, std::less<>>;

  static ActiveKey key_of(const Items::value_type& item);
  void leave(Items::value_type& item);
  void activate(Items::value_type& item, Cause cause, Time now);
  void wait_until(Items::value_type& item, Time due);
  void take_note(Items::value_type& item, cluster::Changes what, Time now);
  void move_to(Items::value_type& item, const std::set<std::string>& nodes);
  void wait_anywhere(const Items::value_type& item);
  void wake_from_anywhere(Items::value_type& item, Time now);
  void wake_anywhere(cluster::Changes what, Time now, std::string_view but);
  [[nodiscard]] bool has_missed(const Item& item) const;
  void put_to_rest(Items::value_type& item, std::optional<Time> deadline, Time now);

  Items items_{};
  UnplacedPods unplaced_{};
  std::set<ActiveKey> active_{};
  std::set<std::pair<Time, std::string>> due_{};
  std::map<std::string, Ids, std::less<>> by_node_{};
  std::array<Ids, cluster::Changes::kBits>
      by_requeue_hint_{};      // of those that wait for a change on any node
  std::uint64_t changes_ = 0;  // so far
  std::array<std::uint64_t, cluster::Changes::kBits> latest_{};  // the latest of each kind
};

}  // namespace elbowroom::scheduler

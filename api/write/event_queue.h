// The events that are not sent yet. Per object and reason only the newest waits. Events about
// removals are first. Beyond the limits, the least important events are dropped.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "api/transport/token_bucket.h"
#include "api/write/event_correlator.h"
#include "policy/model/time.h"

namespace elbowroom::api {

struct EventQueueOptions {
  std::size_t max_events = 100'000;
  // Of the texts with their overhead: about 100,000 events of a few hundred bytes.
  std::size_t max_bytes = std::size_t{48} << 20;
};

struct QueuedEvent {
  EventNote note{};
  policy::Time wall{};     // the last occurrence
  std::int64_t times = 1;  // occurrences since the last one was sent
};

class EventQueue {
 public:
  // By object and reason.
  using Key = std::string;
  using Keys = std::set<Key, std::less<>>;

  explicit EventQueue(EventQueueOptions options) : options_(options) {}

  // How many events are not written because of the new one: an earlier one of that object and
  // reason, or one without room.
  struct Lost {
    std::uint64_t superseded = 0;
    std::uint64_t dropped = 0;
  };
  [[nodiscard]] Lost add(EventNote note, policy::Time wall);

  // The first of the most important events that may be sent; those with `busy` keys wait.
  [[nodiscard]] std::optional<QueuedEvent> take(const Keys& busy, Clock::time_point now);

  // Postpones an event that was taken. If a newer one has arrived, it is dropped.
  void put_off(QueuedEvent event, Clock::time_point until);

  // When the first postponed event may be sent; none: no event is postponed.
  [[nodiscard]] std::optional<Clock::time_point> next() const;

  [[nodiscard]] std::size_t size() const { return events_.size(); }

  [[nodiscard]] static Key key_of(const EventNote& note);

 private:
  // The parts that are not in the key, as one text.
  struct Waiting {
    std::string rest{};
    policy::Time wall{};
    std::int64_t times = 1;
    std::uint64_t number = 0;
    EventSeverity severity = EventSeverity::Normal;
    EventRank rank = EventRank::Usual;
    bool once = false;
    bool has_related = false;
    std::optional<Clock::time_point> not_before{};
  };
  using Events = std::map<Key, Waiting, std::less<>>;
  using Order = std::pair<EventRank, std::uint64_t>;

  [[nodiscard]] static std::size_t bytes_of(const Events::value_type& event);
  [[nodiscard]] static QueuedEvent unpacked(const Events::value_type& event);
  [[nodiscard]] bool is_full() const;
  void insert(Key key, Waiting waiting);
  void wake(Clock::time_point now);
  Events::node_type extract(Events::iterator at);

  EventQueueOptions options_;
  Events events_{};
  std::map<Order, Events::iterator> ready_{};  // may be sent now
  std::map<std::pair<Clock::time_point, std::uint64_t>, Events::iterator> put_off_{};
  std::size_t bytes_ = 0;
  std::uint64_t last_number_ = 0;
};

}  // namespace elbowroom::api

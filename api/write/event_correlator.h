// Decides which Kubernetes Events are written: repetitions become a count, floods are limited. It
// is pure; event_recorder.h sends the results.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/codec/object_ref.h"
#include "api/transport/http.h"
#include "api/transport/token_bucket.h"
#include "policy/model/time.h"

namespace elbowroom::api {

enum class EventSeverity : std::uint8_t { Normal, Warning };

// The order of sending when not everything can be sent: events about removed pods first.
enum class EventRank : std::uint8_t { Removal, Usual };

struct EventObject {
  std::string api_version = "v1";
  std::string kind = "Pod";
  ObjectRef ref{};

  friend auto operator<=>(const EventObject&, const EventObject&) = default;
};

// The contents of an event. Texts are cut to the API's limits: reason and action 128 bytes, note
// 1024.
struct EventNote {
  EventObject regarding{};
  std::optional<EventObject> related{};
  EventSeverity severity = EventSeverity::Normal;
  std::string reason{};  // "Preempted"
  std::string action{};  // "Preempting"
  std::string note{};
  EventRank rank = EventRank::Usual;
  // An object gets only one event with that reason, whichever process records it. Its name is
  // derived from uid and reason, so the API server refuses a second one.
  bool once = false;

  friend auto operator<=>(const EventNote&, const EventNote&) = default;
};

struct EventCorrelatorOptions {
  std::string controller = "elbowroom.dev/agent";  // reportingController
  std::string instance{};                          // reportingInstance: the node, the process
  std::string label{};                             // on each event, with the value "true"; "": none
  // Does not apply to removals.
  Rate per_object{std::chrono::milliseconds(300'000), 25};
  std::chrono::seconds forget_after{360};    // without repetition
  std::chrono::seconds refresh_after{1800};  // how often an ongoing series is written
  // Per object and reason: this many different notes, then one note for all others, until there is
  // none for `similar_within`.
  std::size_t most_similar = 10;
  std::chrono::seconds similar_within{600};
  std::size_t max_kept = 4096;  // notes, and objects with a rate limit
};

// One write: a create (POST), or a new count for an existing event (PATCH). `creation` is the body
// to POST if the PATCH finds no event.
struct EventWrite {
  Method method = Method::Post;
  std::string ns{};
  std::string name{};
  std::string body{};
  std::string creation{};

  friend bool operator==(const EventWrite&, const EventWrite&) = default;
};

// Source: client-go tools/events event_broadcaster.go. Unlike there, a different note is a
// different event, because our notes contain the decision.
class EventCorrelator {
 public:
  explicit EventCorrelator(EventCorrelatorOptions options);

  // How long the object's rate limit delays it; 0: it may be recorded now.
  [[nodiscard]] Clock::duration wait(const EventNote& note, Clock::time_point now) const;

  // The write for `times` occurrences, the last of them at `wall`; nothing if they are only
  // counted.
  [[nodiscard]] std::optional<EventWrite> record(EventNote note, policy::Time wall,
                                                 Clock::time_point now, std::int64_t times = 1);

  // Ends quiet series and refreshes ongoing ones. Call it about every minute.
  [[nodiscard]] std::vector<EventWrite> sweep(Clock::time_point now);

  // Notes that may still repeat. At 0, sweep() has nothing to do.
  [[nodiscard]] std::size_t kept() const { return series_.size(); }

 private:
  struct Series {
    std::string name{};
    policy::Time first{};
    policy::Time last{};
    std::int64_t count = 1;
    std::int64_t written = 1;  // the count that the server has
    Clock::time_point seen{};
    Clock::time_point written_at{};
  };
  struct Similar {
    std::set<std::string, std::less<>> notes{};
    std::string combined{};  // the note for all others; "": none yet
    Clock::time_point seen{};
  };
  struct ObjectRate {
    TokenBucket bucket;
    Clock::time_point used{};
  };

  void combine(EventNote& note, Clock::time_point now);
  void take_token(const EventNote& note, Clock::time_point now);
  [[nodiscard]] EventWrite creation(const EventNote& note, const Series& series) const;
  [[nodiscard]] EventWrite count(const EventNote& note, Series& series,
                                 Clock::time_point now) const;
  [[nodiscard]] std::string unique_name(const EventNote& note, policy::Time wall);

  EventCorrelatorOptions options_;
  std::map<EventNote, Series> series_;
  std::map<EventNote, Similar> similar_;  // by what they share: the note is empty
  std::map<EventObject, ObjectRate> rates_;
  std::uint64_t last_nano_ = 0;
};

}  // namespace elbowroom::api

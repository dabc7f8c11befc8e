// What can go wrong between a client and the API server, as a value. A fault is spent by what it
// meets, so "the next two status writes are refused" is one value; with `lasts` it meets everything
// until then instead.
#pragma once

#include <chrono>
#include <cstdint>

namespace elbowroom::lab {

struct ApiFault {
  enum class Kind : std::uint8_t {
    Refused,         // no connection
    Hang,            // taken, never answered, nothing done
    Slow,            // done, answered after `delay`
    HalfReply,       // done; the answer breaks off in the middle
    Status,          // nothing done, answered with `code`, after `retry_after` where that is given
    LostReply,       // done, and the connection breaks before the answer
    WatchSilent,     // open, but nothing comes any more
    WatchClosed,     // ended by the server; with `delay`, in the middle of a line
    WatchStale,      // what happens is told only after `delay`
    WatchGone,       // ended, and refused with 410 when it is opened again
    WatchGoneEvent,  // ended by an ERROR event with code 410
    Duplicate,       // the next events are told twice
    Reordered,       // the next event is told after one of another object
  };
  // Which requests it meets. Writes: but for Events, which nothing depends on.
  enum class Of : std::uint8_t { Any, Lists, Reads, Writes, Watches };

  Kind kind = Kind::Refused;
  Of of = Of::Any;  // of the kinds that are about requests
  int code = 503;
  std::chrono::seconds retry_after{0};
  std::chrono::milliseconds delay{0};
  int times = 1;
  std::chrono::milliseconds lasts{0};

  friend bool operator==(const ApiFault&, const ApiFault&) = default;
};

[[nodiscard]] constexpr bool is_about_watches(ApiFault::Kind kind) {
  return kind >= ApiFault::Kind::WatchSilent;
}

}  // namespace elbowroom::lab

// Faults between a client and the API server, as values. A fault is used up by the requests it
// hits, so "refuse the next two status writes" is one value; with `lasts` it hits every request
// until then instead.
#pragma once

#include <chrono>
#include <cstdint>

namespace elbowroom::lab {

struct ApiFault {
  enum class Kind : std::uint8_t {
    Refused,         // no connection
    Hang,            // accepted, never answered, nothing done
    Slow,            // done, answered after `delay`
    HalfReply,       // done; the answer breaks off in the middle
    Status,          // nothing done, answered with `code`, and with `retry_after` if set
    LostReply,       // done, and the connection breaks before the answer
    WatchSilent,     // open, but sends nothing more
    WatchClosed,     // ended by the server; with `delay`, in the middle of a line
    WatchStale,      // changes are sent only after `delay`
    WatchGone,       // ended, and refused with 410 when the client opens it again
    WatchGoneEvent,  // ended by an ERROR event with code 410
    Duplicate,       // the next events are sent twice
    Reordered,       // the next event is sent after one of another object
  };
  // Which requests it hits. Writes exclude those of Events, because nothing depends on them.
  enum class Of : std::uint8_t { Any, Lists, Reads, Writes, Watches };

  Kind kind = Kind::Refused;
  Of of = Of::Any;  // for the kinds that apply to requests
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

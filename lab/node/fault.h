// Faults that tests and the demo inject into the lab's servers, as values. A fault is used up by
// the requests it hits, so "fail the next two status writes" is one value.
#pragma once

#include <string>

namespace elbowroom::lab {

struct Fault {
  enum class Kind {
    Refuse,     // answers `code` without doing anything
    Hang,       // neither does nor answers, until the faults are cleared
    BreakOff,   // closes the connection without doing anything
    LoseReply,  // does the work, then closes the connection instead of answering
  };

  Kind kind = Kind::Refuse;
  std::string method{};         // "PATCH"; "" for any
  std::string path_contains{};  // of path and query; "" for any
  int code = 503;
  std::string reason = "ServiceUnavailable";
  int retry_after_seconds = 0;
  int times = 1;

  friend bool operator==(const Fault&, const Fault&) = default;
};

}  // namespace elbowroom::lab

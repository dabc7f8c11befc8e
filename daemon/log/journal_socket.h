// Where journald takes entries: its native protocol, one datagram for each. It never waits, so an
// entry that a slow or dead journal has no room for is lost, where libsystemd's own calls would
// hold up the thread that logs.
#pragma once

#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

namespace elbowroom::daemon {

inline constexpr std::string_view kJournalSocket = "/run/systemd/journal/socket";

class JournalSocket {
 public:
  // Unavailable: nobody listens at that path; the message says what stands in the way.
  [[nodiscard]] static Result<JournalSocket> open(std::string_view path = kJournalSocket);

  // An entry: lines of FIELD=value, each with its line end. False: it is lost. A journal that was
  // restarted is found again.
  bool send(std::string_view entry) const;

 private:
  JournalSocket(Fd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}

  Fd fd_;
  std::string path_;
};

}  // namespace elbowroom::daemon

// Sends entries to journald in its native protocol, one datagram each. It never blocks: an entry is
// lost if a slow or dead journal has no room for it. libsystemd's own calls would block the thread
// that logs.
#pragma once

#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

namespace elbowroom::daemon {

inline constexpr std::string_view kJournalSocket = "/run/systemd/journal/socket";

class JournalSocket {
 public:
  // Unavailable: no process listens at that path; the message names the cause.
  [[nodiscard]] static Result<JournalSocket> open(std::string_view path = kJournalSocket);

  // Sends one entry: lines of FIELD=value, each with its line end. Returns false if the entry is
  // lost. A restarted journal is found again.
  bool send(std::string_view entry) const;

 private:
  JournalSocket(Fd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}

  Fd fd_;
  std::string path_;
};

}  // namespace elbowroom::daemon

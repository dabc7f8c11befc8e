// One log line as a value, with the object it is about. Parts of a program that do not write to the
// log return entries to the parts that do. Empty fields are omitted.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "daemon/http/endpoints.h"
#include "daemon/log/log.h"
#include "daemon/log/log_line.h"

namespace elbowroom::daemon {

struct LogEntry {
  LogLevel level = LogLevel::Info;
  std::string message{};
  std::string pod{};  // NAMESPACE/NAME
  std::string node{};
  std::string uid{};
  std::string reason{};
  std::string err{};

  friend bool operator==(const LogEntry&, const LogEntry&) = default;
};

// Returns the lines for the changes found by daemon/log/readiness_log.h.
[[nodiscard]] std::vector<LogEntry> lines_of(const std::vector<Check>& news);

// Writes the lines in order.
void write(Log& log, std::span<const LogEntry> lines);

}  // namespace elbowroom::daemon

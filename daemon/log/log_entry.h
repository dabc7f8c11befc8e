// One line for the log as a value, with what it is about: what parts of a program that do not write
// to the log hand to those that do. An empty field is left out.
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

// Of the news of daemon/log/readiness_log.h.
[[nodiscard]] std::vector<LogEntry> lines_of(const std::vector<Check>& news);

// In their order.
void write(Log& log, std::span<const LogEntry> lines);

}  // namespace elbowroom::daemon

// One line for the log as a value, with what it is about: what parts of a program that do not write
// to the log hand to those that do. The one thing to know: an empty field is left out.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "daemon/endpoints.h"
#include "daemon/log.h"
#include "daemon/log_line.h"

namespace elbowroom::daemon {

struct Line {
  LogLevel level = LogLevel::Info;
  std::string message{};
  std::string pod{};  // NAMESPACE/NAME
  std::string node{};
  std::string uid{};
  std::string reason{};
  std::string err{};

  friend bool operator==(const Line&, const Line&) = default;
};

// Of the news of daemon/health_news.h.
[[nodiscard]] std::vector<Line> lines_of(const std::vector<Check>& news);

// In their order.
void write(Log& log, std::span<const Line> lines);

}  // namespace elbowroom::daemon

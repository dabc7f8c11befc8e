#include "daemon/log/log_entry.h"

#include <array>

namespace elbowroom::daemon {

std::vector<LogEntry> lines_of(const std::vector<Check>& news) {
  std::vector<LogEntry> lines;
  for (const Check& each : news) {
    lines.push_back({.level = each.passed ? LogLevel::Info : LogLevel::Warn,
                     .message = each.passed ? "a part works again" : "a part does not work",
                     .reason = each.name,
                     .err = each.passed ? "" : each.detail});
  }
  return lines;
}

void write(Log& log, std::span<const LogEntry> lines) {
  for (const LogEntry& line : lines) {
    const std::array<Field, 5> all = {{{"pod", line.pod},
                                       {"node", line.node},
                                       {"uid", line.uid},
                                       {"reason", line.reason},
                                       {"err", line.err}}};
    std::vector<Field> fields;
    for (const Field& field : all) {
      if (!field.value.empty()) fields.push_back(field);
    }
    log.write(line.level, line.message, fields);
  }
}

}  // namespace elbowroom::daemon

#include "control/unreadable_log.h"

#include <functional>

namespace elbowroom::control {
namespace {

using daemon::LogLevel;

// Whether it was readable before is not known here, so the text covers both cases where they
// differ.
std::string what_follows(const Unreadable& odd) {
  if (odd.kind == "Node") {
    return "a node cannot be understood; it counts as gone: nobody is removed there, or placed";
  }
  if (odd.kind == "Pod") {
    return odd.node.empty()
               ? "a pod without a node cannot be understood; what was understood of it before "
                 "stands, else nobody looks at it"
               : "a pod cannot be understood; what was understood of it before, on that node, "
                 "stands, else nobody is removed there";
  }
  if (odd.kind == "PodDisruptionBudget") {
    return "a disruption budget cannot be understood; until it is put right or deleted it counts "
           "as "
           "one that covers every pod of its namespace and allows none to go: others go first";
  }
  if (odd.kind == "DisruptionBudget") {
    return "a disruption budget cannot be understood; until it is put right or deleted nobody of "
           "its "
           "namespace is removed";
  }
  if (odd.kind == "Namespace") {
    return "a namespace cannot be understood; its labels count as they were understood before, or "
           "as none";
  }
  if (odd.kind == "Lease") return "the Lease cannot be understood; it is left to whoever holds it";
  return "an object cannot be understood";
}

}  // namespace

std::vector<daemon::LogEntry> UnreadableLog::take(const Unreadable& odd, Clock::time_point now) {
  std::vector<daemon::LogEntry> lines = advance(now);
  const std::size_t why = std::hash<std::string>{}(odd.why);
  const std::pair name(odd.kind, odd.key);
  const auto known = told_.find(name);
  if (known != told_.end() && known->second.why == why) return lines;
  if (named_ == 0) since_ = now;
  if (named_ == kNamed || (known == told_.end() && told_.size() == kKnown)) {
    ++unnamed_;
    return lines;
  }
  ++named_;
  told_.insert_or_assign(name, Told{why, now});
  lines.push_back({.level = LogLevel::Warn,
                   .message = what_follows(odd),
                   .node = odd.node,
                   .reason = odd.kind + " " + odd.key,
                   .err = odd.why});
  return lines;
}

std::vector<daemon::LogEntry> UnreadableLog::advance(Clock::time_point now) {
  if (now - since_ < kAtOnce) return {};
  std::erase_if(told_, [&](const auto& entry) { return now - entry.second.at >= kForgotten; });
  named_ = 0;
  const std::size_t more = std::exchange(unnamed_, 0);
  if (more == 0) return {};
  since_ = now;
  return {{.level = LogLevel::Warn,
           .message = "more objects cannot be understood",
           .err = std::to_string(more) + " times within a minute"}};
}

}  // namespace elbowroom::control

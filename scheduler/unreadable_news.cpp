#include "scheduler/unreadable_news.h"

#include <functional>

namespace elbowroom::scheduler {
namespace {

using daemon::LogLevel;

}  // namespace

std::vector<daemon::Line> UnreadableNews::take(const Unreadable& odd, Clock::time_point now) {
  std::vector<daemon::Line> lines = advance(now);
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
                   .message = "an object cannot be understood; what was known of it stands",
                   .node = odd.node,
                   .reason = odd.kind + " " + odd.key,
                   .err = odd.why});
  return lines;
}

std::vector<daemon::Line> UnreadableNews::advance(Clock::time_point now) {
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

}  // namespace elbowroom::scheduler

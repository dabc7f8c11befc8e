#include "daemon/program/watchdog.h"

namespace elbowroom::daemon {

std::string to_string(const std::vector<HungLoop>& hung) {
  std::string text;
  for (const HungLoop& each : hung) {
    if (!text.empty()) text += ", ";
    text += "loop " + each.loop + " has not turned for " + std::to_string(each.silent_for.count());
    text += " ms";
  }
  return text;
}

Progress& Watchdog::add(std::string loop, Clock::time_point now) {
  return loops_.emplace_back(std::move(loop), now);
}

std::vector<HungLoop> Watchdog::hung(Clock::time_point now) const {
  std::vector<HungLoop> hung;
  for (const Progress& each : loops_) {
    const auto silent = std::chrono::duration_cast<std::chrono::milliseconds>(now - each.last());
    if (silent > patience_) hung.push_back({each.loop(), silent});
  }
  return hung;
}

}  // namespace elbowroom::daemon

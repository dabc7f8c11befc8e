#include "daemon/log/readiness_log.h"

#include <utility>

#include "daemon/log/error_class.h"

namespace elbowroom::daemon {
namespace {

constexpr std::chrono::minutes kBetweenCauses{1};

}  // namespace

std::vector<Check> ReadinessLog::take(const std::vector<Check>& checks, Clock::time_point now) {
  std::vector<Check> news;
  for (const Check& check : checks) {
    const auto [at, is_first] = known_.try_emplace(check.name, Known{.check = check});
    if (is_first) continue;
    Known& known = at->second;
    const Check before = std::exchange(known.check, check);
    if (is_news(known, before, now)) news.push_back(check);
  }
  return news;
}

bool ReadinessLog::is_news(Known& known, const Check& before, Clock::time_point now) {
  const Check& check = known.check;
  if (check.passed) return std::exchange(known.told, false);
  if (!known.told) {
    if (!before.passed && before.detail == check.detail) return false;
    known.told = true;
    known.kind = error_class(check.detail);
    known.not_again_before = now;
    return true;
  }
  std::string kind = error_class(check.detail);
  if (kind == known.kind || now < known.not_again_before) return false;
  known.kind = std::move(kind);
  known.not_again_before = now + kBetweenCauses;
  return true;
}

}  // namespace elbowroom::daemon

#include "agent/health_news.h"

#include <utility>

namespace elbowroom::agent {

std::vector<ReadyCheck> HealthNews::take(const std::vector<ReadyCheck>& checks) {
  std::vector<ReadyCheck> news;
  for (const ReadyCheck& check : checks) {
    const auto [at, is_first] = known_.try_emplace(check.name, Known{check, false});
    if (is_first) continue;
    Known& known = at->second;
    const ReadyCheck before = std::exchange(known.check, check);
    if (check.ok) {
      if (std::exchange(known.told, false)) news.push_back(check);
    } else if (!known.told && (before.ok || before.why != check.why)) {
      known.told = true;
      news.push_back(check);
    }
  }
  return news;
}

}  // namespace elbowroom::agent

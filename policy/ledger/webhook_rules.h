// How a webhook for evictions answers, by the rescheduler's configuration.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace elbowroom::policy {

struct WebhookRules {
  // A replica that has not seen everything, or cannot write a debit: it refuses, or lets pass.
  bool refuses_when_unsure = false;
  // Deletes of pods by these count like evictions. Both empty: none do.
  std::vector<std::string> deletes_by_users{};
  std::vector<std::string> deletes_by_groups{};

  [[nodiscard]] bool counts_delete_by(const std::string& user,
                                      const std::vector<std::string>& groups) const {
    if (std::ranges::find(deletes_by_users, user) != deletes_by_users.end()) return true;
    return std::ranges::any_of(groups, [&](const std::string& each) {
      return std::ranges::find(deletes_by_groups, each) != deletes_by_groups.end();
    });
  }

  friend bool operator==(const WebhookRules&, const WebhookRules&) = default;
};

}  // namespace elbowroom::policy

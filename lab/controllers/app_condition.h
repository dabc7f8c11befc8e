// Conditions of Deployments: with the times of the last update and of the last transition.
#pragma once

#include <string_view>

#include "lab/world/json.h"
#include "policy/model/time.h"

namespace elbowroom::lab {

struct AppCondition {
  std::string_view type{};
  bool is_true = false;
  std::string_view reason{};
  std::string_view message{};
};

// The conditions with this one set. While status and reason stay, so does the condition; the time
// of the transition changes with the status only. Source: pkg/controller/deployment/util
// SetDeploymentCondition.
[[nodiscard]] Json with_condition(Json conditions, const AppCondition& wanted, policy::Time now);

}  // namespace elbowroom::lab

// A number of replicas or a percentage of them, as in maxUnavailable. Source: apimachinery
// intstr.GetScaledValueFromIntOrPercent.
#pragma once

#include <cstdint>
#include <optional>

#include "lab/world/json.h"

namespace elbowroom::lab {

enum class Round { Down, Up };

// Nothing: the path holds no number from 0 and no percentage.
[[nodiscard]] std::optional<std::int64_t> amount_of_replicas(const Json& object, Path path,
                                                             std::int64_t replicas, Round round);
[[nodiscard]] bool is_percentage(const Json& object, Path path);

}  // namespace elbowroom::lab
